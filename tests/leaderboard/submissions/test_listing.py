"""A team's files as a list: search, filters, order, pages, what is asked in an address."""

import pytest
from django.http import QueryDict

from leaderboard.competitions import clock
from leaderboard.competitions.models import Competition
from leaderboard.submissions import asking, closing, listing
from leaderboard.submissions.asking import Asked
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.submissions.refusals import Refusal
from tests.leaderboard import factories

pytestmark = pytest.mark.db
# One filled database serves all cases of a kind.
FILTERS = [
    ("", [5, 4, 3, 2, 1]),
    ("scored", [4, 2, 1]),
    ("new", [4, 1]),
    ("none", [2]),
    ("waiting", [5]),
    ("failed", [3]),
    ("stuck", []),
    ("final", [2, 1]),
    ("withdrawn", [4]),
    ("nonsense", [5, 4, 3, 2, 1]),
]
QUERIES = [
    ("trees", [2, 1]),
    ("TREES second", [2]),
    ("2", [4, 2]),
    ("#2", [2]),
    ("100%", [3]),
    ("%", [3]),
    ("_", [2]),
    ("plain broken", []),
    ("99999999999999", []),
    ("'; drop table", []),
]
ORDERS = [
    ("oldest", [1, 2, 3, 4, 5]),
    ("score", [4, 1, 5, 3, 2]),
    ("own", [2, 4, 1, 5, 3]),
    ("name", [4, 3, 1, 2, 5]),
]


@pytest.fixture
def contest():
    return factories.competition("c", daily_limit=100)


@pytest.fixture
def team(contest):
    """Five files: 1 new score, 2 none, 3 rejected, 4 waits, 5 new score and withdrawn."""
    made = factories.team(contest, "alice", "bob")
    factories.scored(made, 0.6, name="first.csv", note="plain trees", own_score=0.7)
    factories.scored(made, 0.61, name="Second_TREES.csv", note="", own_score=0.9)
    factories.scored(made, b"nothing", name="broken.csv", note="100% sure")
    factories.scored(made, 0.9, name="best.csv", note="file 2 again", own_score=0.8)
    closing.withdraw(made.submissions.get(number=4), factories.user("alice"))
    factories.upload(made, 0.7, name="waiting.csv")
    return made


def numbers(team, **asked) -> list[int]:
    return [item.submission.number for item in listing.listing(team, Asked(**asked)).items]


def test_every_filter_finds_its_files_and_counts_them(team):
    for show, found in FILTERS:
        made = listing.listing(team, Asked(show=show))
        assert [item.submission.number for item in made.items] == found
        assert made.total == len(found)
        names = dict(made.shows)
        assert names[""] == "All 5"
        if found and show in listing.SHOWS and show:
            assert names[show].endswith(f", {len(found)}")
        elif show != "nonsense" and show:
            assert "Failed on our side, 0" in names.values()


def test_search_in_name_note_and_number(team):
    for query, found in QUERIES:
        assert numbers(team, query=query) == found, query


def test_search_and_filter_together(team):
    made = listing.listing(team, Asked(query="trees", show="new"))
    assert [item.submission.number for item in made.items] == [1]
    assert dict(made.shows)["none"] == "No new score, 1"
    assert made.all_total == 5


def test_every_order(team):
    for sort, found in ORDERS:
        assert numbers(team, sort=sort) == found, sort


def test_the_best_own_score_is_the_lowest_where_lower_is_better():
    rule = {"start": "9", "low": 0.0, "high": None}
    contest = factories.competition(
        task=factories.NUMBERS, metric="root_mean_squared_error", rule=rule
    )
    team = factories.team(contest, "alice")
    for own in (3.0, None, 1.0):
        factories.upload(team, own_score=own)
    assert numbers(team, sort="own") == [3, 1, 2]


def test_pages(team):
    for page, found in ((1, [5, 4]), (2, [3, 2]), (3, [1]), (4, [1]), (99, [1])):
        made = listing.listing(team, Asked(page=page), per_page=2)
        assert [item.submission.number for item in made.items] == found
    assert made.links == [(1, "?"), (2, "?page=2"), (3, "?page=3")]
    assert (made.first, made.last, made.total) == (5, 5, 5)


def test_a_file_that_came_with_a_merge_stands_where_its_time_is(team, contest):
    other = factories.team(contest, "charlie")
    moved = factories.upload(other)
    early = team.submissions.get(number=1).accepted_at
    Submission.objects.filter(pk=moved.pk).update(team=team, number=6, accepted_at=early)
    Evaluation.objects.filter(submission=moved).update(team=team)
    assert numbers(team) == [5, 4, 3, 2, 6, 1]


def test_late_files_are_listed_apart(team):
    late = team.submissions.get(number=5)
    Submission.objects.filter(pk=late.pk).update(late=True)
    Evaluation.objects.filter(submission=late).update(late=True)
    assert numbers(team) == [4, 3, 2, 1]
    made = listing.listing(team, Asked(late=True))
    assert [item.submission.number for item in made.items] == [5]
    assert (made.all_total, made.late_total) == (4, 1)
    assert numbers(team, late=True, show="new") == [5], "late files have no such filter"
    assert [file.number for file in closing.effective_finals(team)] == [1, 2]


def test_an_address_comes_back_as_it_was_asked():
    for asked in (
        Asked(),
        Asked("new", "a b&c=d", "own", 3, late=True),
        Asked(query="ü?#", page=2),
    ):
        assert asking.read_back(asked.address) == asked
    assert Asked().address == "?"


@pytest.mark.parametrize(
    "text",
    ["page=-1", "page=0", "page=x", "page=99999999999", "sort=size", "page=\N{SUPERSCRIPT TWO}"],
)
def test_what_makes_no_sense_counts_as_not_asked(text):
    assert asking.read(QueryDict(text)) == Asked()


def test_a_query_is_cut_and_cleaned():
    asked = asking.read(QueryDict("q=a%00++b" + "x" * 100))
    assert asked.query.startswith("a bx")
    assert len(asked.query) < asking.QUERY_LENGTH


# ---- several final choices at once ----


def chosen(team) -> list[int]:
    return sorted(team.final_choices.values_list("submission__number", flat=True))


def test_a_choice_of_several_is_made_whole_or_not_at_all(contest):
    team, alice = factories.team(contest, "alice"), factories.user("alice")
    files = [factories.scored(team, 0.6, seed=seed).submission for seed in range(4)]
    closing.change_choice(team, files[:2], [], alice)
    assert chosen(team) == [1, 2]
    with pytest.raises(Refusal) as refused:
        closing.change_choice(team, files[2:4], files[:1], alice)
    assert refused.value.sentence == (
        "That makes 3 final files, and your team may have 2. Untick 1 more."
    )
    assert chosen(team) == [1, 2]
    closing.change_choice(team, files[2:4], files[:2], alice)
    assert chosen(team) == [3, 4]
    closing.withdraw(files[0], alice)
    with pytest.raises(Refusal, match="withdrawn"):
        closing.change_choice(team, files[:2], files[2:], alice)
    assert chosen(team) == [3, 4]


def test_a_choice_of_a_team_mate_made_meanwhile_stays(contest):
    team, alice = factories.team(contest, "alice", "bob"), factories.user("alice")
    files = [factories.scored(team, 0.6, seed=seed).submission for seed in range(3)]
    closing.choose(team, files[0], factories.user("bob"))
    closing.change_choice(team, [files[1]], [], alice)
    assert chosen(team) == [1, 2]
    with pytest.raises(Refusal):
        closing.change_choice(team, [files[2]], [], alice)


def test_nothing_is_chosen_after_the_close(contest):
    team = factories.team(contest, "alice")
    file = factories.scored(team).submission
    factories.end(contest)
    with pytest.raises(Refusal, match="closed on"):
        closing.change_choice(team, [file], [], factories.user("alice"))


def test_the_finals_of_many_files_take_few_queries(contest, django_assert_max_num_queries):
    team = factories.team(contest, "alice")
    for _ in range(6):
        factories.scored(team, 0.8)
    many(team, 300)
    with django_assert_max_num_queries(4):
        assert len(closing.effective_finals(team)) == 2


def many(team, count: int) -> None:
    """Copy the team's last file, so that it has this many more."""
    last = Evaluation.objects.filter(team=team).latest("pk")
    sent, now = last.submission, clock.now()
    begin = Submission.objects.filter(team=team).count()
    copies = [
        Submission(
            competition_id=sent.competition_id,
            team=team,
            number=begin + place,
            user=sent.user,
            original_name=f"copy{place}.csv",
            sha256=sent.sha256,
            size=sent.size,
            path=sent.path,
            accepted_at=now,
        )
        for place in range(1, count + 1)
    ]
    Submission.objects.bulk_create(copies)
    Evaluation.objects.bulk_create(
        Evaluation(
            submission=copy,
            solution_id=last.solution_id,
            team=team,
            release_settings_id=last.release_settings_id,
            status="rejected",
            problem={"code": "empty", "sentence": "Empty.", "problems": []},
            queued_at=now,
        )
        for copy in Submission.objects.filter(team=team, number__gt=begin)
    )
    assert Competition.objects.get(pk=sent.competition_id).submissions.count() >= count

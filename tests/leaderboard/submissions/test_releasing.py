"""What is told of a file: the words, the state of a team, and numbers that are never redrawn."""

import numpy as np
import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction

from leaderboard.audit import ledger
from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import keys, release_settings
from leaderboard.competitions.models import Competition
from leaderboard.submissions import grading, outcomes, queue, releasing
from leaderboard.submissions.models import Entry, Evaluation, Release, SealedScore, Status
from scoring import release as rules
from tests.leaderboard import factories

pytestmark = pytest.mark.db
NOISY = {"sigma_compare": "0.006", "sigma_value": "0.01"}


@pytest.fixture
def team():
    return factories.team(factories.competition(), "alice")


def told(evaluation: Evaluation) -> outcomes.Told:
    return outcomes.describe(Evaluation.objects.get(pk=evaluation.pk))


def test_the_words_of_a_team_on_its_way(team):
    Competition.objects.update(daily_limit=100)
    rule = release_settings.rule(release_settings.in_force(team.competition))
    capped = type(rule)(**{**rule.__dict__, "cap": 2})
    release_settings.change(team.competition, None, "custom", capped, "two")
    steps = [
        (0.52, "No new score", "public ring", "–", "not clearly above the start line, 0.50", 0),
        (0.80, "New score", "public", "0.80", "New score 0.80.", 1),
        (0.83, "No new score", "public ring", "–", "not clearly above your best, 0.80", 1),
        (0.90, "New score", "public", "0.90", "New score 0.90.", 2),
        (0.99, "New scores used up", "ring", "–", "Your new scores are used up.", 2),
    ]
    for seed, (right, word, pill, score, sentence, used) in enumerate(steps):
        said = told(factories.scored(team, right, seed=seed))
        assert (said.word, said.pill, said.score, said.used) == (word, pill, score, used)
        assert sentence in said.headline
        assert (said.cap, said.left, said.final) == (2, 2 - used, True)
    entry = Entry.objects.get()
    assert (entry.value, entry.reference, entry.used, entry.submissions) == (90, 90, 2, 5)


def test_the_words_before_and_beside_a_score(team):
    evaluation = factories.upload(team).evaluations.get()
    assert (told(evaluation).word, told(evaluation).final) == ("Queued", False)
    held = queue.claim(team.pk)
    assert told(held).word == "Scoring"
    Evaluation.objects.update(stage="reading")
    assert told(held).word == "Reading"
    Evaluation.objects.update(status=Status.NEEDS_ATTENTION)
    said = told(held)
    assert (said.word, said.final, said.score) == ("Failed on our side", True, "–")
    rejected = factories.scored(team, b"id,label\n1,yes\n")
    said = told(rejected)
    assert (said.word, said.pill) == ("Failed checks", "bad")
    assert said.headline.endswith("It did not use up a submission.")


def test_a_rejected_file_says_what_and_why_and_is_no_release(team):
    evaluation = factories.scored(team, factories.csv(factories.predictions()) + b"1,yes\n9,\n")
    assert evaluation.status == Status.REJECTED
    assert {problem["code"] for problem in evaluation.problem["problems"]} >= {"duplicate"}
    assert not Release.objects.exists()
    assert not Entry.objects.exists()
    assert LedgerEntry.objects.get(kind="rejected").payload.body["code"]


def test_under_sealed_a_file_is_received():
    team = factories.team(factories.competition(rule={"rule": "sealed"}))
    said = told(factories.scored(team, 0.9))
    assert (said.word, said.score, said.cap) == ("Received and valid", "–", None)
    assert Entry.objects.get().value is None


def test_under_exact_every_score_is_told():
    team = factories.team(factories.competition(rule={"rule": "exact", "grid": "0.000001"}))
    assert [told(factories.scored(team, right)).score for right in (0.9, 0.7)] == [
        "0.900000",
        "0.700000",
    ]
    assert Entry.objects.get().value == 900_000


def test_lower_is_better():
    contest = factories.competition(
        task=factories.NUMBERS,
        metric="root_mean_squared_error",
        rule={"start": "0.7"},
    )
    team = factories.team(contest)
    first, second = factories.scored(team, 0.64, seed=1), factories.scored(team, 0.84, seed=2)
    assert (told(first).score, told(second).score) == ("0.60", "0.40")
    assert Entry.objects.get().value == -40
    worse = told(factories.scored(team, 0.75, seed=3))
    assert "not clearly above your best, 0.40" in worse.headline


def test_the_same_predictions_again_cost_a_slot_and_no_new_score(team):
    first = factories.scored(team, 0.8)
    # Other bytes, same predictions: rows turned round.
    lines = factories.csv(factories.predictions()).decode().split()
    again = factories.scored(team, "\n".join([lines[0], *lines[:0:-1]]).encode())
    assert again.release.repeated
    assert (again.release.value, again.release.outcome) == (first.release.value, "released")
    assert again.sealed == first.sealed
    entry = Entry.objects.get()
    assert (entry.used, entry.submissions) == (1, 2)
    assert entry.reached_at == first.submission.accepted_at
    low = [factories.scored(team, 0.6, seed=9) for _ in range(2)]
    assert [evaluation.release.repeated for evaluation in low] == [False, True]
    assert low[1].release.previous == low[0].release.previous == 80


def test_another_team_is_judged_against_its_own_reference_on_the_same_numbers():
    contest = factories.competition(rule=NOISY)
    ahead, behind = factories.team(contest), factories.team(contest)
    factories.scored(ahead, 0.9, seed=1)
    first = factories.scored(ahead, 0.8, seed=2)
    second = factories.scored(behind, 0.8, seed=2)
    assert first.release.outcome == "no_change"
    assert second.release.outcome == "released"
    assert not second.release.repeated
    assert first.sealed == second.sealed
    assert SealedScore.objects.count() == 2
    assert Entry.objects.get(team=behind).used == 1


def test_files_that_differ_on_private_rows_alone_share_their_numbers_and_tell_no_split():
    contest = factories.competition(rule=NOISY)
    team = factories.team(contest)
    first = factories.scored(team, 0.8)
    assert first.release.outcome == "released"
    outcomes = {}
    for part, rows in (("private", ~factories.public()), ("public", factories.public())):
        values = factories.predictions()
        place = np.flatnonzero(rows)[0]
        values[place] = 1 - values[place]
        outcomes[part] = factories.scored(team, factories.csv(values))
    assert outcomes["private"].sealed == first.sealed
    assert outcomes["public"].sealed != first.sealed
    # One changed row looks the same wherever it is: no answer tells in which part a row lies.
    seen = {
        part: (told(one).headline, told(one).repeated, one.release.outcome)
        for part, one in outcomes.items()
    }
    assert seen["private"] == seen["public"]
    assert Entry.objects.get().used == 1


def test_a_worker_that_dies_before_its_commit_leaves_the_same_numbers(monkeypatch):
    contest = factories.competition(rule=NOISY)
    team = factories.team(contest)
    factories.upload(team)
    seen = []

    def die(evaluation, *rest):
        seen.append((evaluation.sealed.value, evaluation.sealed.compare_draw))
        raise SystemExit

    plain = releasing._record
    monkeypatch.setattr(releasing, "_record", die)
    held = queue.claim(team.pk)
    for _ in range(2):
        with pytest.raises(SystemExit):
            grading.grade(held)
        assert not SealedScore.objects.exists()
        assert not Entry.objects.exists()
    monkeypatch.setattr(releasing, "_record", plain)
    assert grading.grade(held)
    sealed = SealedScore.objects.get()
    assert seen == [(sealed.value, sealed.compare_draw)] * 2


def test_new_settings_do_not_redraw():
    contest = factories.competition(rule=NOISY)
    first = factories.scored(factories.team(contest), 0.8)
    rule = release_settings.rule(release_settings.in_force(contest))
    changed = type(rule)(**{**rule.__dict__, "sigma_value": "0.04"})
    release_settings.change(contest, None, "custom", changed, "noisier")
    second = factories.scored(factories.team(contest), 0.8)
    assert second.release.release_settings.version == 2
    assert (second.sealed, second.release.value) == (first.sealed, first.release.value)


def test_numbers_that_sealed_never_told_get_their_noise_when_the_rule_changes():
    contest = factories.competition(rule={"rule": "sealed", "grid": "0.01"})
    first = factories.scored(factories.team(contest), 0.8)
    quiet = first.sealed
    assert quiet.value == 80
    old = release_settings.rule(release_settings.in_force(contest))
    noisy = factories.GATE | {"rule": "gate", "sigma_value": "0.05", "sigma_compare": "0.006"}
    kept = {"low": old.low, "high": old.high, "standard_error": old.standard_error}
    gate = type(old)(**(noisy | kept))
    release_settings.change(contest, None, "custom", gate, "open")
    second = factories.scored(factories.team(contest), 0.8)
    metric_identity = rules.seal(
        gate,
        keys.noise_key(contest),
        (str(contest.uuid), 1, contest.metric, 1, second.sealed.digest),
        0.8,
    )
    assert second.sealed == quiet
    assert second.sealed.value == metric_identity.value


def test_a_new_score_below_the_best_is_shown_but_takes_nothing_away():
    team = factories.team(factories.competition(rule={"rule": "exact"}))
    high, low = factories.scored(team, 0.9), factories.scored(team, 0.6, seed=2)
    assert low.release.outcome == "released"
    entry = Entry.objects.get()
    assert entry.value == high.release.value
    assert entry.reached_at == high.submission.accepted_at
    assert entry.last_accepted_at == low.submission.accepted_at


def test_one_release_an_evaluation(team):
    evaluation = factories.scored(team)
    with pytest.raises(IntegrityError), transaction.atomic():
        Release.objects.create(
            evaluation=evaluation,
            release_settings=evaluation.release_settings,
            rule="gate",
            outcome="no_change",
            at=evaluation.finished_at,
        )


def test_the_board_has_a_new_version_with_each_scored_file(team):
    def version():
        return Competition.objects.get().board_version

    before = version()
    factories.scored(team, 0.8)
    assert version() == before + 1
    factories.scored(team, b"bad")
    assert version() == before + 1


def test_the_ledger_says_the_outcome_and_never_the_exact_score():
    team = factories.team(factories.competition(rule=NOISY), "alice")
    evaluation = factories.scored(team, 0.815)
    body = LedgerEntry.objects.get(kind="scored").payload.body
    assert body["outcome"] == "released"
    assert body["value"] == evaluation.release.value
    assert evaluation.sealed.exact == 0.815
    assert "0.815" not in str(body)
    assert evaluation.sealed.digest not in str(body)
    assert ledger.verify() == []


@pytest.mark.parametrize(
    "rule",
    [
        {"rule": "thresholdout", "sigma_compare": "0.01", "sigma_value": "0.01"},
        {
            "rule": "thresholdout_laplace",
            "tau": "0.24",
            "sigma_value": "0.01",
            "sigma_compare": "0.04",
            "extra": {"budget": 3},
        },
        {"rule": "ladder", "sigma_compare": "0", "sigma_value": "0"},
        {"rule": "rounded", "grid": "0.05"},
        {"rule": "gate_paired", "tau": "0.03", "sigma_compare": "0.003", "extra": {"c": "1.5"}},
        {"rule": "ladder_paired", "tau": "0", "sigma_value": "0.005"},
    ],
    ids=lambda rule: rule["rule"],
)
def test_every_rule_runs_and_its_entries_can_be_made_again(rule, capsys):
    contest = factories.competition(rule=rule, daily_limit=100)
    for team in (factories.team(contest), factories.team(contest)):
        for right in (0.6, 0.85, 0.85, 0.7, 0.95):
            evaluation = factories.scored(team, right, seed=round(100 * right))
            assert told(evaluation).word
    assert Release.objects.filter(outcome="released").exists()
    assert Release.objects.filter(repeated=True).exists()
    call_command("rebuild_entries", "--check")
    assert "0 entries differ" in capsys.readouterr().out
    kept = list(Entry.objects.order_by("team").values(*FIELDS))
    version = Competition.objects.get().board_version
    Entry.objects.filter(team=team).update(value=1, used=0, reference=None)
    call_command("rebuild_entries", contest.slug)
    assert "1 entries were made again" in capsys.readouterr().out
    assert list(Entry.objects.order_by("team").values(*FIELDS)) == kept
    assert Competition.objects.get().board_version == version + 1


FIELDS = ("team", "value", "reached_at", "reference", "used", "submissions", "last_accepted_at")


def test_the_entry_follows_the_rules_own_state():
    """The rule's own step, folded over what was sealed, agrees with every entry."""
    contest = factories.competition(rule=NOISY, daily_limit=100)
    team = factories.team(contest)
    rule = release_settings.rule(release_settings.in_force(contest))
    state = rules.initial(rule)
    for seed in range(12):
        evaluation = factories.scored(team, 0.5 + seed / 30, seed=seed)
        sealed = evaluation.sealed
        numbers = rules.Sealed(sealed.exact_fine, sealed.compare_draw, sealed.value)
        state, outcome = rules.step(rule, state, numbers)
        entry = Entry.objects.get()
        assert evaluation.release.outcome == outcome.kind
        assert (entry.reference, entry.used) == (state.reference, state.used)

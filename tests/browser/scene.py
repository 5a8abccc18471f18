"""A site with everything on it that has a page: what a person of each kind can open."""

from dataclasses import dataclass, field

from leaderboard.hosting.seeding import DEMO
from tests.browser.conftest import PASSWORD, person
from tests.person import Person
from tests.site import Site

LIVE, OVER = "late-out-of-new-york", "penguin-sex"
PEOPLE = ("hana", "alice", "bob", "charlie")
EVERYBODY = (
    *("/", "/?status=live", "/signin/", "/signup/", "/password/reset/", "/password/reset/sent/"),
    *("/password/reset/done/", "/password/reset/1-nothing/", "/account/confirm/"),
    *("/account/confirm/nothing/", "/account/inactive/"),
    *("/signin/cancelled/", "/signin/failed/", "/how-scores-work/", "/nowhere/", "/api/"),
)
ACCOUNT = (
    *("/account/", "/account/password/", "/account/email/", "/account/tokens/new/", "/notices/"),
    *("/account/again/", "/account/connections/", "/account/delete/"),
    # These ask for the password again first.
    *("/account/second-factor/", "/account/second-factor/app/", "/account/second-factor/codes/"),
)
TABS = ("", "data/", "rules/", "evaluation/", "announcements/", "leaderboard/")
TEAM = ("submit/", "check/", "submissions/", "submissions/final/", "team/", "leaderboard/compare/")
HOST = (
    *("host/", "host/release/", "host/release/?preset=sealed", "host/submissions/"),
    *("host/announce/", "host/settings/", "host/close/"),
)


@dataclass
class Scene:
    """Addresses by who opens them; `""` is somebody signed out."""

    pages: dict[str, list[str]] = field(default_factory=dict)


def build(site: Site) -> Scene:
    """Fill the site: one competition that runs and one that is over, with teams and files."""
    person(site, *PEOPLE)
    for folder in ("flights", "penguins-sex"):
        site.manage("load_competition", str(DEMO / folder))
    alice, bob = _joined(site, "alice"), _joined(site, "bob")
    _joined(site, "charlie")
    sent = [_file(alice, LIVE, number, content) for number, content in enumerate(_files(), 1)]
    bob.outcome(_file(bob, LIVE, 1, next(_files())))
    checked = alice.post(f"/c/{LIVE}/check/", files={"file": ("checked.csv", b"flight_id,late\n")})
    over = _file(alice, OVER, 1, _penguins())
    for path in (*sent, over):
        alice.outcome(path)
    bob.outcome(_file(bob, OVER, 1, _penguins()))
    made = site.python(ACTS)
    late = _file(alice, OVER, 2, _penguins())
    alice.outcome(late)
    home, past = f"/c/{LIVE}/", f"/c/{OVER}/"
    join = f"{home}team/join/{made['secret']}/"
    merge = f"{home}team/merge/{made['proposal']}/"
    teams = [f"{home}teams/{made['team']}/", f"{past}teams/{made['final_team']}/"]
    public = [home + tab for tab in TABS] + [f"{past}leaderboard/", f"{past}leaderboard/?set=late"]
    own = [f"{path}{act}/" for path in sent[:1] for act in ("note", "withdraw")]
    return Scene(
        {
            "": [*EVERYBODY, *public, *teams, join],
            "alice": [
                *ACCOUNT,
                *(home + page for page in TEAM),
                *(f"{past}submissions/", f"{past}submissions/?late=1", late, over),
                *sent,
                *own,
                *(checked.path, merge, join, "/notices/?kind=invitation"),
            ],
            "hana": [*(home + page for page in HOST), *(past + page for page in HOST), *teams],
        }
    )


def _joined(site: Site, name: str) -> Person:
    one = Person(site.url)
    one.sign_in(name, PASSWORD)
    for slug in (LIVE, OVER):
        one.post(f"/c/{slug}/join/", page=f"/c/{slug}/rules/")
    return one


def _files():
    """A good file, and one with faults."""
    yield (DEMO / "flights/submissions/30_holding-pattern.csv.gz").read_bytes()
    yield b"flight_id,late\n1,2\n"


def _penguins() -> bytes:
    return (DEMO / "penguins-sex/submissions/04_logreg.csv").read_bytes()


def _file(one: Person, slug: str, number: int, content: bytes) -> str:
    sent = one.upload(slug, f"file-{number}.csv", content, note=f"model {number}")
    assert "/submissions/" in sent.path, sent.text
    return sent.path


# Invitation and proposal, an announcement, and the second competition closed and revealed.
ACTS = f"""
import time
from django.contrib.auth import get_user_model
from leaderboard.competitions import announcing
from leaderboard.competitions.models import Competition
from leaderboard.submissions import closing, merging
from leaderboard.teams import inviting
from leaderboard.teams.models import Team

users = get_user_model().objects
hana, alice, bob, charlie = (users.get(username=name) for name in {PEOPLE!r})
live, over = (Competition.objects.get(slug=slug) for slug in {(LIVE, OVER)!r})
team = Team.objects.get(competition=live, members__user=alice)
rivals = Team.objects.get(competition=live, members__user=bob)
_, secret = inviting.invite_by_link(team, alice)
inviting.invite_by_name(rivals, "charlie", bob)
inviting.invite_by_name(rivals, "alice", bob)
proposal = merging.propose(rivals, team.name, bob)
announcing.announce(live, hana, "The data are complete", "All of **2013** is in the files.")
Competition.objects.filter(pk=over.pk).update(late_files=True)
closing.close(over, hana)
end = time.monotonic() + 60
while not Competition.objects.get(pk=over.pk).finals_ready_at:
    assert time.monotonic() < end, "the finals were not scored"
    time.sleep(0.2)
closing.reveal(over, hana)
final_team = Team.objects.get(competition=over, members__user=alice)
result = {{
    "secret": secret,
    "proposal": proposal.uuid,
    "team": rivals.uuid,
    "final_team": final_team.uuid,
}}
"""

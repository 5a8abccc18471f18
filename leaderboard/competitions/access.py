"""Who may do what: the only place that decides, as pure predicates over facts passed in."""

from dataclasses import dataclass

from leaderboard.competitions.models import State


@dataclass(frozen=True)
class Viewer:
    """What is known of the person who asks, in one competition."""

    user_id: int | None = None
    staff: bool = False
    host: bool = False
    participant: bool = False
    team_id: int | None = None
    disqualified: bool = False

    @property
    def signed_in(self) -> bool:
        return self.user_id is not None


PUBLIC_STATES = frozenset(State) - {State.DRAFT}
OPEN_DATA = frozenset({State.LIVE, State.CLOSING, State.FINAL_READY, State.REVEALED})


def may_manage(viewer: Viewer) -> bool:
    """Hosts and staff run a competition."""
    return viewer.host or viewer.staff


def may_see(viewer: Viewer, state: State) -> bool:
    """Anybody reads a published competition; a draft is its hosts' own."""
    return state in PUBLIC_STATES or may_manage(viewer)


def may_download(viewer: Viewer, state: State) -> bool:
    """Data files go to those who joined, once the competition is open, and to hosts."""
    return may_manage(viewer) or (viewer.participant and state in OPEN_DATA)


def may_join(viewer: Viewer, state: State) -> bool:
    """Signed-in people join before the close; a host would see too much to take part."""
    return (
        viewer.signed_in
        and not viewer.host
        and not viewer.participant
        and state in {State.UPCOMING, State.LIVE}
    )


def may_submit(viewer: Viewer, state: State, late_files: bool = False) -> bool:
    """Members of a team send files while the competition is live; late ones after the reveal."""
    takes = state == State.LIVE or (state == State.REVEALED and late_files)
    return viewer.team_id is not None and not viewer.disqualified and takes


def may_choose_finals(viewer: Viewer, state: State) -> bool:
    """Members choose final files until the close."""
    return viewer.team_id is not None and state == State.LIVE


def may_see_submission(viewer: Viewer, team_id: int) -> bool:
    """A file is its team's own and the hosts' to inspect."""
    return may_manage(viewer) or (viewer.team_id is not None and viewer.team_id == team_id)


def may_see_submission_bytes(viewer: Viewer, team_id: int) -> bool:
    """Only the team itself may download what it sent."""
    return viewer.team_id is not None and viewer.team_id == team_id


def sees_final(state: State) -> bool:
    """Private scores exist for nobody before the reveal, hosts included."""
    return state in {State.REVEALED, State.ARCHIVED}

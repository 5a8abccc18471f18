"""Boards for these tests: entries placed by hand, so that each value is known."""

from datetime import timedelta

from leaderboard.competitions import clock
from leaderboard.competitions.access import Viewer
from leaderboard.competitions.models import Baseline, Competition
from leaderboard.submissions.models import (
    Entry,
    Evaluation,
    FinalRun,
    FinalStanding,
    LateScore,
    Outcome,
    Release,
    SealedScore,
    Submission,
)
from leaderboard.teams.models import Team
from tests.leaderboard import factories

# Steps of 0.01 and a threshold of 0.05: values nearer than 5 steps are ties.
RESOLUTION = 5


def contest(**options) -> Competition:
    """A competition whose resolution is 0.05 on a grid of 0.01."""
    return factories.competition(**options)


def place(
    competition: Competition,
    values: dict[str, int | None],
    *,
    files: int = 2,
    hours_ago: float = 48,
) -> dict[str, Team]:
    """Put teams on the board with these values (None: not yet above the start line).

    Of equal values the one named first was reached first.
    """
    now = clock.now()
    teams = {}
    for index, (name, value) in enumerate(values.items()):
        team = factories.team(competition, name=name)
        reached = now - timedelta(hours=hours_ago) + timedelta(minutes=index)
        Entry.objects.create(
            competition=competition,
            team=team,
            value=value,
            reference=value,
            reached_at=None if value is None else reached,
            used=0 if value is None else 1,
            submissions=files,
            last_accepted_at=reached,
        )
        teams[name] = team
    return teams


def as_member(team: Team) -> Viewer:
    """Somebody of a team, as a page knows them."""
    person = team.members.first()
    return Viewer(user_id=person.user_id if person else 0, participant=True, team_id=team.pk)


def mark(competition: Competition, name: str, value: int, private: float | None = None) -> None:
    """Put a baseline on the board."""
    Baseline.objects.create(
        competition=competition, name=name, path="b", value=value, private_score=private
    )


def released(team: Team, hours_ago: float, value: int) -> Release:
    """Put a released score into a team's past."""
    at = clock.now() - timedelta(hours=hours_ago)
    number = team.submissions.count() + 1
    submission = Submission.objects.create(
        competition=team.competition,
        team=team,
        number=number,
        original_name="f.csv",
        sha256="0" * 64,
        size=1,
        path="p/q",
        accepted_at=at,
    )
    solution = team.competition.solutions.get()
    sealed = SealedScore.objects.create(
        solution=solution,
        digest=f"{submission.pk:064d}",
        exact=0.123456789,
        exact_fine=0,
        compare_draw=0,
        value=value,
    )
    settings = team.competition.release_settings.get()
    evaluation = Evaluation.objects.create(
        submission=submission,
        solution=solution,
        team=team,
        release_settings=settings,
        status="scored",
        sealed=sealed,
        queued_at=at,
        finished_at=at,
    )
    return Release.objects.create(
        evaluation=evaluation,
        release_settings=settings,
        rule="gate",
        outcome=Outcome.RELEASED,
        value=value,
        at=at,
    )


def finals(competition: Competition, rows: list[tuple], *, version: int = 1) -> FinalRun:
    """Make a final ranking of (team, place, score, public value, public place, first, last)."""
    run = FinalRun.objects.create(
        competition=competition, version=version, reason="", made_at=clock.now()
    )
    for team, at, score, public, public_at, first, last in rows:
        FinalStanding.objects.create(
            run=run,
            team=team,
            place=at,
            score=score,
            standard_error=0.0123 if score is not None else None,
            public_place=public_at,
            public_value=public,
            files=2,
            tied_first=first,
            tied_last=last,
        )
    return run


def reveal(competition: Competition) -> Competition:
    """Show the final ranking."""
    now = clock.now()
    Competition.objects.filter(pk=competition.pk).update(
        closes_at=now - timedelta(hours=2),
        finals_ready_at=now - timedelta(hours=1),
        revealed_at=now,
    )
    competition.refresh_from_db()
    return competition


def late(team: Team, score: float | None, hours_ago: float = 1) -> LateScore:
    """Put a file sent after the reveal, with its score on the private rows."""
    at = clock.now() - timedelta(hours=hours_ago)
    submission = Submission.objects.create(
        competition=team.competition,
        team=team,
        number=team.submissions.count() + 1,
        original_name="late.csv",
        sha256="0" * 64,
        size=1,
        path="p/q",
        late=True,
        accepted_at=at,
    )
    evaluation = Evaluation.objects.create(
        submission=submission,
        solution=team.competition.solutions.get(),
        team=team,
        release_settings=team.competition.release_settings.get(),
        status="scored",
        late=True,
        queued_at=at,
        finished_at=at,
    )
    return LateScore.objects.create(evaluation=evaluation, score=score)

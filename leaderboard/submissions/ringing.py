"""The bells of files and competitions; what is behind them stands in `tasks`."""

from django.conf import settings

from leaderboard.bell import ring

SCORE_NEXT = "submissions.score_next"
FINALISE = "submissions.finalise"
PUBLISH_SALTS = "submissions.publish_salts"
CHECK_FILE = "submissions.check_file"
DRAW_LOOK = "submissions.draw_look"
FORESEE = "hosting.outlook"


def score_next(team_id: int, hard_limit: int | None = None) -> bool:
    """Say that a team has a file to score; returns whether the bell was heard."""
    return ring(SCORE_NEXT, team_id, time_limit=hard_limit or settings.SCORING_HARD_LIMIT)


def finalise(competition_id: int) -> bool:
    """Say that a competition has closed and its queue is empty."""
    return ring(FINALISE, competition_id)


def publish_salts(competition_id: int) -> bool:
    """Say that a competition was revealed, so that its salts can be published."""
    return ring(PUBLISH_SALTS, competition_id)


def check_file(check_id: int, hard_limit: int | None = None) -> bool:
    """Say that a file waits to be read without being submitted."""
    return ring(CHECK_FILE, check_id, time_limit=hard_limit or settings.SCORING_HARD_LIMIT)


def draw_look(look_id: int) -> bool:
    """Say that a team asked for a look at one of its files."""
    return ring(DRAW_LOOK, look_id)


def foresee(question: str) -> bool:
    """Say that a host waits to see what settings would mean; `question` names them."""
    return ring(FORESEE, question)

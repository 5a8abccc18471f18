"""The bells of files and competitions; what is behind them stands in `tasks`."""

from django.conf import settings

from leaderboard.bell import ring

SCORE_NEXT = "submissions.score_next"
FINALISE = "submissions.finalise"
PUBLISH_SALTS = "submissions.publish_salts"
TELL_RESULTS = "submissions.tell_results"
CHECK_FILE = "submissions.check_file"
DRAW_LOOK = "submissions.draw_look"
FORESEE = "hosting.outlook"


def score_next(team_id: int, hard_limit: int | None = None, wait: int = 0) -> bool:
    """Say that a team has a file to score, or will have in `wait` seconds; whether it was heard."""
    later = {"countdown": wait} if wait else {}
    limit = hard_limit or settings.SCORING_HARD_LIMIT
    return ring(SCORE_NEXT, team_id, time_limit=limit, **later)


def finalise(competition_id: int) -> bool:
    """Say that a competition has closed and its queue is empty."""
    return ring(FINALISE, competition_id)


def publish_salts(competition_id: int) -> bool:
    """Say that a competition was revealed, so that its salts can be published."""
    return ring(PUBLISH_SALTS, competition_id)


def tell_results(announcement_id: int) -> bool:
    """Say that people wait to hear of their places in a final ranking."""
    return ring(TELL_RESULTS, announcement_id)


def check_file(check_id: int, hard_limit: int | None = None, wait: int = 0) -> bool:
    """Say that a file waits to be read without being submitted."""
    later = {"countdown": wait} if wait else {}
    limit = hard_limit or settings.SCORING_HARD_LIMIT
    return ring(CHECK_FILE, check_id, time_limit=limit, **later)


def draw_look(look_id: int) -> bool:
    """Say that a team asked for a look at one of its files."""
    return ring(DRAW_LOOK, look_id)


def foresee(question: str) -> bool:
    """Say that a host waits to see what settings would mean; `question` names them."""
    return ring(FORESEE, question)

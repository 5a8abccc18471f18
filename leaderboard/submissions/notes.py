"""What a team writes beside a file of its own: a note and its own score.

Neither is part of the record: they may be changed at any time, by any member, and the ledger does
not know them. Of two members who write at the same time the later one is kept.
"""

from leaderboard.submissions import intake, own_scores
from leaderboard.submissions.models import Submission
from leaderboard.teams.models import Team


def write(
    team: Team, submission: Submission, *, note: str, own_score: str | float | None
) -> Submission:
    """Set the note and the own score of a file of a team; raises Refusal for what is no number."""
    value = own_scores.parse(own_score)
    text = intake.printable(note, intake.NOTE_LENGTH)
    # The team in the condition: a file that a merge has moved meanwhile is another team's now.
    Submission.objects.filter(pk=submission.pk, team=team).update(note=text, own_score=value)
    submission.note, submission.own_score = text, value
    return submission

"""What the API takes and answers about files: sent, checked and looked at."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from leaderboard.api.schemas import Count, Number, Paged, Plain
from leaderboard.submissions import own_scores
from leaderboard.submissions.models import Outcome, Status, Submission

NOTE_LENGTH = Submission._meta.get_field("note").max_length
Note = Annotated[str, StringConstraints(max_length=NOTE_LENGTH)]
OwnScore = Annotated[Number, Field(strict=True, ge=-own_scores.LARGEST, le=own_scores.LARGEST)]


class Problem(Plain):
    """One kind of fault of a rejected file."""

    code: str
    title: str
    message: str
    count: int
    lines: list[int]
    cure: str
    example: str = Field(description="a line of Python that helps, where one does")


class Check(Plain):
    """A check that needs no labels; a warning never refuses a file."""

    code: str
    sentence: str
    warning: bool


class Waiting(Plain):
    """What stands before a file that is not scored yet."""

    position: int
    waiting: Count
    scoring: Count
    usual_seconds: Number


class SubmissionShort(Plain):
    """A file of your team."""

    uuid: UUID
    number: int
    file_name: str
    bytes: Count
    sha256: str
    sent_by: str | None
    accepted_at: datetime
    note: str
    own_score: Number | None = Field(description="your own validation score; no rule reads it")
    late: bool
    status: Status
    stage: str = Field(description="reading, checking or scoring while it is being scored")
    finished: bool = Field(description="whether nothing more changes by itself")
    outcome: Outcome | None
    score: Number | None = Field(description="the new score; null in every other case")
    word: str = Field(examples=["No new score"])
    sentence: str
    repeated: bool = Field(description="these predictions were sent before; the answer is the same")
    chosen: bool = Field(description="your team chose it as final")
    final: bool = Field(description="it would be scored on the private rows, chosen or by default")
    withdrawn: bool
    page: str


class SubmissionOut(SubmissionShort):
    """A file of your team with all that its page says."""

    problems: list[Problem]
    notices: list[str]
    checks: list[Check]
    milliseconds: dict[str, Number] = Field(description="what each stage took")
    finished_at: datetime | None
    queue: Waiting | None
    late_score: Number | None = Field(description="of a late file, on the private rows")
    look: Number | None = Field(description="a noisy score your team took a look at")


class Submissions(Paged):
    """Your team's files, the latest first."""

    items: list[SubmissionShort]


class Edit(Plain):
    """What may be changed of a file: what is left out stays as it is."""

    note: Note = ""
    own_score: OwnScore | None = None


class FileCheckOut(Plain):
    """A file that was only read: without labels, quota or score."""

    uuid: UUID
    file_name: str
    bytes: Count
    sha256: str
    created_at: datetime
    finished: bool
    valid: bool | None = Field(description="null while it is read, or where we failed")
    failed: bool = Field(description="reading failed on our side")
    rows: int | None
    sentence: str
    problems: list[Problem]
    notices: list[str]
    checks: list[Check]
    kept_until: datetime | None = Field(description="until when the checked file can be submitted")


class LookOut(Plain):
    """A noisy score of one file for your team alone."""

    submission: UUID
    drawn: bool
    value: Number | None
    asked_at: datetime
    looks_left: Count

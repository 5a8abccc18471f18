"""What the API takes and answers: nothing more than these fields, in either direction.

Scores are numbers with the decimals of the display grid; a score that nobody is told is null, never
0 and never left out.
"""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AllowInfNan, BaseModel, ConfigDict, Field

from leaderboard.competitions.models import Announcement, State

Number = Annotated[float, AllowInfNan(False)]
Count = Annotated[int, Field(ge=0)]


class Plain(BaseModel):
    """Exactly the fields named, nothing else."""

    model_config = ConfigDict(extra="forbid")


class Error(Plain):
    """Every error: a code for programs, a sentence for people, and details."""

    code: str = Field(description="what happened, from a closed list", examples=["not_found"])
    message: str = Field(description="a sentence that may be shown")
    details: dict[str, Any] = Field(description="what a program may want to know; often empty")


class Paged(Plain):
    """A page of a list."""

    page: int = Field(ge=1, description="this page, from 1")
    page_size: int = Field(ge=1, le=100)
    pages: int = Field(ge=1, description="how many pages there are")
    total: Count = Field(description="how many items all pages hold")


class CompetitionShort(Plain):
    """A competition in the list."""

    slug: str = Field(examples=["penguin-sex"])
    title: str
    tagline: str
    organiser: str
    state: State = Field(description="where it stands, by the database's clock")
    opens_at: datetime
    closes_at: datetime
    metric: str = Field(examples=["accuracy_score"])
    greater_is_better: bool
    teams: Count
    joined: bool = Field(description="whether you take part; false without a token")
    page: str = Field(description="address of its page")


class Competitions(Paged):
    """Competitions, those that close next first."""

    items: list[CompetitionShort]


class FileForm(Plain):
    """What a submission must look like."""

    header: str = Field(examples=["id,sex"])
    rows: Count
    values: str = Field(description="what may stand in the value columns, in words")
    kind: str = Field(examples=["label"])
    id_column: str
    value_columns: list[str]
    classes: list[str]


class Limits(Plain):
    """Limits of every team."""

    files_a_day: int
    files_in_all: int | None = Field(description="null: only the day has a limit")
    rejected_files_a_day: int
    upload_bytes: int
    unpacked_bytes: int
    team_size: int
    final_files: int


class Rule(Plain):
    """The release settings in force, as the Evaluation tab tells them."""

    version: int
    preset: str
    rule: str
    title: str
    sentence: str
    threshold: Number | None = Field(description="a new score needs a gain of more than this")
    noise: Number
    grid: Number
    resolution: Number = Field(description="differences of shown scores below this are ties")
    start_line: Number | None
    new_scores: int | None = Field(description="for each team; null: no limit")
    looks: Count


class Texts(Plain):
    """The host's pages, in Markdown."""

    overview: str
    data: str
    rules: str
    evaluation: str


class You(Plain):
    """What you may do in a competition now; all false without a token."""

    joined: bool
    host: bool
    may_join: bool
    may_submit: bool
    may_download: bool
    team: str | None


class Competition(CompetitionShort):
    """A competition with all that its pages say."""

    metric_title: str
    merge_deadline: datetime | None
    late_files: bool = Field(description="whether files are taken after the reveal, unranked")
    board_names: Literal["names", "pseudonyms", "own_row"]
    file: FileForm
    limits: Limits
    release: Rule | None
    pages: Texts
    you: You


class DataFile(Plain):
    """A file that participants download."""

    name: str = Field(examples=["train.csv"])
    description: str
    bytes: Count
    sha256: str
    rows: int | None
    columns: list[str]
    address: str = Field(description="where to download it, with a token of a participant")


class DataFiles(Plain):
    """All data files of a competition."""

    items: list[DataFile]


class AnnouncementOut(Plain):
    """What the host told everybody."""

    uuid: UUID
    kind: Announcement.Kind
    title: str
    text: str = Field(description="Markdown")
    created_at: datetime


class Announcements(Paged):
    """Announcements, the newest first."""

    items: list[AnnouncementOut]


class Accept(Plain):
    """Joining means accepting the rules."""

    accept_rules: Literal[True] = Field(description="you accept the competition's rules")


class Joined(Plain):
    """The team you are in since you joined."""

    team: UUID
    name: str


class Row(Plain):
    """A row of the board. `kind` says which: a team, a baseline, or a team without a score."""

    kind: Literal["team", "baseline", "unscored"]
    name: str
    team: UUID | None = Field(None, description="of a team; null for a baseline")
    score: Number | None
    low: Number | None = Field(description="the score's band: scores whose bands overlap are tied")
    high: Number | None
    place: int | None = Field(None, description="equal scores share a place")
    rank_first: int | None = Field(None, description="the places the team may really have")
    rank_last: int | None = None
    files: int | None = None
    members: int | None = None
    reached_at: datetime | None = None
    last_file_at: datetime | None = None
    start_line: bool = False
    yours: bool = False
    tied_with_you: bool = False


class Board(Paged):
    """A page of the public leaderboard, what the page in the browser shows."""

    set: Literal["public"]
    state: State
    names: Literal["names", "pseudonyms", "own_row"]
    rule: str
    resolution: Number
    ranked: Count = Field(description="teams with a score")
    unscored: Count = Field(description="teams with a scored file and no new score")
    tied_with_first: Count
    items: list[Row]
    you: Row | None = Field(description="your team's row, wherever it stands")
    your_page: int | None = Field(
        description="where your team stands: of the rows with a score, or of those without one"
    )


class FinalRow(Plain):
    """A row of the final ranking."""

    kind: Literal["team", "baseline", "unplaced", "disqualified"]
    name: str
    team: UUID | None = None
    place: int | None = None
    score: Number | None = Field(None, description="on the private rows; no noise")
    standard_error: Number | None = None
    not_separable_first: int | None = Field(
        None, description="the places that a paired test cannot separate from this one"
    )
    not_separable_last: int | None = None
    public_score: Number | None = None
    public_place: int | None = None
    files: int | None = None
    reason: str = ""
    yours: bool = False


class FinalBoard(Paged):
    """A page of the final ranking."""

    set: Literal["final"]
    state: State
    names: Literal["names", "pseudonyms", "own_row"]
    version: int
    revealed_at: datetime | None
    not_separable_from_first: Count
    items: list[FinalRow]
    you: FinalRow | None


class LateRow(Plain):
    """A team's best file of those sent after the reveal."""

    name: str
    team: UUID
    score: Number = Field(description="on the private rows; no noise")
    files: Count
    last_file_at: datetime
    final_place: int | None
    yours: bool


class LateBoard(Paged):
    """A page of the late files: no places."""

    set: Literal["late"]
    state: State
    names: Literal["names", "pseudonyms", "own_row"]
    items: list[LateRow]


class Quota(Plain):
    """Files of today (UTC), and of the whole competition."""

    limit: Count
    used: Count
    left: Count
    resets_at: datetime = Field(description="when today's count begins again")
    rejected_used: Count
    rejected_limit: Count
    total_limit: int | None
    total_used: Count


class NewScores(Plain):
    """How many new scores the team has used; limit null: no limit."""

    used: Count
    limit: int | None
    left: int | None


class MemberOut(Plain):
    """A person in your team."""

    user_name: str
    owner: bool
    joined_at: datetime


class TeamOwn(Plain):
    """Your own team."""

    uuid: UUID
    name: str
    members: list[MemberOut]
    created_at: datetime
    disqualified: bool
    reason: str
    quota: Quota
    new_scores: NewScores
    looks_left: Count
    finals_chosen: Count
    best: Number | None = Field(description="the best new score")
    rank_first: int | None
    rank_last: int | None
    page: str


class Reached(Plain):
    """A new score of a team, since when."""

    at: datetime
    score: Number


class TeamPublic(Plain):
    """What everybody may read of a team."""

    uuid: UUID
    name: str
    members: list[str] | None = Field(description="user names; null where names are not shown")
    files: Count
    score: Number | None
    place: int | None
    rank_first: int | None
    rank_last: int | None
    reached: list[Reached] = Field(description="its new scores, the best so far each time")
    last_file_at: datetime | None
    disqualified: bool
    reason: str
    page: str


class Taking(Plain):
    """A competition you take part in, with what is left of today."""

    slug: str
    title: str
    state: State
    closes_at: datetime
    team: UUID
    team_name: str
    quota: Quota
    new_scores: NewScores


class Me(Plain):
    """Who you are, and where you take part."""

    user_name: str
    competitions: list[Taking]
    calls_a_minute: int

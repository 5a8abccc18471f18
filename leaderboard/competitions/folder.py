"""A competition in a folder: read competition.json and the files it names, and name every fault."""

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

import jsonschema
from django.conf import settings

from scoring import metrics
from scoring.errors import BadSolution
from scoring.metrics.base import Metric
from scoring.task import Task

SCHEMA = json.loads(Path(__file__).with_name("competition.schema.json").read_text(encoding="utf-8"))
PAGES = ("overview", "data", "rules", "evaluation")
RELATIVE = re.compile(r"([+-]\d+)([dh])\Z")


class BrokenFolder(Exception):
    """A folder that cannot become a competition; `faults` names everything that is wrong."""

    def __init__(self, faults: list[str]):
        super().__init__("\n".join(faults))
        self.faults = faults


@dataclass(frozen=True)
class BaselineFile:
    """A baseline of the folder."""

    name: str
    path: Path
    start_line: bool = False


@dataclass(frozen=True)
class PublishedFile:
    """A file that participants may download."""

    path: Path
    description: str = ""
    columns: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Folder:
    """What a folder says, checked for form but not yet tried."""

    description: dict
    task: Task
    metric: Metric
    opens_at: datetime
    closes_at: datetime
    solution: Path
    sample: Path
    baselines: tuple[BaselineFile, ...]
    files: tuple[PublishedFile, ...]
    pages: dict[str, str]


def read(place: Path, now: datetime) -> Folder:
    """Read a folder; `now` is what relative dates count from. Raises BrokenFolder."""
    description = _description(place)
    faults: list[str] = []
    task, metric = _task_and_metric(description, faults)
    opens_at, closes_at = _dates(description["dates"], now, faults)
    solution = _file(place, description.get("solution", "solution.csv"), "solution", faults)
    sample_name = description.get("sample_submission", "sample_submission.csv")
    sample = _file(place, sample_name, "sample submission", faults)
    baselines = tuple(
        BaselineFile(
            name=baseline["name"],
            path=_file(place, baseline["file"], f"baseline '{baseline['name']}'", faults),
            start_line=baseline.get("start_line", False),
        )
        for baseline in description.get("baselines", ())
    )
    files = tuple(
        PublishedFile(
            _file(place, file["file"], "data file", faults),
            file.get("description", ""),
            file.get("columns", {}),
        )
        for file in description.get("files", ())
    )
    _check_names(baselines, files, sample, solution, faults)
    seconds = description.get("quotas", {}).get("seconds", 1)
    if seconds >= settings.SCORING_LEASE:
        faults.append(
            f"competition.json, quotas.seconds: {seconds} must be below the lease of "
            f"{settings.SCORING_LEASE} seconds; SCORING_LEASE raises it."
        )
    pages = {page: _page(place, description, page, faults) for page in PAGES}
    if faults:
        raise BrokenFolder(faults)
    return Folder(
        description,
        task,
        metric,
        opens_at,
        closes_at,
        solution,
        sample,
        baselines,
        files,
        pages,
    )


def _description(place: Path) -> dict:
    path = place / "competition.json"
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BrokenFolder([f"{place} has no competition.json."]) from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise BrokenFolder([f"competition.json is not JSON: {error}."]) from None
    validator = jsonschema.Draft202012Validator(SCHEMA)
    found = sorted(validator.iter_errors(description), key=lambda error: list(map(str, error.path)))
    if found:
        raise BrokenFolder([_said(error) for error in found])
    return description


def _said(error: jsonschema.ValidationError) -> str:
    where = ".".join(str(part) for part in error.path) or "the top level"
    hint = error.schema.get("description", "") if isinstance(error.schema, dict) else ""
    return f"competition.json, {where}: {error.message}." + (f" Expected: {hint}." if hint else "")


def _task_and_metric(description: dict, faults: list[str]) -> tuple[Task | None, Metric | None]:
    task = metric = None
    try:
        task = Task.from_dict(description["task"])
    except BadSolution as error:
        faults += [f"competition.json, task: {problem}" for problem in error.problems]
    try:
        metric = metrics.get(description["metric"])
    except BadSolution as error:
        faults += [f"competition.json, metric: {problem}" for problem in error.problems]
    return task, metric


def _dates(dates: dict, now: datetime, faults: list[str]) -> tuple[datetime, datetime]:
    zone = dates.get("zone", "UTC")
    if zone not in available_timezones():
        faults.append(
            f"competition.json, dates.zone: there is no time zone '{zone}'. "
            "Use an IANA name such as Europe/Berlin."
        )
        zone = "UTC"
    made = [
        _instant(dates[name], name, ZoneInfo(zone), now, faults) for name in ("opens", "closes")
    ]
    if made[0] >= made[1] and not faults:
        faults.append("competition.json, dates: the competition closes before it opens.")
    return made[0], made[1]


def _instant(text: str, name: str, zone: ZoneInfo, now: datetime, faults: list[str]) -> datetime:
    relative = RELATIVE.match(text)
    try:
        if relative:
            unit = {"d": "days", "h": "hours"}[relative[2]]
            return now + timedelta(**{unit: int(relative[1])})
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo else at.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        faults.append(f"competition.json, dates.{name}: '{text}' is no date ({error}).")
        return now


def _file(place: Path, name: str, what: str, faults: list[str]) -> Path:
    path = place / name
    if not path.is_file():
        faults.append(f"The {what} '{name}' is not there.")
    elif not path.stat().st_size:
        faults.append(f"The {what} '{name}' is empty.")
    return path


def _check_names(baselines, files, sample: Path, solution: Path, faults: list[str]) -> None:
    names = [baseline.name for baseline in baselines]
    faults += [
        f"Two baselines have the name '{name}'." for name in set(names) if names.count(name) > 1
    ]
    if sum(baseline.start_line for baseline in baselines) > 1:
        faults.append("More than one baseline is marked as start line.")
    published = [file.path.name for file in files] + [sample.name]
    faults += [
        f"Two data files have the name '{name}'."
        for name in set(published)
        if published.count(name) > 1
    ]
    if any(
        file.path.exists() and file.path.samefile(solution) for file in files if solution.exists()
    ):
        faults.append("The solution is listed among the data files: everybody could download it.")


def _page(place: Path, description: dict, page: str, faults: list[str]) -> str:
    named = description.get("pages", {}).get(page)
    path = place / (named or f"{page}.md")
    if not path.is_file():
        if named:
            faults.append(f"The page '{named}' is not there.")
        return ""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        faults.append(f"The page '{path.name}' is not UTF-8 text.")
        return ""

"""A competition in a folder: read competition.json and the files it names, and name every fault."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

import jsonschema
from django.conf import settings

from leaderboard.competitions import store
from scoring import metrics
from scoring.errors import BadSolution
from scoring.metrics.base import Metric
from scoring.task import Task

SCHEMA = json.loads(Path(__file__).with_name("competition.schema.json").read_text(encoding="utf-8"))
PAGES = ("overview", "data", "rules", "evaluation")
NUL = "\0"
RELATIVE = re.compile(r"([+-]\d+)([dh])\Z")


class BrokenFolder(Exception):
    """A folder that cannot become a competition; `faults` names everything that is wrong."""

    def __init__(self, faults: list[str]):
        super().__init__("\n".join(faults))
        self.faults = faults


@dataclass(frozen=True)
class Place:
    """A folder, and the one that its files may not lie outside of."""

    folder: Path
    within: Path

    def holds(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self.within)


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
    merge_deadline: datetime | None
    solution: Path
    sample: Path
    baselines: tuple[BaselineFile, ...]
    files: tuple[PublishedFile, ...]
    pages: dict[str, str]


def read(
    place: Path,
    now: datetime,
    within: Path | None = None,
    also: Callable[[dict], list[str]] | None = None,
) -> Folder:
    """Read a folder; `now` is what relative dates count from. Raises BrokenFolder.

    No file that it names may lie outside of it, or outside of `within`: what a description names is
    published. `also` is asked for faults that only the site can see.
    """
    description = _description(place)
    faults: list[str] = also(description) if also else []
    place = Place(place, (within or place).resolve())
    task, metric = _task_and_metric(description, faults)
    opens_at, closes_at, merge_deadline = _dates(description["dates"], now, faults)
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
        merge_deadline,
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
    if "\\u0000" in json.dumps(description):
        raise BrokenFolder(["competition.json holds a NUL character (\\u0000). Remove it."])
    validator = jsonschema.Draft202012Validator(SCHEMA)
    found = sorted(validator.iter_errors(description), key=lambda error: list(map(str, error.path)))
    if found:
        raise BrokenFolder([_said(error) for error in found])
    return description


def _said(error: jsonschema.ValidationError) -> str:
    where = ".".join(str(part) for part in error.path) or "the top level"
    # What an object is for helps nobody whose object lacks a field.
    hint = error.schema.get("description", "") if error.validator != "required" else ""
    told = error.message
    if error.validator == "pattern":
        told = f"{error.instance!r} cannot be used"
    return f"competition.json, {where}: {told}." + (f" Expected: {hint.rstrip('.')}." * bool(hint))


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


def _dates(
    dates: dict, now: datetime, faults: list[str]
) -> tuple[datetime, datetime, datetime | None]:
    zone = dates.get("zone", "UTC")
    if zone not in available_timezones():
        faults.append(
            f"competition.json, dates.zone: there is no time zone '{zone}'. "
            "Use an IANA name such as Europe/Berlin."
        )
        zone = "UTC"
    opens, closes, merges_end = (
        _instant(dates[name], name, ZoneInfo(zone), now, faults) if name in dates else None
        for name in ("opens", "closes", "merges_end")
    )
    if opens >= closes and not faults:
        faults.append("competition.json, dates: the competition closes before it opens.")
    if merges_end and not opens < merges_end <= closes and not faults:
        faults.append("competition.json, dates.merges_end: must lie between opening and close.")
    return opens, closes, merges_end


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


def _file(place: "Place", name: str, what: str, faults: list[str]) -> Path:
    path = place.folder / name
    if not place.holds(path):
        faults.append(f"The {what} '{name}' lies outside the folder, or is a link that leads out.")
    elif not path.is_file():
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
    faults += [
        f"The data file '{name}' cannot be offered under this name. Use letters, digits, dots, - "
        "and _, and begin with a letter or a digit."
        for name in published
        if not store.SAFE_NAME.match(name)
    ]
    offered = [file.path for file in files] + [sample]
    if solution.exists() and any(path.exists() and path.samefile(solution) for path in offered):
        faults.append(
            "The solution is named as the sample submission or among the data files: everybody "
            "could download it."
        )


def _page(place: Place, description: dict, page: str, faults: list[str]) -> str:
    named = description.get("pages", {}).get(page)
    name = named or f"{page}.md"
    path = place.folder / name
    if not named and not path.exists():
        return ""
    if not place.holds(path):
        faults.append(f"The page '{name}' lies outside the folder, or is a link that leads out.")
        return ""
    if not path.is_file():
        faults.append(f"The page '{name}' is not there.")
        return ""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        text = NUL
    if NUL in text:
        # UTF-16 without a mark reads as UTF-8 with a NUL behind each letter.
        faults.append(f"The page '{path.name}' is not UTF-8 text.")
        return ""
    return text

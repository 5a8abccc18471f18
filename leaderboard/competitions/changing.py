"""Dates and limits of a competition: what may still change, in words, recorded and announced.

What people rely on is fixed once a competition is open: limits only rise, the board only becomes
more reserved, the close keeps a notice of a day. A change touches the fields that it names and
nothing else, so no file, score or count that stands can be lost by it.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Count, Max

from leaderboard.audit import ledger
from leaderboard.competitions import announcing, clock
from leaderboard.competitions.models import Announcement, Competition, State

LABELS = {
    "opens_at": "Opens",
    "closes_at": "Closes",
    "merge_deadline": "Invitations and merges end",
    "daily_limit": "Files a day",
    "total_limit": "Files in all",
    "rejected_limit": "Rejected files a day",
    "packed_limit": "Largest file",
    "unpacked_limit": "Largest file, unpacked",
    "max_team_size": "Members of a team",
    "finals_count": "Final choices of a team",
    "board_names": "Who sees which rows",
    "late_files": "Late files",
}
DATES = ("opens_at", "closes_at", "merge_deadline")
# Once a competition is open these may only rise; None is more than any number.
RISING = (
    "daily_limit",
    "total_limit",
    "rejected_limit",
    "packed_limit",
    "unpacked_limit",
    "max_team_size",
    "finals_count",
)
# The most of each, as in competition.json.
MOST = {
    "daily_limit": 100_000,
    "total_limit": 1_000_000,
    "rejected_limit": 100_000,
    "packed_limit": 4096 << 20,
    "unpacked_limit": 4096 << 20,
    "max_team_size": 1000,
    "finals_count": 20,
}
SIZES = frozenset({"packed_limit", "unpacked_limit"})
RESERVED = list(Competition.BoardNames)
# Who moves a date towards now leaves people at least this long.
LEAST_NOTICE = timedelta(hours=24)
# Those who chose no final file are reminded this long before the close.
REMIND_BEFORE = timedelta(hours=48)
ON_THE_BOARD = frozenset({"opens_at", "closes_at", "board_names", "late_files"})
UNTOUCHED = "Files already sent, scores and counts stay as they are."
STALE = (
    "Somebody else changed these settings while this page was open. The values in force are shown "
    "below; make your change again."
)


class Refused(Exception):
    """A change is refused; `problems` has a sentence for each field ("" where for none)."""

    def __init__(self, problems: dict[str, str]):
        super().__init__(" ".join(problems.values()))
        self.problems = problems


@dataclass(frozen=True)
class Line:
    """One change in words."""

    name: str
    label: str
    before: str
    after: str


def changeable(competition: Competition, now: datetime) -> frozenset[str]:
    """Return the fields that may change in the present state."""
    state = competition.state(now)
    if state in (State.DRAFT, State.UPCOMING):
        return frozenset(LABELS)
    if state == State.LIVE:
        return frozenset(LABELS) - {"opens_at"}
    if state in (State.CLOSING, State.FINAL_READY):
        return frozenset({"board_names", "late_files"})
    return frozenset({"late_files"}) if state == State.REVEALED else frozenset()


def differing(competition: Competition, wanted: dict) -> dict:
    """Return the wanted values that are others than the present ones."""
    return {name: value for name, value in wanted.items() if getattr(competition, name) != value}


def problems(competition: Competition, wanted: dict, now: datetime) -> dict[str, str]:
    """Return a sentence for each wanted value that cannot be."""
    changed = differing(competition, wanted)
    allowed = changeable(competition, now)
    found = {name: "This cannot change any more." for name in changed if name not in allowed}
    opened = competition.opens_at <= now
    for name in RISING:
        if name in changed and name in allowed:
            fault = _number_fault(competition, name, changed[name], opened)
            found |= {name: fault} if fault else {}
    if opened and "board_names" in changed and _opens_up(competition, changed["board_names"]):
        found["board_names"] = (
            "Once a competition is open its board can only show less: teams joined under the "
            "present rule."
        )
    return found | _date_faults(competition, changed, allowed, now)


def change(
    competition: Competition, by, wanted: dict, reason: str, seen: str = "", zone: str = "UTC"
) -> Announcement:
    """Change dates and limits, write it into the ledger and announce it with old and new values.

    `wanted` are values by field name, `zone` the IANA name that the host's dates are told in
    beside UTC, `seen` the stamp() of the values that the host looked at. Raises Refused.
    """
    with transaction.atomic():
        # No close can pass by while this is decided: intake locks the same row.
        locked = Competition.objects.select_for_update(no_key=True).get(pk=competition.pk)
        now = clock.now()
        if seen and seen != stamp(locked):
            raise Refused({"": STALE})
        changed = differing(locked, wanted)
        found = problems(locked, wanted, now)
        if not reason.strip():
            found["reason"] = "Write a reason: the participants read it beside the change."
        if not changed:
            found[""] = "Nothing was changed."
        if found:
            raise Refused(found)
        said = lines(locked, changed, zone)
        before = {name: getattr(locked, name) for name in changed}
        _apply(locked, changed, now)
        kind = Announcement.Kind.DATES if _dates(changed) else Announcement.Kind.RULE
        title = _title(before, changed)
        ledger.append(
            "dates and limits changed",
            locked.uuid,
            {
                "before": before,
                "after": changed,
                "reason": reason.strip(),
                "by": getattr(by, "pk", None),
            },
            at=now,
        )
        return announcing.record(locked, by, kind, title, _text(said, reason), at=now)


def stamp(competition: Competition) -> str:
    """Return a name of the present values: another one once any of them has changed."""
    values = ledger.plain({name: getattr(competition, name) for name in LABELS})
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:32]


def lines(competition: Competition, changed: dict, zone: str = "UTC") -> list[Line]:
    """Return each change in words."""
    return [
        Line(
            name,
            LABELS[name],
            words(name, getattr(competition, name), zone),
            words(name, changed[name], zone),
        )
        for name in LABELS
        if name in changed
    ]


def words(name: str, value, zone: str = "UTC") -> str:
    """Say a value the way announcements and pages print it."""
    if name in DATES:
        return instant(value, zone) if value else "at the close"
    if name == "board_names":
        return Competition.BoardNames(value).label
    if name == "late_files":
        return "taken after the results, never ranked" if value else "not taken"
    if name in SIZES:
        return f"{value / 2**20:,.4g} MiB"
    return "no limit" if value is None else f"{value:,}"


def instant(at: datetime, zone: str = "UTC") -> str:
    """Print an instant in UTC, and in a named zone where that is another one."""
    text = f"{at.astimezone(UTC):%-d %b %Y, %H:%M} UTC"
    if zone == "UTC":
        return text
    return f"{text} ({at.astimezone(ZoneInfo(zone)):%-d %b %Y, %H:%M} {zone})"


def remind_at(competition: Competition) -> datetime:
    """Return when those who chose no final file are reminded: two days before the close.

    Half-way where the competition is shorter than four days: at its opening nobody has a file.
    """
    lasts = competition.closes_at - competition.opens_at
    return competition.closes_at - min(REMIND_BEFORE, lasts / 2)


def _apply(locked: Competition, changed: dict, now: datetime) -> None:
    fields = set(changed)
    for name, value in changed.items():
        setattr(locked, name, value)
    if "closes_at" in changed and remind_at(locked) > now:
        locked.reminded_at = None
        fields.add("reminded_at")
    if fields & ON_THE_BOARD:
        locked.board_version += 1
        fields.add("board_version")
    locked.save(update_fields=fields)


def _number_fault(competition: Competition, name: str, value: int | None, opened: bool) -> str:
    present = getattr(competition, name)
    if value is None:
        return "" if name == "total_limit" else "A number is needed."
    if not 1 <= value <= MOST[name]:
        return f"From {words(name, 1 << 20 if name in SIZES else 1)} to {words(name, MOST[name])}."
    if opened and (present is None or value < present):
        return (
            f"It is {words(name, present)} now and can only rise: what teams were promised at the "
            "opening holds."
        )
    if name == "max_team_size":
        largest = _largest_team(competition)
        if value < largest:
            return f"There is a team of {largest} members already."
    return ""


def _largest_team(competition: Competition) -> int:
    sizes = competition.teams.annotate(size=Count("members"))
    return sizes.aggregate(most=Max("size"))["most"] or 0


def _opens_up(competition: Competition, wanted: str) -> bool:
    return RESERVED.index(wanted) < RESERVED.index(competition.board_names)


def _date_faults(competition, changed: dict, allowed: Iterable[str], now) -> dict[str, str]:
    """Return what is wrong with the dates, each as it would be beside the others."""
    wanted = {name: changed.get(name, getattr(competition, name)) for name in DATES}
    moved = {name for name in DATES if name in changed and name in allowed}
    found = {}
    for name in sorted(moved):
        if wanted[name] and wanted[name] <= now:
            found[name] = "This instant has passed. Choose one that lies ahead."
        elif name != "opens_at" and _too_near(competition, name, wanted[name], now):
            found[name] = (
                "A date can be moved towards now by so much that 24 hours are left, not further: "
                f"{instant(now + LEAST_NOTICE)} or later."
            )
    opens, closes, merge = wanted["opens_at"], wanted["closes_at"], wanted["merge_deadline"]
    if moved and closes <= opens:
        found.setdefault("closes_at", "The close must come after the opening.")
    if moved and merge and not opens < merge <= closes:
        found.setdefault(
            "merge_deadline",
            "It must lie between opening and close; leave it empty for the close itself.",
        )
    return found


def _too_near(competition: Competition, name: str, wanted: datetime | None, now) -> bool:
    """Whether a date comes earlier than it was and within the least notice."""
    if wanted is None:
        return False
    present = getattr(competition, name) or competition.closes_at
    return wanted < present and wanted < now + LEAST_NOTICE


def _dates(changed: dict) -> bool:
    return any(name in changed for name in DATES)


def _title(before: dict, changed: dict) -> str:
    if "closes_at" in changed:
        way = "later" if changed["closes_at"] > before["closes_at"] else "earlier"
        return f"The close is {way}: {instant(changed['closes_at'])}"
    if _dates(changed):
        return "Dates changed"
    return "Limits changed" if set(changed) <= set(RISING) else "Rules changed"


def _text(said: list[Line], reason: str) -> str:
    listed = "\n".join(f"- **{line.label}:** {line.before} → {line.after}" for line in said)
    return f"{listed}\n\nReason: {reason.strip()}\n\n{UNTOUCHED}"

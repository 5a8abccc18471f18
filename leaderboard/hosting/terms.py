"""The form of dates and limits: what a host types, in a named zone, as values of a competition."""

import functools
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, available_timezones

from django import forms

from leaderboard.competitions import changing
from leaderboard.competitions.models import Competition
from leaderboard.submissions.intake import printable

LONGEST_REASON = 300
MIB = 2**20
# As a browser's field for date and time writes and wants it.
TYPED = "%Y-%m-%dT%H:%M"
HINTS = {
    "merge_deadline": "Empty: at the close.",
    "daily_limit": "Of a team, and of each person in it; a day begins at 00:00 UTC.",
    "total_limit": "Of a team before the close. Empty: no limit.",
    "rejected_limit": "Files that cannot be read cost none of the others.",
    "finals_count": "The best of them is the final score.",
    "packed_limit": "MiB, as it is sent.",
    "unpacked_limit": "MiB, after unpacking.",
}
NUMBERS = (
    "daily_limit",
    "total_limit",
    "rejected_limit",
    "max_team_size",
    "finals_count",
    "packed_limit",
    "unpacked_limit",
)


@functools.cache
def zones() -> tuple[str, ...]:
    """Return UTC and the zones that people live in; the machine's list is read once."""
    regions = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe")
    regions += ("Indian", "Pacific")
    return ("UTC", *sorted(z for z in available_timezones() if z.split("/")[0] in regions))


class Terms(forms.Form):
    """Dates and limits of a competition; what cannot change any more is no field of it.

    A field that still holds what was shown keeps its exact value: the seconds of a date are not
    shown, and who chooses another zone has not moved a date yet.
    """

    def __init__(self, competition: Competition, now: datetime, data=None):
        self.competition = competition
        self.allowed = changing.changeable(competition, now)
        self.zone_name, data = self._shown(data)
        super().__init__(data)
        if self.allowed & set(changing.DATES):
            self.fields["zone"] = forms.ChoiceField(
                label="Time zone of the dates", choices=[(z, z) for z in zones()], initial="UTC"
            )
        for name in changing.DATES:
            if name in self.allowed:
                self.fields[name] = _date(name, getattr(competition, name), self.zone_name)
        for name in NUMBERS:
            if name in self.allowed:
                self.fields[name] = _number(name, getattr(competition, name))
        if "board_names" in self.allowed:
            self.fields["board_names"] = forms.ChoiceField(
                label=changing.LABELS["board_names"],
                choices=Competition.BoardNames.choices,
                initial=competition.board_names,
                widget=forms.RadioSelect,
            )
        if "late_files" in self.allowed:
            self.fields["late_files"] = forms.BooleanField(
                label="Take late files after the results: scored, shown apart, never ranked",
                required=False,
                initial=competition.late_files,
            )
        self.fields["reason"] = forms.CharField(
            label="Reason, shown to participants",
            max_length=LONGEST_REASON,
            error_messages={
                "required": "Write a reason: the participants read it beside the change."
            },
        )

    def clean(self) -> dict:
        """Add the exact instants of the dates; a date that cannot be is an error of its field."""
        cleaned = super().clean()
        zone = cleaned.get("zone", "UTC")
        for name in changing.DATES:
            if name in self.fields and name in cleaned:
                try:
                    cleaned[name] = self._instant(name, cleaned[name], zone)
                except forms.ValidationError as fault:
                    self.add_error(name, fault)
        if "reason" in cleaned:
            cleaned["reason"] = printable(cleaned["reason"], LONGEST_REASON)
        return cleaned

    def wanted(self) -> dict:
        """Return the values that could be read, by field name, sizes in bytes."""
        read = self.cleaned_data
        made = {
            name: read[name] for name in changing.LABELS if name in self.fields and name in read
        }
        for name in changing.SIZES & made.keys():
            present = getattr(self.competition, name)
            # A limit that is no whole number of MiB is shown rounded.
            same = made[name] == _mib(present)
            made[name] = present if same else made[name] * MIB
        return made

    def dates(self) -> list[forms.BoundField]:
        return self._bound(changing.DATES)

    def numbers(self) -> list[forms.BoundField]:
        return self._bound(NUMBERS)

    def fixed(self) -> list[tuple[str, str]]:
        """Return label and words of everything that cannot change any more."""
        return [
            (label, changing.words(name, getattr(self.competition, name)))
            for name, label in changing.LABELS.items()
            if name not in self.allowed
        ]

    def _bound(self, names) -> list[forms.BoundField]:
        return [self[name] for name in names if name in self.fields]

    def _shown(self, data) -> tuple[str, dict | None]:
        """Return the zone, and what was sent with the dates left alone shown in that zone."""
        if data is None:
            return "UTC", None
        known = zones()
        before, zone = (
            sent if (sent := data.get(name, "UTC")) in known else "UTC"
            for name in ("shown_zone", "zone")
        )
        shown = data.copy()
        for name in changing.DATES:
            present = getattr(self.competition, name)
            if data.get(name) == typed_as(present, before):
                shown[name] = typed_as(present, zone)
        return zone, shown

    def _instant(self, name: str, typed: datetime | None, zone: str) -> datetime | None:
        present = getattr(self.competition, name)
        if typed is None:
            return None
        # The form's field has taken it for an instant in UTC.
        typed = typed.replace(tzinfo=None)
        if typed.strftime(TYPED) == typed_as(present, zone):
            return present
        return aware(typed, zone)


def typed_as(at: datetime | None, zone: str) -> str:
    """Return an instant as the field for date and time holds it, in a zone."""
    return at.astimezone(ZoneInfo(zone)).strftime(TYPED) if at else ""


def aware(typed: datetime, zone: str) -> datetime:
    """Return the instant of a local time; ValidationError for one that is none or two."""
    first = typed.replace(tzinfo=ZoneInfo(zone))
    found = first.astimezone(UTC)
    if found.astimezone(ZoneInfo(zone)).replace(tzinfo=None) != typed:
        raise forms.ValidationError(
            f"The clocks of {zone} skip this time on that day. Choose another one."
        )
    if first.utcoffset() != first.replace(fold=1).utcoffset():
        raise forms.ValidationError(
            f"The clocks of {zone} show this time twice on that day. Choose another one, or UTC."
        )
    return found


def _mib(size: int) -> int:
    return max(round(size / MIB), 1)


def _date(name: str, present: datetime | None, zone: str) -> forms.Field:
    now = f"Now {changing.words(name, present, zone)}." if present else ""
    return forms.DateTimeField(
        label=changing.LABELS[name],
        help_text=f"{now} {HINTS.get(name, '')}".strip(),
        required=name != "merge_deadline",
        initial=typed_as(present, "UTC"),
        input_formats=[TYPED, "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"],
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=TYPED),
        error_messages={"invalid": "This is no date with a time, such as 2027-01-31 23:59."},
    )


def _number(name: str, present: int | None) -> forms.Field:
    scale = MIB if name in changing.SIZES else 1
    return forms.IntegerField(
        label=changing.LABELS[name],
        help_text=HINTS.get(name, ""),
        required=name != "total_limit",
        initial=_mib(present) if scale == MIB else present,
        min_value=1,
        max_value=changing.MOST[name] // scale,
        widget=forms.NumberInput(attrs={"class": "num"}),
    )

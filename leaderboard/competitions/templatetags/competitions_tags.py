"""How times, states, sizes and organisers' texts are printed."""

from datetime import UTC, datetime, timedelta, timezone

from django import template
from django.utils.html import format_html

from leaderboard.competitions import markdown as texts
from leaderboard.competitions import notices
from leaderboard.competitions.models import State
from scoring import metrics

register = template.Library()

PILLS = {
    State.DRAFT: ("warn", "Draft"),
    State.UPCOMING: ("soon", "Upcoming"),
    State.LIVE: ("live", "Live"),
    State.CLOSING: ("warn", "Closed, files are still being scored"),
    State.FINAL_READY: ("warn", "Closed, results follow"),
    State.REVEALED: ("private", "Final"),
    State.ARCHIVED: ("", "Archived"),
}
DAY = timedelta(days=1)
ANYWHERE = timedelta(hours=12)
# The ruler's frame, in its own units.
LEFT, RIGHT, BASE = 4.0, 316.0, 16
MOST_TICKS = 100


@register.filter
def instant(at: datetime | None, local: str = "after") -> str:
    """Print an instant in UTC; a script adds the reader's own time after it or as its title."""
    if at is None:
        return ""
    at = at.astimezone(UTC)
    return format_html(
        '<time datetime="{}" data-local="{}">{}</time>', _machine(at), local, _long(at)
    )


@register.filter
def everywhere(at: datetime) -> str:
    """Print an instant to pass on: in UTC, and anywhere on earth, where a day ends last."""
    last = at.astimezone(timezone(-ANYWHERE))
    return f"{_long(at.astimezone(UTC))} = {last:%-d %b %Y, %H:%M} anywhere on earth (UTC\u221212)"


@register.filter
def brief(at: datetime, now: datetime) -> str:
    """Print an instant for a narrow column: the time today, else the day and the time."""
    at = at.astimezone(UTC)
    text = f"{at:%H:%M} UTC" if at.date() == now.astimezone(UTC).date() else f"{at:%-d %b, %H:%M}"
    return format_html(
        '<time datetime="{}" title="{}" data-local="title">{}</time>',
        _machine(at),
        _long(at),
        text,
    )


@register.filter
def day(at: datetime | None) -> str:
    """Print a day: 14 Dec 2026."""
    return f"{at.astimezone(UTC):%-d %b %Y}" if at else ""


@register.filter
def short_day(at: datetime | None) -> str:
    """Print a day without its year: 14 Dec."""
    return f"{at.astimezone(UTC):%-d %b}" if at else ""


@register.simple_tag
def countdown(at: datetime, now: datetime) -> str:
    """Print how long it is until an instant; a script keeps it fresh."""
    return format_html(
        '<time datetime="{}" data-countdown>{}</time>', _machine(at), time_left(at - now)
    )


def time_left(span: timedelta) -> str:
    """Say a span in its two largest units: 14 d 10 h, 9 h 14 min, 3 min."""
    seconds = max(int(span.total_seconds()), 0)
    days, hours, minutes = seconds // 86_400, seconds // 3_600 % 24, seconds // 60 % 60
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if seconds >= 60 else "less than 1 min"


@register.filter
def pill(state: str) -> str:
    """Print the state of a competition as a pill: sign and word."""
    kind, word = PILLS[State(state)]
    return format_html('<span class="pill {}">{}</span>', kind, word)


@register.filter
def count(number: int | None) -> str:
    """Print a whole number with commas."""
    return "–" if number is None else f"{number:,}"


@register.filter
def size(number: int) -> str:
    """Print bytes the way a download's size is read: 301 MB, 7.2 MB, 41 kB."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if number >= unit:
            value = number / unit
            return f"{value:.0f} {name}" if value >= 10 else f"{value:.1f} {name}"
    return f"{number} bytes"


@register.filter
def limit(number: int) -> str:
    """Print a limit in powers of 1,024, as limits are set: 64 MiB."""
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if number >= unit:
            return f"{number / unit:g} {name}"
    return f"{number} bytes"


@register.filter
def markdown(text: str, first: int = texts.FIRST) -> str:
    """Print an organiser's text, its highest heading of a level."""
    return texts.render(text, first)


@register.filter
def plain(text: str) -> str:
    """Print an organiser's text without its marks."""
    return texts.plain(text)


@register.simple_tag
def unread_notices(user) -> int:
    """Return how many notices a signed-in person has not read."""
    return notices.unread(user)


@register.filter
def metric(name: str) -> metrics.Metric:
    """Return the descriptor of a metric."""
    return metrics.get(name)


@register.filter
def digest(text: str) -> str:
    """Print the ends of a hexadecimal digest, in fours."""
    return f"{text[:4]} {text[4:8]} … {text[-8:-4]} {text[-4:]}"


@register.inclusion_tag("competitions/_ruler.html")
def ruler(competition, now: datetime) -> dict:
    """Draw the time from opening to close: a tick a day, a long one a week, a bar for now."""
    span = competition.closes_at - competition.opens_at
    step = next(
        (s for s in (timedelta(hours=1), DAY, 7 * DAY, 28 * DAY) if span / s <= MOST_TICKS),
        364 * DAY,
    )
    every = {timedelta(hours=1): 24, DAY: 7, 7 * DAY: 4}.get(step, 13)
    ticks = [(_place(i * step / span), i % every == 0) for i in range(int(span / step) + 1)]
    share = min(max((now - competition.opens_at) / span, 0.0), 1.0)
    return {
        "ticks": ticks,
        "done": _place(share) if share > 0 else None,
        "now": _place(share) if 0 < share < 1 else None,
        "off": share >= 1,
    }


def _place(share: float) -> str:
    return f"{LEFT + (RIGHT - LEFT) * share:.1f}"


def _machine(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _long(at: datetime) -> str:
    return f"{at:%-d %b %Y, %H:%M} UTC"

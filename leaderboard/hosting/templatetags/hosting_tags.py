"""The header of the host pages."""

from decimal import Decimal

from django import template

from leaderboard.competitions.telling import plain, two_digits
from leaderboard.submissions.models import Submission
from leaderboard.teams.templatetags.teams_tags import header_facts, team_count
from scoring import release
from scoring.release.units import MINUS

register = template.Library()


@register.inclusion_tag("hosting/_header.html", takes_context=True)
def host_header(context, competition) -> dict:
    """Draw title, the host's facts and the tabs; `queue` is taken from the page's context."""
    return {
        **header_facts(context, competition),
        "active": "host",
        "queue": context["queue"],
        "team_count": team_count(competition),
        "submission_count": Submission.objects.filter(competition=competition).count(),
    }


@register.filter
def seconds(number: float) -> str:
    """Print seconds the way one says them: 0.4 s, 12 s, 3 min."""
    if number < 10:
        return f"{number:.1f} s"
    return f"{number:.0f} s" if number < 120 else f"{number / 60:.0f} min"


@register.filter
def span(wait) -> str:
    """Print a timedelta as seconds or minutes."""
    return seconds(wait.total_seconds()) if wait is not None else "–"


@register.filter
def at(mapping: dict | None, key: str):
    """Return what a mapping holds under a name, None where it holds nothing or there is none."""
    return mapping.get(key) if mapping else None


@register.filter
def amount(number: float) -> str:
    """Print a gain with its sign, to two digits that mean something: +0.0022."""
    return f"{MINUS if number < 0 else '+'}{two_digits(abs(number))}"


@register.filter
def words(text: str) -> list[str]:
    """Return the words of a text, to go through a fixed list of names."""
    return text.split()


@register.filter
def recommended(told, name: str) -> str:
    """Return what is recommended for a setting, with its size in standard errors."""
    settings = told.settings
    if name not in release.get(settings.rule).parameters:
        return ""
    if name == "tau":
        return f"{told.tau} ({told.factor} SE)"
    if name == "sigma_value":
        return f"{told.sigma} (half an SE)" if settings.rule == "gate" else told.sigma
    if name == "sigma_compare":
        share = told.compare_share
        return f"{told.sigma_compare} ({share})" if share else told.sigma_compare
    if name == "cap":
        return str(settings.cap) if settings.cap else "no limit"
    if name == "looks":
        return str(settings.looks)
    return str(settings.extra.get(name, ""))


@register.filter
def slider(settings, name: str) -> dict | None:
    """Return the ends of a setting's slider: from a part of the ruler to a few of it."""
    most = {"tau": 6, "sigma_value": 2}.get(name)
    if most is None or not settings.standard_error:
        return None
    step = settings.grid / 20
    least = {"tau": settings.grid, "sigma_value": step}[name]
    top = Decimal(repr(settings.standard_error)) * most
    top = (top / step).to_integral_value() * step
    return {"least": plain(least), "most": plain(max(top, 2 * least)), "step": plain(step)}

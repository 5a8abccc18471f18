"""What pages of other apps show of the standings, and how a board's texts are printed."""

from datetime import UTC, datetime, timedelta

from django import template
from django.utils.html import format_html

from leaderboard.competitions import access, clock, release_settings
from leaderboard.competitions.access import Viewer
from leaderboard.standings import drawing, final, slope
from leaderboard.standings.field import entries, frozen_at, ladder, rank_band
from leaderboard.standings.names import NOBODY, Naming
from leaderboard.submissions.models import FinalStanding
from scoring import release

register = template.Library()


@register.inclusion_tag("standings/_rank_fact.html", takes_context=True)
def rank_band_fact(context, competition) -> dict:
    """Draw the header's fact about the viewer's team: rank band, or final rank after the reveal.

    Nothing without a team or a score; `viewer` and `state` come from the header's context.
    """
    team_id = context["viewer"].team_id
    if team_id is None:
        return {}
    if access.sees_final(context["state"]):
        run = final.newest_run(competition)
        standing = FinalStanding.objects.filter(
            run=run, team_id=team_id, team__disqualified_at=None
        ).first()
        return {"final": standing.place if standing else None}
    return {"band": rank_band(competition, team_id)}


@register.filter
def band(ends: tuple[int, int]) -> str:
    """Print a rank band: 5–14."""
    return slope.span(*ends)


@register.filter
def rank(row) -> str:
    """Print the rank band of a row, an en dash without one."""
    return slope.span(row.first, row.last) if row.first else "\N{EN DASH}"


@register.filter
def ago(at: datetime | None, now: datetime, said: str = "") -> str:
    """Print how long ago something was; a script keeps it fresh."""
    if at is None:
        return ""
    text = age(now - at)
    return format_html(
        '<time datetime="{}" data-age="{}">{}</time>',
        f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        said,
        f"{text} {said}" if said and text != "now" else text,
    )


@register.filter
def in_words(at: datetime | None, now: datetime) -> str:
    """Print how long ago something was, where no column says what the span is: 3 h ago."""
    return ago(at, now, "ago")


def age(span: timedelta) -> str:
    """Say a span in one unit: 22 min, 3 h, 9 d."""
    minutes = max(int(span.total_seconds() // 60), 0)
    if minutes < 1:
        return "now"
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // 1440} d"


@register.simple_tag
def score_scale(competition, values, settings) -> drawing.Scale | None:
    """Return the scale on which a list of scores is drawn with `score_band`."""
    return drawing.scale(values, release.resolution_steps(settings), settings)


@register.inclusion_tag("standings/_axis.html")
def score_axis(scale) -> dict:
    """Draw the labels of a scale."""
    return {"ticks": drawing.ticks(scale)}


@register.inclusion_tag("standings/_score_band.html")
def score_band(scale, value) -> dict:
    """Draw a score with half the resolution to each side; nothing without a score."""
    return {"band": scale.band(value) if scale and value is not None else None}


@register.inclusion_tag("standings/_axis.html")
def score_axis_ticks(ticks) -> dict:
    """Draw the labels of a scale that are known already."""
    return {"ticks": ticks}


@register.inclusion_tag("standings/_score_band.html")
def score_mark(drawn) -> dict:
    """Draw a score that is placed already."""
    return {"band": drawn}


@register.inclusion_tag("standings/_score_band.html", takes_context=True)
def score_on_board(context, competition, value) -> dict:
    """Draw a score between the start line and the leader; nothing without a score."""
    return _on_board(competition, value, _viewer(context))


@register.inclusion_tag("standings/_team_score.html", takes_context=True)
def team_score(context, competition) -> dict:
    """Draw the public score of the viewer's team; nothing without one, or after the reveal."""
    team_id = context["viewer"].team_id
    if team_id is None or access.sees_final(context["state"]):
        return {}
    entry = entries(competition).filter(team_id=team_id).first()
    if entry is None or entry.value is None:
        return {}
    on_board = _on_board(competition, entry.value, context["viewer"])
    return {"competition": competition, **on_board}


def _viewer(context) -> Viewer:
    """Who looks, as far as the page knows it: nobody in particular where it does not say."""
    visit = context.get("visit")
    return context.get("viewer") or (visit.viewer if visit else NOBODY)


def _on_board(competition, value: int | None, viewer: Viewer) -> dict:
    """Place a value on a scale from the start line to the leader, where others may be seen."""
    if value is None:
        return {}
    at = frozen_at(competition, clock.now())
    settings = release_settings.rule(release_settings.in_force(competition, at))
    counted = ladder(competition, release.resolution_steps(settings))
    alone = Naming(competition, viewer).own_only
    best = value if counted.best is None or alone else counted.best
    start = release.steps(settings, settings.start)
    scale = drawing.scale([value, best, start], counted.resolution, settings)
    edge = best - counted.resolution
    return {
        "score": drawing.score_text(settings, value),
        "band": scale.band(value),
        "lead_x": scale.x(edge) if scale.inside(edge) and not alone else None,
    }


@register.simple_tag
def ties(competition) -> str:
    """Say which differences are ties."""
    settings = release_settings.rule(release_settings.in_force(competition, clock.now()))
    amount = drawing.amount_text(settings, release.resolution_steps(settings))
    return f"Differences under {amount} are ties."


@register.filter
def sent(at: datetime, now: datetime) -> str:
    """Print when a file was sent, short: the time today, else the day; the rest as a title."""
    at = at.astimezone(UTC)
    text = f"{at:%H:%M}" if at.date() == now.astimezone(UTC).date() else f"{at:%-d %b}"
    return format_html(
        '<time datetime="{}" data-local="title" title="{}">{}</time>',
        f"{at:%Y-%m-%dT%H:%M:%SZ}",
        f"{at:%-d %b %Y, %H:%M} UTC",
        text,
    )

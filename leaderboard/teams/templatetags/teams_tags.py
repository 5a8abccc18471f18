"""The header of a competition's pages: facts, tabs and the one thing to do next."""

from django import template

from leaderboard.competitions import clock
from leaderboard.competitions.models import Host
from leaderboard.competitions.viewers import look
from leaderboard.teams import inviting, viewers
from leaderboard.teams.models import Member, Team

register = template.Library()


@register.inclusion_tag("teams/_header.html", takes_context=True)
def competition_header(context, competition, active: str = "") -> dict:
    """Draw title, facts and tabs of a competition.

    `active` is overview, data, rules, evaluation, leaderboard, submissions, submit, team or empty.
    A `visit` in the page's context is used, else one is made.
    """
    return {
        **header_facts(context, competition),
        "active": active,
        "team_count": team_count(competition),
    }


def team_count(competition) -> int:
    """Return how many teams take part."""
    return competition.teams.filter(disqualified_at=None, merged_into=None).count()


def header_facts(context, competition) -> dict:
    """Return what the header and the tabs need, for this and for later apps' headers."""
    request = context["request"]
    visit = context.get("visit")
    if visit is None or visit.competition != competition:
        visit = look(request.user, competition)
    if visit.viewer.signed_in and visit.viewer.team_id is None:
        visit = viewers.joined(visit, request.user)
    return {
        "request": request,
        "user": request.user,
        "competition": competition,
        "visit": visit,
        "viewer": visit.viewer,
        "state": visit.state,
        "now": visit.now,
    }


@register.inclusion_tag("teams/_your_team.html", takes_context=True)
def your_team(context, competition) -> dict:
    """Draw the viewer's own team and open invitations; nothing for who has neither."""
    facts = header_facts(context, competition)
    team_id = facts["viewer"].team_id
    team = Team.objects.filter(pk=team_id).first() if team_id else None
    signed_in = facts["viewer"].signed_in
    return {
        **facts,
        "team": team,
        "members": team.members.count() if team else 0,
        "waiting": inviting.waiting(facts["user"], competition) if signed_in else (),
    }


@register.simple_tag(takes_context=True)
def with_team(context):
    """Return what is known of the viewer, the team included: for pages that know none."""
    return viewers.joined(context["visit"], context["request"].user).viewer


@register.inclusion_tag("teams/_joined.html", takes_context=True)
def joined_competitions(context) -> dict:
    """Draw what the viewer takes part in or hosts, the latest close first."""
    user, now = context["request"].user, clock.now()
    members = Member.objects.filter(user=user).select_related("team", "competition")
    hosts = Host.objects.filter(user=user).select_related("competition")
    rows = [{"competition": m.competition, "member": m, "hosted": False} for m in members]
    rows += [{"competition": h.competition, "member": None, "hosted": True} for h in hosts]
    for row in rows:
        row["state"] = row["competition"].state(now)
    return {"rows": sorted(rows, key=lambda row: row["competition"].closes_at, reverse=True)}

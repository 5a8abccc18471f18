"""What pages of earlier apps show of a team's files."""

from django import template

from leaderboard.submissions import closing, reminding, showing
from leaderboard.teams.models import Team

register = template.Library()


@register.inclusion_tag("submissions/_new_scores_fact.html", takes_context=True)
def new_scores_used(context, competition) -> dict:
    """Draw how many new scores the viewer's team has used; nothing where they are not counted."""
    team_id = context["viewer"].team_id
    if team_id is None:
        return {}
    team = Team.objects.get(pk=team_id)
    return {"new_scores": showing.new_scores(team, competition, context["now"])}


@register.inclusion_tag("submissions/_list_banner.html", takes_context=True)
def final_choice_banner(context, competition, active: str = "") -> dict:
    """Remind a team that has chosen no final file of the close, in its last two days.

    Nothing on My submissions, which says the same in its own place.
    """
    team_id, now = context["viewer"].team_id, context["now"]
    if team_id is None or active == "submissions" or not reminding.near(competition, now):
        return {}
    team = reminding.teams_without_choice(competition).filter(pk=team_id).first()
    if team is None:
        return {}
    return {
        "competition": competition,
        "now": now,
        "defaults": closing.effective_finals(team),
    }

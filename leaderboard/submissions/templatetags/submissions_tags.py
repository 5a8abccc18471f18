"""What pages of earlier apps show of a team's files."""

from django import template

from leaderboard.submissions import showing
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

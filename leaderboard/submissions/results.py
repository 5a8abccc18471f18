"""What each person hears at the reveal: the place of the own team in the final ranking."""

from django.urls import reverse

from leaderboard.competitions import announcing
from leaderboard.competitions.models import Announcement, Notice, Participant
from leaderboard.submissions.models import FinalRun, FinalStanding
from leaderboard.teams.models import Member, Team

OPEN = "the results are open"


def untold() -> list[int]:
    """Return the announcements of results that not every participant has heard of."""
    waiting = Announcement.objects.filter(kind=Announcement.Kind.RESULTS, delivered_at=None)
    return list(waiting.values_list("pk", flat=True))


def tell(announcement_id: int, seconds: float = announcing.SECONDS) -> bool:
    """Leave a notice of the own place with every participant; returns whether it is done.

    Again after a fall it goes on where it stopped: a person has one notice of it.
    """
    announcement = Announcement.objects.select_related("competition").get(pk=announcement_id)
    competition = announcement.competition
    run = FinalRun.objects.filter(competition=competition).order_by("-version").first()
    ranked = FinalStanding.objects.filter(
        run=run, place__isnull=False, team__disqualified_at=None
    ).count()
    address = reverse("leaderboard", args=[competition.slug])

    def told(people: list[Participant]) -> list[Notice | None]:
        members = Member.objects.filter(
            competition=competition, user__in=[person.user_id for person in people]
        )
        teams = {member.user_id: member.team for member in members.select_related("team")}
        places = FinalStanding.objects.filter(run=run, team__in=set(teams.values()))
        standings = {standing.team_id: standing for standing in places}
        made = []
        for person in people:
            team = teams.get(person.user_id)
            title, text = words(team, team and standings.get(team.pk), ranked)
            made.append(announcing.notice_of(announcement, person, title, text, address))
        return made

    return announcing.each(announcement, told, seconds)


def words(team: Team | None, standing: FinalStanding | None, ranked: int) -> tuple[str, str]:
    """Return title and text for the members of a team, as the final page shows its place."""
    if team is None:
        return OPEN, "The final ranking stands on the leaderboard."
    if team.disqualified_at:
        return OPEN, f"Your team {team.name} was disqualified and has no place."
    if standing is None:
        return OPEN, f"Your team {team.name} had no scored file and has no place."
    if standing.place is None:
        return OPEN, (
            f"No final file of your team {team.name} has a score on the private rows, so it has "
            "no place."
        )
    text = f"Your team {team.name} has final place {standing.place} of {ranked}."
    if standing.tied_first is not None and standing.tied_first != standing.tied_last:
        text += (
            f" A paired test cannot separate the places {standing.tied_first} to "
            f"{standing.tied_last}."
        )
    return f"final place {standing.place} of {ranked}", text

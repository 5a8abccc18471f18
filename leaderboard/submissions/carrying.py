"""What people take along from teams they left: the new scores used there, and the reference.

A team has used at least as many new scores as each of its members took part in, in whatever team.
So a person who goes from team to team comes to no more of them than one who stays.
"""

from django.db.models import F

from leaderboard.submissions.models import Entry, Submission
from leaderboard.teams.models import Departure, Member, Team


def begin(team: Team) -> Entry:
    """Return the entry, not saved, of a team before its first scored file."""
    return Entry(
        competition_id=team.competition_id,
        team=team,
        used=team.carried_used,
        reference=team.carried_reference,
    )


def standing(team: Team) -> tuple[int, int | None]:
    """Return (new scores used, reference) of a team, whether or not it has a scored file."""
    entry = Entry.objects.filter(team=team).first() or begin(team)
    return entry.used, entry.reference


def raise_used(team: Team, least: int) -> None:
    """Let a team have used at least so many new scores; under the competition's lock."""
    missing = least - standing(team)[0]
    if missing > 0:
        Team.objects.filter(pk=team.pk).update(carried_used=F("carried_used") + missing)
        Entry.objects.filter(team=team).update(used=F("used") + missing)


def charge_departed(team: Team, sent: Submission, raised: int | None = None) -> None:
    """Count a new score for those too who left while its file was waiting to be scored.

    `raised` is the reference that it set; the team of one that a person went into then has it too.
    """
    for gone in Departure.objects.filter(team=team, left_at__gt=sent.accepted_at):
        gone.used += 1
        if raised is not None and (gone.reference is None or raised > gone.reference):
            gone.reference = raised
        gone.save(update_fields=("used", "reference"))
        member = (
            Member.objects.select_related("team")
            .filter(competition=team.competition_id, user=gone.user_id)
            .first()
        )
        if member:
            raise_used(member.team, gone.used)
            if raised is not None and member.joined_at == gone.left_at:
                _raise_reference(member.team, raised, team)


def _raise_reference(team: Team, least: int, origin: Team) -> None:
    reference = standing(team)[1]
    if reference is None or least > reference:
        Team.objects.filter(pk=team.pk).update(carried_reference=least, carried_from=origin)
        Entry.objects.filter(team=team).update(reference=least)


def origins(team: Team) -> list[int]:
    """Return the teams one of whose files set a team's reference.

    The team itself, those its reference was carried from, and those that took one of them in.
    """
    found, open_ends = [], [team]
    while open_ends:
        one = open_ends.pop()
        if one is not None and one.pk not in found:
            found.append(one.pk)
            open_ends += [one.carried_from, one.merged_into]
    return found

"""Two days before the close: teams that have a scored file and chose no final one are reminded."""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse

from leaderboard.accounts.models import User
from leaderboard.competitions import changing, clock, notices
from leaderboard.competitions.models import Competition, Notice, State
from leaderboard.submissions.models import Evaluation, Status
from leaderboard.submissions.refusals import instant
from leaderboard.teams.models import Team


def teams_without_choice(competition: Competition) -> QuerySet[Team]:
    """Return the teams that have a file to choose and have chosen none.

    A team with one choice knows that it can choose; one that left a place open may have meant it.
    """
    scored = Evaluation.objects.filter(
        team=OuterRef("pk"),
        status=Status.SCORED,
        late=False,
        submission__withdrawal__isnull=True,
    )
    return Team.objects.filter(
        Exists(scored),
        competition=competition,
        disqualified_at=None,
        merged_into=None,
        final_choices=None,
    )


def near(competition: Competition, now: datetime) -> bool:
    """Whether the close of a live competition is near enough to speak of it on its pages."""
    return competition.state(now) == State.LIVE and changing.remind_at(competition) <= now


def due() -> list[int]:
    """Return the live competitions whose teams are to be reminded now."""
    now = clock.now()
    waiting = Competition.objects.filter(
        published_at__isnull=False, opens_at__lte=now, closes_at__gt=now, reminded_at=None
    )
    return [found.pk for found in waiting if changing.remind_at(found) <= now]


def remind(competition_id: int) -> int:
    """Leave a notice with the members of teams without a choice; returns with how many, once.

    All in one transaction with the mark that it was done, so that a fall reminds nobody twice.
    """
    with transaction.atomic():
        locked = Competition.objects.select_for_update(no_key=True).get(pk=competition_id)
        now = clock.now()
        if (
            locked.reminded_at
            or locked.state(now) != State.LIVE
            or changing.remind_at(locked) > now
        ):
            return 0
        told = 0
        for people in _batches(locked):
            told += len(
                notices.tell(
                    people,
                    Notice.Kind.DEADLINE,
                    f"{locked.title}: choose your final files",
                    words(locked),
                    reverse("submissions", args=[locked.slug]),
                    locked,
                )
            )
        locked.reminded_at = now
        locked.save(update_fields=("reminded_at",))
    return told


def words(competition: Competition) -> str:
    """Say what happens at the close to a team that has chosen nothing."""
    most = competition.finals_count
    few, taken = (
        ("a file", "the file of your last new score is taken, else your latest scored one.")
        if most == 1
        else (
            f"up to {most} files",
            "the file of your last new score and your latest scored ones are taken.",
        )
    )
    return (
        f"The competition closes on {instant(competition.closes_at)} and your team has chosen no "
        f"final file yet. Choose {few} by your own validation. If you choose none, {taken}"
    )


def _batches(competition: Competition):
    """Yield the members of the teams without a choice, a batch at a time."""
    last = 0
    while True:
        people = list(
            User.objects.filter(
                pk__gt=last,
                member__team__in=teams_without_choice(competition),
            ).order_by("pk")[: notices.BATCH]
        )
        if not people:
            return
        yield people
        last = people[-1].pk

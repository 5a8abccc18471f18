"""Looks: a noisy score of one file for its team alone, where the settings give any.

The number is drawn by a worker, which alone has the noise key, and is a function of the key and of
the predictions: whoever looks at the same predictions sees the same number, however often.
"""

from dataclasses import dataclass

from django.db import transaction

from leaderboard.audit import ledger
from leaderboard.competitions import clock, release_settings
from leaderboard.competitions.models import Competition, ReleaseSettings, State
from leaderboard.submissions import ringing
from leaderboard.submissions.models import Evaluation, Look, Status
from leaderboard.submissions.refusals import Refusal, instant
from leaderboard.teams.models import Member, Team
from scoring import release


@dataclass(frozen=True)
class Looks:
    """A team's looks: how many the settings in force give, how many are used."""

    allowed: int
    used: int

    @property
    def left(self) -> int:
        return max(self.allowed - self.used, 0)


def ask(evaluation: Evaluation, by) -> Look:
    """Spend one of a team's looks on a scored file; raises Refusal.

    Asked for already, the same look is returned. Predictions that the team has looked at in
    another file cost nothing a second time: the number is the same.
    """
    with transaction.atomic():
        competition = Competition.objects.select_for_update(no_key=True).get(
            pk=evaluation.submission.competition_id
        )
        team = Team.objects.select_for_update(no_key=True).get(pk=evaluation.team_id)
        made = Look.objects.filter(evaluation=evaluation).first()
        if made:
            return made
        now = clock.now()
        asked = Evaluation.objects.select_related("submission", "release_settings").get(
            pk=evaluation.pk
        )
        if by is not None and not Member.objects.filter(team=team, user=by).exists():
            raise Refusal("not_yours")
        # Each look tells something of the labels, and this team's files rank nowhere.
        if team.disqualified_at:
            raise Refusal("disqualified")
        if competition.state(now) != State.LIVE:
            raise Refusal("looks_closed", at=instant(competition.closes_at))
        if not may_be_looked_at(asked):
            raise Refusal("no_look")
        have = of(team, competition)
        known = asked.predictions and asked.predictions in seen(team)
        if not have.left and not known:
            raise Refusal("looks_used_up", limit=have.allowed)
        made = Look.objects.create(team=team, evaluation=asked, asked_by=by, asked_at=now)
        body = {
            "submission": asked.submission.uuid,
            "team": team.uuid,
            "number": asked.submission.number,
            "by": by.pk if by else None,
        }
        ledger.append("looked", competition.uuid, body, now)
        transaction.on_commit(lambda: ringing.draw_look(made.pk), robust=True)
    return made


def left(team: Team, competition: Competition) -> int:
    """Return how many looks a team may still spend."""
    return of(team, competition).left


def of(team: Team, competition: Competition) -> Looks:
    """Return a team's looks under the settings in force now."""
    in_force = release_settings.rule(release_settings.in_force(competition))
    return Looks(in_force.looks, used(team))


def used(team: Team) -> int:
    """Return how many looks a team has used, those its people brought along included."""
    carried = Team.objects.filter(pk=team.pk).values_list("carried_looks", flat=True)
    return carried.get() + len(seen(team))


def seen(team: Team) -> set[str]:
    """Return the predictions that a team has looked at, each named by its digest of all rows."""
    rows = Look.objects.filter(team=team).values_list("evaluation__predictions", "pk")
    # Without a digest each look stands for itself.
    return {digest or f"look {pk}" for digest, pk in rows}


def may_be_looked_at(evaluation: Evaluation) -> bool:
    """Whether there is a number to look at: a scored file under a rule that shows scores."""
    rule = release_settings.rule(evaluation.release_settings)
    return (
        evaluation.status == Status.SCORED
        and not evaluation.late
        and rule.rule != "sealed"
        and bool(rule.standard_error)
    )


def text(look: Look) -> str:
    """Return the number of a look as it is printed; empty until it is drawn."""
    if look.value is None:
        return ""
    return release.text(release_settings.rule(look.evaluation.release_settings), look.value)


def told(settings: ReleaseSettings) -> int:
    """Return how many different predictions were looked at under one version of the settings.

    This is the `looks` of `scoring.leakage.records.from_release`: teams that look at the same
    predictions see the same number, which tells no more than once.
    """
    return (
        Look.objects.filter(evaluation__release_settings=settings)
        .values("evaluation__sealed_id")
        .distinct()
        .count()
    )


def waiting() -> list[int]:
    """Return the looks that no worker has drawn yet."""
    return list(Look.objects.filter(value=None).order_by("pk").values_list("pk", flat=True))


def of_same_predictions(evaluation: Evaluation) -> Look | None:
    """Return the look that the team has taken at the same predictions in another file."""
    if not evaluation.predictions:
        return None
    return (
        Look.objects.filter(team=evaluation.team_id, evaluation__predictions=evaluation.predictions)
        .exclude(evaluation=evaluation)
        .select_related("evaluation__submission", "evaluation__release_settings")
        .order_by("pk")
        .first()
    )

"""Acts after the sending: choose, withdraw, waive, rescore, close, reveal.

Each is one transaction in the lock order competition, team, ledger head, and does nothing a second
time.
"""

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from leaderboard.audit import ledger
from leaderboard.audit.models import LedgerEntry
from leaderboard.competitions import announcing, clock
from leaderboard.competitions.models import Announcement, Commitment, Competition, State
from leaderboard.submissions import ringing
from leaderboard.submissions.models import (
    Evaluation,
    FinalChoice,
    Outcome,
    Status,
    Submission,
    Withdrawal,
)
from leaderboard.submissions.refusals import Refusal, instant
from leaderboard.teams.models import Member, Team


def close(competition: Competition, by) -> Competition:
    """Close a live competition now, by the database's clock; closed already, nothing changes."""
    with transaction.atomic():
        locked = _lock(competition)
        now = clock.now()
        state = locked.state(now)
        if state in (State.DRAFT, State.UPCOMING):
            raise Refusal("not_open", at=instant(locked.opens_at))
        if state == State.LIVE:
            announced = locked.closes_at
            locked.closes_at = now
            locked.save(update_fields=("closes_at",))
            body = {"by": _who(by), "announced": announced, "closes_at": now}
            ledger.append("closed", locked.uuid, body, now)
            announcing.record(
                locked,
                by,
                Announcement.Kind.DATES,
                "The competition is closed",
                f"The host closed it on {instant(now)}, before {instant(announced)}. Files that "
                "were sent in time are scored to the end; the results follow.",
                at=now,
            )
        transaction.on_commit(lambda: ringing.finalise(locked.pk), robust=True)
    return locked


def reveal(competition: Competition, by) -> Competition:
    """Show the final ranking to everybody; a recorded act that happens once."""
    with transaction.atomic():
        locked = _lock(competition)
        if locked.revealed_at:
            return locked
        if not locked.finals_ready_at:
            raise Refusal("not_ready")
        locked.revealed_at = clock.now()
        locked.board_version += 1
        locked.save(update_fields=("revealed_at", "board_version"))
        ledger.append("revealed", locked.uuid, {"by": _who(by)}, locked.revealed_at)
        told = announcing.record(
            locked,
            by,
            Announcement.Kind.RESULTS,
            "The results are open",
            "The final ranking on the private rows, with every team's score, stands on the "
            "leaderboard.",
            at=locked.revealed_at,
        )
        transaction.on_commit(lambda: ringing.tell_results(told.pk), robust=True)
        # The salts lie with the noise key, which only a worker may read.
        transaction.on_commit(lambda: ringing.publish_salts(locked.pk), robust=True)
    return locked


def waive(evaluation: Evaluation, by) -> Evaluation:
    """Set aside a file that failed on our side, so that the finals need not wait for it."""
    with transaction.atomic():
        competition, locked = _lock_stuck(evaluation)
        if locked.waived_at:
            return locked
        locked.waived_at, locked.waived_by = clock.now(), by
        locked.save(update_fields=("waived_at", "waived_by"))
        ledger.append("waived", competition.uuid, _about(locked.submission, by), locked.waived_at)
        if competition.state(locked.waived_at) == State.CLOSING:
            transaction.on_commit(lambda: ringing.finalise(competition.pk), robust=True)
    return locked


def rescore(evaluation: Evaluation, by) -> Evaluation:
    """Put a file that failed on our side back into the queue, with its three attempts."""
    with transaction.atomic():
        competition, locked = _lock_stuck(evaluation)
        locked.status, locked.attempts = Status.QUEUED, 0
        locked.queued_at = clock.now()
        locked.waived_at = locked.waived_by = locked.finished_at = None
        locked.save(
            update_fields=(
                "status",
                "attempts",
                "queued_at",
                "waived_at",
                "waived_by",
                "finished_at",
            )
        )
        ledger.append("rescored", competition.uuid, _about(locked.submission, by))
        team_id, limit = locked.team_id, competition.hard_limit
        transaction.on_commit(lambda: ringing.score_next(team_id, limit), robust=True)
    return locked


def choose(team: Team, submission: Submission, by) -> FinalChoice:
    """Choose a scored file as final; chosen already, nothing changes."""
    with transaction.atomic():
        competition, locked = _lock_team(team, by)
        _refuse_foreign(locked, submission)
        chosen = FinalChoice.objects.filter(submission=submission).first()
        if chosen:
            return chosen
        if Withdrawal.objects.filter(submission=submission).exists():
            raise Refusal("withdrawn")
        if not submission.evaluations.filter(status=Status.SCORED).exists():
            raise Refusal("not_scored")
        if FinalChoice.objects.filter(team=locked).count() >= competition.finals_count:
            raise Refusal("finals_full", limit=competition.finals_count)
        made = FinalChoice.objects.create(
            team=locked, submission=submission, chosen_by=by, chosen_at=clock.now()
        )
        ledger.append("chosen", competition.uuid, _about(submission, by), made.chosen_at)
    return made


def change_choice(team: Team, added: list[Submission], dropped: list[Submission], by) -> None:
    """Change several final choices at once, all of them or none; raises Refusal.

    What somebody else of the team chose meanwhile stays, unless it is named here.
    """
    with transaction.atomic():
        competition, locked = _lock_team(team, by)
        adds = [file for file in added if file not in dropped]
        kept = FinalChoice.objects.filter(team=locked).exclude(submission__in=dropped)
        wanted = len({choice.submission_id for choice in kept} | {file.pk for file in adds})
        if wanted > competition.finals_count:
            limit = competition.finals_count
            raise Refusal("too_many_finals", wanted=wanted, limit=limit, more=wanted - limit)
        for file in dropped:
            unchoose(locked, file, by)
        for file in adds:
            choose(locked, file, by)


def unchoose(team: Team, submission: Submission, by) -> None:
    """Take a final choice back; not chosen, nothing changes."""
    with transaction.atomic():
        competition, locked = _lock_team(team, by)
        _refuse_foreign(locked, submission)
        if FinalChoice.objects.filter(submission=submission).delete()[0]:
            ledger.append("unchosen", competition.uuid, _about(submission, by))


def withdraw(submission: Submission, by) -> Withdrawal:
    """Take a file back: it stays on record, keeps its slot and cannot be final."""
    with transaction.atomic():
        competition, _ = _lock_team(submission.team, by)
        withdrawn = Withdrawal.objects.filter(submission=submission).first()
        if withdrawn:
            return withdrawn
        FinalChoice.objects.filter(submission=submission).delete()
        made = Withdrawal.objects.create(
            submission=submission, withdrawn_by=by, withdrawn_at=clock.now()
        )
        ledger.append("withdrawn", competition.uuid, _about(submission, by), made.withdrawn_at)
    return made


def effective_finals(team: Team) -> list[Submission]:
    """Return the files that would be scored on the private rows if the close were now.

    The chosen ones; where the team chose fewer than it may, then the file of its last new score and
    its latest scored files, so that a team with a scored file always has a final.
    """
    count = team.competition.finals_count
    # By time and not by number: files that came with a merge have new numbers.
    scored = choosable(team).select_related("final_choice").order_by("-accepted_at", "-number")
    released = Evaluation.objects.filter(
        submission=OuterRef("pk"), release__outcome=Outcome.RELEASED
    )
    wanted = []
    for files in (
        scored.filter(final_choice__isnull=False)[:count],
        scored.filter(Exists(released))[:1],
        scored[:count],
    ):
        wanted += [file for file in files if file not in wanted]
    return wanted[:count]


def choosable(team: Team) -> QuerySet[Submission]:
    """Return the files of a team that can be final: scored in time and not withdrawn."""
    scored = Evaluation.objects.filter(submission=OuterRef("pk"), status=Status.SCORED)
    return Submission.objects.filter(Exists(scored), team=team, late=False, withdrawal__isnull=True)


def unsettled(competition) -> QuerySet[Evaluation]:
    """Return the files that the finals wait for: unfinished, or failed and not set aside."""
    return Evaluation.objects.filter(
        Q(status__in=(Status.QUEUED, Status.LEASED))
        | Q(status=Status.NEEDS_ATTENTION, waived_at=None),
        submission__competition=competition,
        late=False,
    )


def awaiting_finals() -> list[int]:
    """Return the competitions that are closed, scored and without a final ranking."""
    return list(
        Competition.objects.filter(
            ~Exists(unsettled(OuterRef("pk"))),
            published_at__isnull=False,
            closes_at__lte=clock.now(),
            finals_ready_at=None,
            archived_at=None,
        ).values_list("pk", flat=True)
    )


def awaiting_salts() -> list[int]:
    """Return the revealed competitions whose salts are not published yet."""
    unpublished = Commitment.objects.filter(
        tag=Commitment.Tag.NOISE_KEY, revealed_salt="", solution__competition=OuterRef("pk")
    )
    return list(
        Competition.objects.filter(Exists(unpublished), revealed_at__isnull=False).values_list(
            "pk", flat=True
        )
    )


def record_close(competition: Competition) -> None:
    """Write into the ledger that the time of a locked competition ran out, if nothing says so."""
    said = LedgerEntry.objects.filter(kind="closed", competition=competition.uuid)
    if not said.exists():
        body = {"by": None, "closes_at": competition.closes_at}
        ledger.append("closed", competition.uuid, body)


def _lock(competition: Competition) -> Competition:
    return Competition.objects.select_for_update(no_key=True).get(pk=competition.pk)


def _lock_team(team: Team, by) -> tuple[Competition, Team]:
    """Lock a competition that still takes choices, and the team, for an act of a member."""
    competition = Competition.objects.select_for_update(no_key=True).get(pk=team.competition_id)
    if competition.state(clock.now()) != State.LIVE:
        raise Refusal("closed", at=instant(competition.closes_at))
    locked = Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    # Asked under the locks: whoever was removed meanwhile acts no longer.
    if by is not None and not Member.objects.filter(team=locked, user=by).exists():
        raise Refusal("not_yours")
    return competition, locked


def _lock_stuck(evaluation: Evaluation) -> tuple[Competition, Evaluation]:
    """Lock what a decision about a file that failed on our side needs."""
    competition = _lock(evaluation.submission.competition)
    Team.objects.select_for_update(no_key=True).get(pk=evaluation.team_id)
    locked = Evaluation.objects.select_related("submission__team").get(pk=evaluation.pk)
    # Once the finals are being made, the list of files is complete; a late one is not on it.
    listed = not locked.late and competition.final_runs.exists()
    if locked.status != Status.NEEDS_ATTENTION or listed:
        raise Refusal("not_stuck")
    return competition, locked


def _refuse_foreign(team: Team, submission: Submission) -> None:
    # Asked under the locks: a merge may have moved the file since it was read.
    if not Submission.objects.filter(pk=submission.pk, team=team).exists():
        raise Refusal("not_yours")


def _about(submission: Submission, by) -> dict:
    return {
        "submission": submission.uuid,
        "team": submission.team.uuid,
        "number": submission.number,
        "by": _who(by),
    }


def _who(by) -> int | None:
    """A person in the ledger is a number: names can change and may have to be forgotten."""
    return by.pk if by else None

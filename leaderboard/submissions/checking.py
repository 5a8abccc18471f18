"""Check a file without submitting it: stored, read by a worker, told, and forgotten within a day.

Nothing here touches a label, a quota or a score. A file that passes is kept for an hour, so that
its sender can submit the very bytes that were checked; of one person and competition only the
latest is kept, or checks would be a way to fill the disk.
"""

import contextlib
from datetime import timedelta

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import F, Q

from leaderboard.competitions import clock, store
from leaderboard.competitions.models import Competition
from leaderboard.submissions import intake, ringing
from leaderboard.submissions.models import FileCheck, Submission
from leaderboard.submissions.refusals import Refusal, instant
from leaderboard.teams.models import Member

# Checks that a person may ask for in an hour.
HOURLY = 60
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
FOLDER = "checks"
# Seconds after which no row can still refer to the bytes of a check.
ORPHANED = 2 * DAY.total_seconds()
VALID = "This file is valid: its header, ids and values are as asked for."
FAILED = "Checking this file failed on our side. It says nothing about the file; check it again."
WAITS = "Your file arrived and waits to be read."


def submit_check(competition: Competition, user, file, original_name: str) -> FileCheck:
    """Take a file to be checked by a worker; raises Refusal. `file` as in `intake.submit`."""
    intake.refuse_sender(competition, _team(competition, user), clock.now())
    if file is None:
        raise Refusal("wrong_form")
    _refuse_too_many(user)
    stored = intake.keep(competition, f"{competition.uuid}/{FOLDER}", file)
    decided = False
    try:
        with transaction.atomic():
            # The person's row is the lock: two checks at once must not both be the only one.
            get_user_model().objects.select_for_update(no_key=True).get(pk=user.pk)
            _refuse_too_many(user)
            made = FileCheck.objects.create(
                competition=competition,
                user=user,
                original_name=intake.printable(original_name, intake.NAME_LENGTH),
                sha256=stored.sha256,
                size=stored.size,
                path=stored.path,
                created_at=clock.now(),
            )
            decided = True
            limit = competition.hard_limit
            transaction.on_commit(lambda: ringing.check_file(made.pk, limit), robust=True)
    except BaseException:
        # Whatever went wrong: bytes without a row would be found by nobody. After the decision the
        # commit may have arrived, and its row needs them.
        if not decided:
            store.remove(settings.UPLOADS_DIR, stored.path)
        raise
    _forget_bytes(FileCheck.objects.filter(competition=competition, user=user).exclude(pk=made.pk))
    return made


def describe(check: FileCheck) -> dict:
    """Say how a check stands: what pages, API and status share.

    `status` is waiting, valid, rejected or failed; `problem` as an evaluation stores it.
    """
    status = _status(check)
    headline = {"waiting": WAITS, "valid": VALID, "failed": FAILED}.get(status)
    return {
        "uuid": str(check.uuid),
        "status": status,
        "final": status != "waiting",
        "headline": headline or check.problem["sentence"],
        "name": check.original_name,
        "size": check.size,
        "sha256": check.sha256,
        "rows": check.rows,
        "problem": check.problem,
        "notices": check.notices,
        "checks": check.checks,
        "timings": check.timings,
        "created_at": check.created_at,
        "finished_at": check.finished_at,
        "kept_until": kept_until(check),
    }


def kept_until(check: FileCheck):
    """Return until when the checked bytes can be submitted; None where they are gone."""
    return check.created_at + HOUR if check.path and _status(check) == "valid" else None


def submit_checked(
    check: FileCheck, user, note: str = "", own_score: str | float | None = None
) -> Submission:
    """Submit the bytes that passed a check; a second time returns the first submission."""
    team = _team(check.competition, user)
    token = f"check-{check.uuid.hex}"
    before = Submission.objects.filter(team=team, form_token=token, team__isnull=False)
    if sent := before.first():
        return sent
    if _status(check) != "valid":
        raise Refusal("check_not_valid")
    if not check.path or clock.now() > check.created_at + HOUR:
        raise Refusal("check_gone")
    try:
        file = store.open_file(settings.UPLOADS_DIR, check.path)
    except FileNotFoundError as gone:
        # A second click may come while the first one is at it.
        if sent := before.first():
            return sent
        raise Refusal("check_gone") from gone
    with file:
        sent = intake.submit(
            competition=check.competition,
            team=team,
            user=user,
            file=file,
            original_name=check.original_name,
            form_token=token,
            note=note,
            own_score=own_score,
        )
    _forget_bytes(FileCheck.objects.filter(pk=check.pk))
    return sent


def claim(check_id: int) -> FileCheck | None:
    """Lease a check to a worker; None where it is done, leased or has failed too often."""
    now = clock.now()
    free = Q(lease_until=None) | Q(lease_until__lte=now)
    mine = FileCheck.objects.filter(free, pk=check_id, finished_at=None)
    if mine.filter(attempts__gte=settings.SCORING_ATTEMPTS).update(failed=True, finished_at=now):
        _forget_bytes(FileCheck.objects.filter(pk=check_id))
        return None
    until = now + timedelta(seconds=settings.SCORING_LEASE)
    if not mine.update(attempts=F("attempts") + 1, lease_until=until):
        return None
    return FileCheck.objects.select_related("competition", "user").get(pk=check_id)


def finish(check: FileCheck, **found) -> None:
    """Store what the reader said; bytes of a file that cannot be submitted are removed at once."""
    held = FileCheck.objects.filter(pk=check.pk, finished_at=None, attempts=check.attempts)
    if not held.update(finished_at=clock.now(), lease_until=None, **found):
        return
    if found.get("problem"):
        _forget_bytes(FileCheck.objects.filter(pk=check.pk))


def give_back(check: FileCheck, seconds: float) -> None:
    """After an error of ours: the next attempt may begin after this many seconds."""
    FileCheck.objects.filter(pk=check.pk, finished_at=None, attempts=check.attempts).update(
        lease_until=clock.now() + timedelta(seconds=seconds)
    )


def waiting() -> list[tuple[int, int | None]]:
    """Return (check, hard limit) of those whose bell seems not to have been heard."""
    now = clock.now()
    late = Q(lease_until__lte=now) | Q(
        lease_until=None, created_at__lt=now - timedelta(seconds=settings.SWEEP_EVERY)
    )
    return list(
        FileCheck.objects.filter(late, finished_at=None)
        .order_by("pk")
        .values_list("pk", "competition__hard_limit")
    )


def forget_old(machine: float) -> None:
    """Remove bytes after an hour and rows after a day; `machine` is this machine's time.time().

    Bytes without a row, as a process that fell or an account that went may leave them, go too.
    """
    now = clock.now()
    _forget_bytes(FileCheck.objects.filter(created_at__lt=now - HOUR, finished_at__isnull=False))
    old = FileCheck.objects.filter(created_at__lt=now - DAY)
    _forget_bytes(old)
    old.delete()
    for file in settings.UPLOADS_DIR.glob(f"*/{FOLDER}/*"):
        with contextlib.suppress(FileNotFoundError):
            if machine - file.stat().st_mtime > ORPHANED:
                file.unlink()


def _status(check: FileCheck) -> str:
    if check.finished_at is None:
        return "waiting"
    if check.failed:
        return "failed"
    return "rejected" if check.problem else "valid"


def _team(competition: Competition, user):
    member = Member.objects.select_related("team").filter(competition=competition, user=user)
    found = member.first()
    return found.team if found else None


def _refuse_too_many(user) -> None:
    mine = FileCheck.objects.filter(user=user)
    unfinished = mine.filter(finished_at=None).first()
    if unfinished:
        raise Refusal("check_unfinished", name=unfinished.original_name or "file")
    since = clock.now() - HOUR
    latest = list(
        mine.filter(created_at__gt=since)
        .order_by("-created_at")
        .values_list("created_at", flat=True)[:HOURLY]
    )
    if len(latest) == HOURLY:
        raise Refusal("too_many_checks", limit=HOURLY, at=instant(latest[-1] + HOUR))


def _forget_bytes(checks) -> None:
    """Remove the bytes of finished checks; the row says so first, so that none names a lost file.

    One that is being read keeps them: its worker, or the sweeper, removes them.
    """
    for pk, path in (
        checks.exclude(path="").filter(finished_at__isnull=False).values_list("pk", "path")
    ):
        if FileCheck.objects.filter(pk=pk, path=path).update(path=""):
            store.remove(settings.UPLOADS_DIR, path)

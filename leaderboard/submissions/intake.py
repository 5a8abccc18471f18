"""Accept a file: whole on the disk and in the queue, or refused with nothing kept.

The bytes are flushed and in their place before the transaction begins, so that no lock is held
while a disk works and a committed row always has its file. The transaction then decides by the
database's clock, under the locks of the competition (no close can pass by) and of the team (no
second file can take the same slot).
"""

import contextlib
import errno
import re
import uuid
from collections.abc import Iterator
from datetime import datetime

from django.conf import settings
from django.db import transaction

from leaderboard.audit import ledger
from leaderboard.competitions import clock, release_settings, store
from leaderboard.competitions.models import Competition, State
from leaderboard.submissions import own_scores, ringing
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.submissions.quotas import Quota, quota
from leaderboard.submissions.refusals import Refusal, instant, size
from leaderboard.teams.models import Member, Team
from scoring.task import Task

__all__ = ["Quota", "printable", "quota", "submit"]

CHUNK = 2**20
NAME_LENGTH = Submission._meta.get_field("original_name").max_length
NOTE_LENGTH = Submission._meta.get_field("note").max_length
TOKEN = re.compile(rf"[\w-]{{1,{Submission._meta.get_field('form_token').max_length}}}", re.ASCII)


def submit(
    *,
    competition: Competition,
    team: Team | None,
    user,
    file,
    original_name: str,
    form_token: str | None = None,
    note: str = "",
    own_score: str | float | None = None,
    accepted_at: datetime | None = None,
    seeded: bool = False,
) -> Submission:
    """Accept a file for scoring and return its submission; raises Refusal.

    `file` has `read(count)` or Django's `chunks()`. The same `form_token` of a team returns the
    first submission again. Only the seeder gives `accepted_at`, inside the window and in order.
    """
    if accepted_at is not None and not seeded:
        raise ValueError("only a seeded file brings its own time")
    if form_token is not None and not TOKEN.fullmatch(form_token):
        raise Refusal("wrong_form")
    own_score = own_scores.parse(own_score)
    # Refuse what is plain to see before a byte is written; the transaction looks again.
    first = _sent_before(team, form_token)
    if first:
        return first
    refuse_sender(competition, team, accepted_at or clock.now(), seeded=seeded)
    if file is None:
        raise Refusal("wrong_form")
    stored = keep(competition, f"{competition.uuid}/{team.uuid}", file)
    decided = False
    try:
        with transaction.atomic():
            submission = _accept(
                competition_id=competition.pk,
                team_id=team.pk,
                stored=stored,
                form_token=form_token,
                accepted_at=accepted_at,
                facts={
                    "user": user,
                    "original_name": printable(original_name, NAME_LENGTH),
                    "note": printable(note, NOTE_LENGTH),
                    "own_score": own_score,
                    "seeded": seeded,
                },
            )
            decided = True
    except BaseException:
        # An error after the decision leaves open whether the commit arrived: then a file too many
        # is better than a row without its file.
        if not decided:
            store.remove(settings.UPLOADS_DIR, stored.path)
        raise
    if submission.path != stored.path:
        # Of two equal forms at the same time the other came first.
        store.remove(settings.UPLOADS_DIR, stored.path)
    return submission


def _accept(*, competition_id, team_id, stored, form_token, accepted_at, facts) -> Submission:
    """Decide and record under the locks."""
    competition = Competition.objects.select_for_update(no_key=True).get(pk=competition_id)
    team = Team.objects.select_for_update(no_key=True).get(pk=team_id)
    first = _sent_before(team, form_token)
    if first:
        return first
    now = clock.now()
    at = accepted_at or now
    late = refuse_sender(competition, team, at, seeded=facts["seeded"])
    if accepted_at:
        _check_seeded(team, at, now)
    if facts["user"] and not Member.objects.filter(team=team, user=facts["user"]).exists():
        raise Refusal("not_joined")
    counted = quota(team, competition, at, facts["user"], late=late)
    if counted.refuses:
        raise Refusal(counted.refuses, why=counted.why, at=instant(counted.resets_at))
    number = team.last_number + 1
    # Guarded: where rows cannot be locked, a second file with the same count ends here.
    if not Team.objects.filter(pk=team.pk, last_number=number - 1).update(last_number=number):
        raise RuntimeError("two files were accepted at the same time without a lock")
    submission = Submission.objects.create(
        competition=competition,
        team=team,
        number=number,
        sha256=stored.sha256,
        size=stored.size,
        path=stored.path,
        accepted_at=at,
        form_token=form_token,
        late=late,
        **facts,
    )
    in_force = release_settings.in_force(competition, at)
    Evaluation.objects.create(
        submission=submission,
        solution=competition.solutions.latest("version"),
        team=team,
        release_settings=in_force,
        late=late,
        queued_at=at,
    )
    _record(submission, competition, team, in_force)
    transaction.on_commit(lambda: ringing.score_next(team.pk, competition.hard_limit), robust=True)
    return submission


def _record(submission: Submission, competition: Competition, team: Team, in_force) -> None:
    body = {
        "submission": submission.uuid,
        "team": team.uuid,
        "number": submission.number,
        "sha256": submission.sha256,
        "size": submission.size,
        "settings": in_force.version,
        "accepted_at": submission.accepted_at,
    }
    if submission.seeded:
        body["seeded"] = True
    if submission.late:
        body["late"] = True
    ledger.append("accepted", competition.uuid, body)


def _sent_before(team: Team | None, form_token: str | None) -> Submission | None:
    if team is None or form_token is None:
        return None
    return Submission.objects.filter(team=team, form_token=form_token).first()


def refuse_sender(
    competition: Competition, team: Team | None, at: datetime, *, seeded: bool = False
) -> bool:
    """Refuse a file outside the window or of a team that may not send; tell whether it is late.

    A late file comes after the reveal, where the host takes them. A seeded one looks at the dates
    alone: the seeder fills competitions that are over by now.
    """
    state = competition.state(at)
    if seeded:
        state = Competition(
            published_at=competition.published_at,
            opens_at=competition.opens_at,
            closes_at=competition.closes_at,
        ).state(at)
    late = state == State.REVEALED and competition.late_files
    if state in (State.DRAFT, State.UPCOMING):
        raise Refusal("not_open", at=instant(competition.opens_at))
    if state == State.ARCHIVED:
        raise Refusal("archived")
    if not late and (state != State.LIVE or competition.finals_ready_at):
        waits = competition.late_files and not competition.revealed_at
        raise Refusal("late_not_yet" if waits else "closed", at=instant(competition.closes_at))
    if team is None:
        raise Refusal("not_joined")
    if team.disqualified_at:
        raise Refusal("disqualified")
    return late


def _check_seeded(team: Team, at: datetime, now: datetime) -> None:
    last = Submission.objects.filter(team=team).order_by("-accepted_at").first()
    if at > now or (last and last.accepted_at > at):
        raise ValueError("seeded files come in order and not from the future")


def keep(competition: Competition, folder: str, file) -> store.Stored:
    """Write an upload below UPLOADS_DIR, whole and within the competition's limit, or refuse it."""
    name, limit = uuid.uuid4().hex, competition.packed_limit
    try:
        with disk_room():
            stored = store.write(settings.UPLOADS_DIR, folder, name, _chunks(file), limit)
    except store.TooLarge as large:
        raise Refusal("too_large", limit=size(large.limit)) from large
    if not stored.size:
        store.remove(settings.UPLOADS_DIR, stored.path)
        header = Task.from_dict(competition.task).header
        raise Refusal("empty", header=header[:300], rows=competition.test_rows)
    return stored


@contextlib.contextmanager
def disk_room() -> Iterator[None]:
    """Turn a disk that is full, while something is stored, into its refusal."""
    try:
        yield
    except OSError as failed:
        if failed.errno in (errno.ENOSPC, errno.EDQUOT):
            raise Refusal("no_space") from failed
        raise


def _chunks(file) -> Iterator[bytes]:
    if hasattr(file, "chunks"):
        yield from file.chunks(CHUNK)
        return
    while chunk := file.read(CHUNK):
        yield chunk


def printable(text: str, length: int) -> str:
    """Keep a person's text to what prints on one line: it is shown on pages and in tables."""
    kept = "".join(sign if sign.isprintable() else " " for sign in text or "")
    return " ".join(kept.split())[:length]

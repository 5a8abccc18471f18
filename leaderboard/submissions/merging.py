"""Acts of merging two teams: propose, look at what it would mean, accept, decline, take back.

The team that proposes stays and takes the other one in. Kaggle's rule: the files that both sent
must fit into what one team could have sent up to the day.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import F, Q
from django.urls import reverse

from leaderboard.accounts import names
from leaderboard.audit import ledger
from leaderboard.competitions import notices
from leaderboard.competitions.models import Competition, Notice
from leaderboard.submissions import carrying
from leaderboard.submissions.membership import end_open
from leaderboard.submissions.models import (
    Entry,
    Evaluation,
    FinalChoice,
    Look,
    Status,
    Submission,
)
from leaderboard.submissions.releasing import derive
from leaderboard.teams import inviting
from leaderboard.teams.holding import Held, hold, refuse_late
from leaderboard.teams.joining import Refusal
from leaderboard.teams.models import Member, MergeProposal, Team
from leaderboard.teams.refusals import refusal

OPEN = Q(accepted_at=None, declined_at=None, revoked_at=None)
# A label-free check names earlier files of the team by their numbers.
OWN_FILE = re.compile(r"\byour file (\d+)\b")


@dataclass(frozen=True)
class Side:
    """One of two teams before a merge."""

    team: Team
    members: list[str]
    files: int
    counted: int
    used: int
    chosen: int


@dataclass(frozen=True)
class Preview:
    """What a merge would mean; `hindrances` are the reasons why it cannot be now."""

    stays: Side
    joins: Side
    days: int
    files_most: int
    total_limit: int | None
    max_team_size: int
    finals_count: int
    hindrances: list[Refusal]

    @property
    def members(self) -> int:
        return len(self.stays.members) + len(self.joins.members)

    @property
    def files(self) -> int:
        return self.stays.files + self.joins.files

    @property
    def counted(self) -> int:
        return self.stays.counted + self.joins.counted

    @property
    def used(self) -> int:
        return self.stays.used + self.joins.used

    @property
    def keeps_finals(self) -> bool:
        """Whether the choices of both fit; else those of the team that is taken in fall."""
        return self.stays.chosen + self.joins.chosen <= self.finals_count


def propose(team: Team, name: str, by) -> MergeProposal:
    """Ask the team of a name to merge into this one; asked already, nothing changes."""
    with transaction.atomic():
        held = hold(team, by, owner=True)
        refuse_late(held)
        other = _named(held.competition, name)
        if other.pk == held.team.pk:
            raise refusal("own_team")
        _refuse_large(held.competition, held.team, other)
        asked = open_proposals(held.now).filter(team=held.team, other=other).first()
        if asked:
            return asked
        inviting.refuse_many(held)
        made = MergeProposal.objects.create(
            team=held.team,
            other=other,
            created_by=by,
            created_at=held.now,
            expires_at=held.now + inviting.LIFE,
        )
        _tell(
            other,
            f"{held.team.name} proposes to merge",
            f"{by.username} proposes that your team {other.name} goes into the team "
            f"{held.team.name} in {held.competition.title}. Your team's owner can look at what it "
            "would mean and decide within 7 days.",
            address(held.competition, made),
        )
        body = {"proposal": made.uuid, "team": held.team.uuid, "other": other.uuid, "by": by.pk}
        ledger.append("merge proposed", held.competition.uuid, body, held.now)
    return made


def take_back(proposal: MergeProposal, by) -> None:
    """Take an open proposal back; no longer open, nothing changes."""
    with transaction.atomic():
        held = hold(proposal.team, by, owner=True)
        _end(held, proposal, "revoked_at", "merge taken back", by)


def decline(proposal: MergeProposal, by) -> None:
    """Decline a proposal; no longer open, nothing changes."""
    with transaction.atomic():
        held = hold(proposal.other, by, owner=True)
        if _end(held, proposal, "declined_at", "merge declined", by):
            _tell(
                proposal.team,
                f"{held.team.name} declined to merge",
                f"The team {held.team.name} does not merge into {proposal.team.name}.",
                reverse("team", args=[held.competition.slug]),
            )


def accept(proposal: MergeProposal, by) -> Team:
    """Let one team take the other in, once; accepted already, the team that stays is returned.

    Raises Refusal with the first of the preview's hindrances.
    """
    with transaction.atomic():
        competition = Competition.objects.select_for_update(no_key=True).get(
            pk=proposal.team.competition_id
        )
        # By pk: nobody else who holds the two of them can wait for this one.
        both = {
            team.pk: team
            for team in Team.objects.select_for_update(no_key=True)
            .filter(pk__in=(proposal.team_id, proposal.other_id))
            .order_by("pk")
        }
        proposal = MergeProposal.objects.get(pk=proposal.pk)
        stays, joins = both[proposal.team_id], both[proposal.other_id]
        if proposal.accepted_at and Member.objects.filter(team=stays, user=by).exists():
            return stays
        held = hold(joins, by, owner=True)
        hindered = _hindrances(held, proposal, stays, joins)
        if hindered:
            raise hindered[0]
        people = [member.user for member in _members(stays, joins)]
        fallen = _drop_finals(competition, stays, joins)
        renumbered = _merge(competition, stays, joins, held.now)
        proposal.accepted_at = held.now
        proposal.save(update_fields=("accepted_at",))
        notices.tell(
            people,
            Notice.Kind.INVITATION,
            f"{joins.name} merged into {stays.name}",
            f"The teams {stays.name} and {joins.name} in {competition.title} are one team now, "
            f"called {stays.name}, with all files of both.",
            reverse("team", args=[competition.slug]),
            competition,
        )
        body = {
            "proposal": proposal.uuid,
            "team": stays.uuid,
            "other": joins.uuid,
            "by": by.pk,
            "numbers": renumbered,
            "unchosen": fallen,
        }
        ledger.append("teams merged", competition.uuid, body, held.now)
    return stays


def preview(proposal: MergeProposal) -> Preview:
    """Return what accepting a proposal would mean as things stand."""
    with transaction.atomic():
        competition, stays, joins = proposal.team.competition, proposal.team, proposal.other
        try:
            held = hold(joins)
        except Refusal as refused:
            hindered, now = [refused], proposal.created_at
        else:
            hindered, now = _hindrances(held, proposal, stays, joins), held.now
        days = days_open(competition, now)
        return Preview(
            stays=_side(stays),
            joins=_side(joins),
            days=days,
            files_most=competition.daily_limit * days,
            total_limit=competition.total_limit,
            max_team_size=competition.max_team_size,
            finals_count=competition.finals_count,
            hindrances=hindered,
        )


def open_proposals(now: datetime):
    """Return the proposals that can be accepted, as far as time goes."""
    return MergeProposal.objects.filter(OPEN, expires_at__gt=now).select_related("team", "other")


def days_open(competition: Competition, now: datetime) -> int:
    """Return for how many UTC days a competition has been open, today included."""
    first, today = competition.opens_at.astimezone(UTC).date(), now.astimezone(UTC).date()
    return max((today - first).days + 1, 0)


def counted_files(*teams: Team) -> int:
    """Count the files that used a slot: all but rejected ones and those that failed on our side."""
    free = Q(evaluations__status__in=(Status.REJECTED, Status.NEEDS_ATTENTION))
    return Submission.objects.filter(team__in=teams).exclude(free).count()


def address(competition: Competition, proposal: MergeProposal) -> str:
    """Return the page that shows what a proposal would mean."""
    return reverse("team_merge", args=[competition.slug, proposal.uuid])


def _named(competition: Competition, name: str) -> Team:
    name = names.clean(name.replace("\0", " "))
    team = competition.teams.filter(skeleton=names.skeleton(name), merged_into=None).first()
    hidden = competition.board_names != Competition.BoardNames.NAMES
    if not name or team is None or (team.disqualified_at and hidden):
        raise refusal("no_such_team", name=f"“{name[:60]}”")
    if team.disqualified_at:
        raise refusal("disqualified", team=team.name)
    return team


def _refuse_large(competition: Competition, *teams: Team) -> None:
    members, most = Member.objects.filter(team__in=teams).count(), competition.max_team_size
    if members > most:
        raise refusal("too_large", most=most, s="" if most == 1 else "s")


def _hindrances(held: Held, proposal: MergeProposal, stays: Team, joins: Team) -> list[Refusal]:
    """Return every reason why a merge cannot be, under the locks."""
    return [
        refused
        for check in (
            lambda: _refuse_gone(proposal, held.now),
            lambda: refuse_late(held),
            lambda: _refuse_out(stays),
            lambda: _refuse_large(held.competition, stays, joins),
            lambda: _refuse_unfinished(stays, joins),
            lambda: _refuse_many_files(held, stays, joins),
        )
        if (refused := _refused(check))
    ]


def _refused(check) -> Refusal | None:
    try:
        check()
    except Refusal as refused:
        return refused
    return None


def _refuse_gone(proposal: MergeProposal, now: datetime) -> None:
    ended = proposal.accepted_at or proposal.declined_at or proposal.revoked_at
    if ended or proposal.expires_at <= now:
        raise refusal("proposal_gone")


def _refuse_out(team: Team) -> None:
    if team.disqualified_at:
        raise refusal("disqualified", team=team.name)


def _refuse_unfinished(*teams: Team) -> None:
    waiting = Evaluation.objects.filter(
        team__in=teams, status__in=(Status.QUEUED, Status.LEASED)
    ).select_related("team")
    for one in waiting[:1]:
        raise refusal("unfinished", team=one.team.name)


def _refuse_many_files(held: Held, *teams: Team) -> None:
    competition = held.competition
    files, days = counted_files(*teams), days_open(competition, held.now)
    most, limit = competition.daily_limit * days, competition.daily_limit
    if files > most:
        s = "" if days == 1 else "s"
        raise refusal("too_many_files", files=files, most=most, limit=limit, days=days, s=s)
    if competition.total_limit is not None and files > competition.total_limit:
        raise refusal("too_many_files_in_all", files=files, most=competition.total_limit)


def _drop_finals(competition: Competition, stays: Team, joins: Team) -> list[str]:
    """Take the choices of one team back where both do not fit; returns the files."""
    chosen = FinalChoice.objects.filter(team__in=(stays, joins)).count()
    if chosen <= competition.finals_count:
        return []
    dropped = FinalChoice.objects.filter(team=joins).order_by("pk")
    files = [str(uuid) for uuid in dropped.values_list("submission__uuid", flat=True)]
    dropped.delete()
    return files


def _merge(competition: Competition, stays: Team, joins: Team, now: datetime) -> dict:
    """Move everything of one team to the other; returns file -> [old number, new number]."""
    renumbered = _move_files(stays, joins)
    Evaluation.objects.filter(team=joins).update(team=stays)
    Look.objects.filter(team=joins).update(team=stays)
    FinalChoice.objects.filter(team=joins).update(team=stays)
    Member.objects.filter(team=joins).update(team=stays, owner=False, joined_at=now)
    stays.carried_used += joins.carried_used
    stays.carried_looks += joins.carried_looks
    if joins.carried_reference is not None and (
        stays.carried_reference is None or joins.carried_reference > stays.carried_reference
    ):
        stays.carried_reference, stays.carried_from = joins.carried_reference, joins.carried_from
    stays.last_number += len(renumbered)
    stays.save()
    joins.merged_into, joins.merged_at = stays, now
    joins.save()
    end_open(joins, now)
    Entry.objects.filter(team__in=(stays, joins)).delete()
    entry = derive(stays)
    if entry:
        entry.save()
    Competition.objects.filter(pk=competition.pk).update(board_version=F("board_version") + 1)
    return renumbered


def _move_files(stays: Team, joins: Team) -> dict[str, list[int]]:
    tokens = set(
        Submission.objects.filter(team=stays, form_token__isnull=False).values_list(
            "form_token", flat=True
        )
    )
    numbers, renumbered = {}, {}
    for index, file in enumerate(Submission.objects.filter(team=joins).order_by("number"), 1):
        before, file.number, file.team = file.number, stays.last_number + index, stays
        # A token only makes one file of two equal forms; those were sent long ago.
        file.form_token = None if file.form_token in tokens else file.form_token
        file.save(update_fields=("number", "team", "form_token"))
        numbers[str(before)], renumbered[str(file.uuid)] = file.number, [before, file.number]
    for one in Evaluation.objects.filter(team=joins).exclude(checks=[]):
        for check in one.checks:
            check["sentence"] = OWN_FILE.sub(
                lambda found: f"your file {numbers.get(found[1], found[1])}", check["sentence"]
            )
        one.save(update_fields=("checks",))
    return renumbered


def _side(team: Team) -> Side:
    return Side(
        team=team,
        members=[member.user.username for member in _members(team)],
        files=Submission.objects.filter(team=team).count(),
        counted=counted_files(team),
        used=carrying.standing(team)[0],
        chosen=FinalChoice.objects.filter(team=team).count(),
    )


def _members(*teams: Team):
    members = Member.objects.filter(team__in=teams).select_related("user")
    return members.order_by("-owner", "joined_at", "pk")


def _end(held: Held, proposal: MergeProposal, field: str, kind: str, by) -> bool:
    ended = MergeProposal.objects.filter(OPEN, pk=proposal.pk).update(**{field: held.now})
    if ended:
        body = {"proposal": proposal.uuid, "team": held.team.uuid, "by": by.pk}
        ledger.append(kind, held.competition.uuid, body, held.now)
    return bool(ended)


def _tell(team: Team, title: str, text: str, place: str) -> None:
    people = [member.user for member in _members(team)]
    notices.tell(people, Notice.Kind.INVITATION, title, text, place, team.competition)

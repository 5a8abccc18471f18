"""Calls about competitions: list, detail, files, announcements, joining."""

from typing import Annotated

from django.db.models import Count, Q
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Path, Query, Router

from leaderboard.api import errors, schemas
from leaderboard.api.calls import Paging, Slug, call
from leaderboard.competitions import access, clock, sending, telling, viewers
from leaderboard.competitions.models import Competition, Host, Participant, State
from leaderboard.competitions.viewers import Visit
from leaderboard.submissions.expected import expected
from leaderboard.teams import joining
from leaderboard.teams import viewers as team_viewers
from scoring import metrics, release
from scoring.task import Task

router = Router()


class Wanted(Paging):
    """Which competitions."""

    state: Annotated[State | None, Query(description="left out: all of them")] = None
    q: Annotated[str, Query(max_length=100, description="words of title, host or tagline")] = ""
    joined: Annotated[bool, Query(description="those you take part in")] = False


@call(
    router, "GET", "competitions", "api_competitions",
    answers=schemas.Competitions, summary="List competitions", public=True,
)  # fmt: skip
def competitions(request, wanted: Query[Wanted]):
    """Published competitions, those that close next first; with a token also drafts of yours."""
    now = clock.now()
    words = wanted.q.casefold().split()
    mine = _joined(request.user)
    found = [
        row
        for row in _visible(request.user)
        if wanted.state in (None, row.state(now))
        and (not wanted.joined or row.pk in mine)
        and all(word in f"{row.title} {row.organiser} {row.tagline}".casefold() for word in words)
    ]
    items = [
        schemas.CompetitionShort(**_short(request, row, row.state(now), row.pk in mine))
        for row in wanted.cut(found)
    ]
    return schemas.Competitions(items=items, **wanted.told(len(found)))


@call(
    router, "GET", "competitions/{slug:slug}", "api_competition",
    answers=schemas.Competition, summary="Read a competition", public=True,
)  # fmt: skip
def competition(request, slug: Slug):
    """Everything its pages say: dates, the form of a file, limits, release rule, texts."""
    visit = team_viewers.visit(request, slug)
    row = visit.competition
    row.team_count = row.teams.filter(IN_THE_RUNNING).count()
    rows = [version for version in row.release_settings.all() if version.created_at <= visit.now]
    form, task = expected(row), Task.from_dict(row.task)
    return schemas.Competition(
        **_short(request, row, visit.state, visit.viewer.participant),
        metric_title=metrics.get(row.metric).title,
        merge_deadline=row.merge_deadline,
        late_files=row.late_files,
        board_names=row.board_names,
        file=schemas.FileForm(
            header=form.header,
            rows=form.rows,
            values=form.values,
            kind=task.kind,
            id_column=task.id_column,
            value_columns=list(task.value_columns),
            classes=list(task.classes),
        ),
        limits=_limits(row),
        release=_rule(telling.in_force(rows, visit.now)),
        pages=schemas.Texts(
            overview=row.overview,
            data=row.data_text,
            rules=row.rules_text,
            evaluation=row.evaluation_text,
        ),
        you=_you(visit, request.user),
    )


@call(
    router, "GET", "competitions/{slug:slug}/files", "api_files",
    answers=schemas.DataFiles, summary="List the data files", public=True,
)  # fmt: skip
def files(request, slug: Slug):
    """Names, sizes and SHA-256 of what participants download."""
    visit = viewers.visit(request, slug)
    items = [
        schemas.DataFile(
            name=file.name,
            description=file.description,
            bytes=file.size,
            sha256=file.sha256,
            rows=file.rows,
            columns=[column["name"] for column in file.columns],
            address=_address(request, "api_file", slug, file.name),
        )
        for file in visit.competition.files.all()
    ]
    return schemas.DataFiles(items=items)


BYTES = {
    "responses": {
        200: {
            "description": "The file, or with a Range header the part asked for (206).",
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
            },
        },
        206: {
            "description": "The range of bytes asked for.",
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
            },
        },
    }
}


@call(
    router, "GET", "competitions/{slug:slug}/files/{stored:name}", "api_file",
    answers=None, summary="Download a data file", fails=(416,), extra=BYTES,
)  # fmt: skip
def file(request, slug: Slug, name: Annotated[str, Path(description="as the list names it")]):
    """The bytes of a data file, for those who joined.

    Answers Range, If-Range, If-None-Match and If-Modified-Since, so that a download can go on.
    """
    visit = team_viewers.visit(request, slug)
    if not visit.may_download:
        raise Http404
    row = visit.competition
    found = get_object_or_404(row.files, name=name)
    return whole(sending.data_file(request, found, row.published_at or row.created_at))


def whole(made: HttpResponse) -> HttpResponse:
    """Return a download, and where there is no such range of it the reason."""
    if made.status_code != 416:
        return made
    kept = {name: made[name] for name in ("Content-Range", "ETag", "Accept-Ranges")}
    raise errors.Fault(416, "no_such_range", "The file has no such range.", headers=kept)


@call(
    router, "GET", "competitions/{slug:slug}/announcements", "api_announcements",
    answers=schemas.Announcements, summary="List announcements", public=True,
)  # fmt: skip
def announcements(request, slug: Slug, paging: Query[Paging]):
    """What the host told everybody, and changes of dates and of the release rule."""
    rows = viewers.visit(request, slug).competition.announcements.all()
    items = [
        schemas.AnnouncementOut(
            uuid=row.uuid,
            kind=row.kind,
            title=row.title,
            text=row.text,
            created_at=row.created_at,
        )
        for row in paging.cut(rows)
    ]
    return schemas.Announcements(items=items, **paging.told(rows.count()))


@call(
    router, "POST", "competitions/{slug:slug}/join", "api_join",
    answers=schemas.Joined, summary="Join", fails=(403, 409),
)  # fmt: skip
def join(request, slug: Slug, accepted: schemas.Accept):
    """Take part, by accepting the rules; you get a team of one. A second call changes nothing."""
    visit = viewers.visit(request, slug)
    team = joining.join(visit.competition, request.user, visit.now)
    return schemas.Joined(team=team.uuid, name=team.name)


IN_THE_RUNNING = Q(disqualified_at=None, merged_into=None)


def _visible(user):
    """Published competitions, and a host's own drafts."""
    counted = Q(teams__disqualified_at=None, teams__merged_into=None)
    rows = Competition.objects.annotate(team_count=Count("teams", filter=counted))
    if not user.is_authenticated:
        return rows.filter(published_at__isnull=False)
    if user.is_staff:
        return rows
    hosted = Host.objects.filter(user=user).values("competition")
    return rows.filter(Q(published_at__isnull=False) | Q(pk__in=hosted))


def _joined(user) -> set[int]:
    if not user.is_authenticated:
        return set()
    return set(Participant.objects.filter(user=user).values_list("competition_id", flat=True))


def _short(request, row: Competition, state: State, joined: bool) -> dict:
    return {
        "slug": row.slug,
        "title": row.title,
        "tagline": row.tagline,
        "organiser": row.organiser,
        "state": state,
        "opens_at": row.opens_at,
        "closes_at": row.closes_at,
        "metric": row.metric,
        "greater_is_better": metrics.get(row.metric).greater_is_better,
        "teams": row.team_count,
        "joined": joined,
        "page": _address(request, "competition", row.slug),
    }


def _limits(row: Competition) -> schemas.Limits:
    return schemas.Limits(
        files_a_day=row.daily_limit,
        files_in_all=row.total_limit,
        rejected_files_a_day=row.rejected_limit,
        upload_bytes=row.packed_limit,
        unpacked_bytes=row.unpacked_limit,
        team_size=row.max_team_size,
        final_files=row.finals_count,
    )


def _rule(told: telling.Told | None) -> schemas.Rule | None:
    """Tell the settings in force: what the Evaluation tab prints, no more."""
    if told is None:
        return None
    settings = told.settings
    return schemas.Rule(
        version=told.row.version,
        preset=told.row.preset,
        rule=told.rule,
        title=told.title,
        sentence=told.described["sentence"],
        threshold=float(settings.tau) if told.gated else None,
        noise=float(settings.sigma_value),
        grid=float(settings.grid),
        resolution=float(release.resolution(settings)),
        start_line=float(settings.start) if told.scored else None,
        new_scores=told.cap if told.scored else None,
        looks=settings.looks,
    )


def _you(visit: Visit, user) -> schemas.You:
    team = team_viewers.team_of(user, visit.competition)
    return schemas.You(
        joined=visit.viewer.participant,
        host=access.may_manage(visit.viewer),
        may_join=visit.may_join,
        may_submit=visit.may_submit,
        may_download=visit.may_download,
        team=team.name if team else None,
    )


def _address(request, name: str, *arguments) -> str:
    return request.build_absolute_uri(reverse(name, args=arguments))

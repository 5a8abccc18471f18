"""Calls about competitions: list, pages, data files, leaderboard."""

import io
import zipfile

from django.db.models import Count, Exists, OuterRef, Q
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse

from leaderboard.api.kaggle import wire
from leaderboard.competitions import access, clock
from leaderboard.competitions.models import Competition, Participant, State
from leaderboard.competitions.viewers import Visit, look
from leaderboard.standings import export, field, table, team_page
from leaderboard.submissions import listing
from leaderboard.teams import viewers
from leaderboard.teams.models import Team
from scoring import metrics

# What of the client's orders has a meaning here; every other one lists the next close first.
ORDERS = {
    "COMPETITION_SORT_BY_LATEST_DEADLINE": ("-closes_at", "slug"),
    "COMPETITION_SORT_BY_NUMBER_OF_TEAMS": ("-team_count", "slug"),
    "COMPETITION_SORT_BY_RECENTLY_CREATED": ("-published_at", "slug"),
}
PAGES = ("overview", "data_text", "rules_text", "evaluation_text")
TITLES = {
    "overview": "Overview",
    "data_text": "Data",
    "rules_text": "Rules",
    "evaluation_text": "Evaluation",
}


def visit(user, body: dict, field: str = "competitionName") -> Visit:
    """Return the visit of the competition that a call names; raises Fault (404)."""
    # The client takes an address in place of a name and sends its last part.
    slug = wire.text(body, field).rstrip("/").rpartition("/")[2]
    competition = Competition.objects.filter(slug=slug).first()
    if competition is None:
        raise wire.Fault(404, f"There is no competition '{slug[:60]}'.")
    made = viewers.joined(look(user, competition), user)
    if not access.may_see(made.viewer, made.state):
        raise wire.Fault(404, f"There is no competition '{slug[:60]}'.")
    return made


def list_competitions(request, body: dict, user) -> dict:
    """List the published competitions."""
    rows = Competition.objects.filter(published_at__isnull=False).annotate(
        team_count=Count(
            "teams", filter=Q(teams__disqualified_at=None, teams__merged_into=None), distinct=True
        ),
        entered=Exists(Participant.objects.filter(competition=OuterRef("pk"), user=user.pk)),
    )
    for word in wire.text(body, "search")[:100].split():
        rows = rows.filter(Q(title__icontains=word) | Q(slug__icontains=word))
    if body.get("group") == "COMPETITION_LIST_TAB_ENTERED":
        rows = rows.filter(entered=True)
    rows = rows.order_by(*ORDERS.get(str(body.get("sortBy")), ("closes_at", "slug")))
    wanted, size = wire.page(body)
    total = rows.count()
    here = rows[(wanted - 1) * size : wanted * size]
    return {
        "competitions": [_competition(request, row, user) for row in here],
        "nextPageToken": wire.next_page(wanted, size, total),
    }


def _competition(request, row: Competition, user) -> dict:
    now = clock.now()
    state = row.state(now)
    return {
        "id": row.pk,
        "ref": row.slug,
        "title": row.title,
        "url": request.build_absolute_uri(reverse("competition", args=[row.slug])),
        "description": row.tagline,
        "organizationName": row.organiser,
        "hostName": row.organiser,
        "category": state.label,
        "reward": "",
        "deadline": wire.instant(row.closes_at),
        "newEntrantDeadline": wire.instant(row.closes_at),
        "mergerDeadline": wire.instant(row.merge_deadline or row.closes_at),
        "enabledDate": wire.instant(row.opens_at),
        "dateCreated": wire.instant(row.published_at),
        "teamCount": row.team_count,
        "userHasEntered": row.entered,
        "userRank": _place(row, state, viewers.team_of(user, row)),
        "maxDailySubmissions": row.daily_limit,
        "maxTeamSize": row.max_team_size,
        "evaluationMetric": metrics.get(row.metric).title,
    }


def _place(row: Competition, state: State, team: Team | None) -> int | None:
    """Return the team's place on the board that the leaderboard call shows."""
    if team is None:
        return None
    if not access.sees_final(state):
        return field.place(row, team.pk)
    standing = listing.published(team, state)
    return standing.place if standing else None


def list_pages(request, body: dict, user) -> dict:
    """Return the texts of a competition, as their authors wrote them (Markdown)."""
    competition = visit(user, body).competition
    wanted = wire.text(body, "pageName").casefold()
    pages = [
        {"name": TITLES[field], "content": getattr(competition, field), "mimeType": "text/markdown"}
        for field in PAGES
        if getattr(competition, field) and wanted in ("", TITLES[field].casefold())
    ]
    return {"pages": pages}


def list_files(request, body: dict, user) -> dict:
    """List the data files; the bytes are for those who joined."""
    competition = visit(user, body).competition
    wanted, size = wire.page(body)
    rows = competition.files.all()
    files = [
        {
            "ref": row.name,
            "name": row.name,
            "description": row.description,
            "totalBytes": row.size,
            "creationDate": wire.instant(competition.published_at),
        }
        for row in rows[(wanted - 1) * size : wanted * size]
    ]
    return {"files": files, "nextPageToken": wire.next_page(wanted, size, rows.count())}


def download_file(request, body: dict, user):
    """Send the client on to a data file; the last part of the address becomes the local name."""
    made = downloading(user, body)
    name = wire.text(body, "fileName")
    if not made.competition.files.filter(name=name).exists():
        raise wire.Fault(404, f"This competition has no data file '{name[:120]}'.")
    return HttpResponseRedirect(reverse("kaggle_file", args=[made.competition.slug, name]))


def download_files(request, body: dict, user):
    """Send the client on to all data files in one archive."""
    made = downloading(user, body)
    if not made.competition.files.exists():
        raise wire.Fault(404, "This competition hands out no data files.")
    return HttpResponseRedirect(reverse("kaggle_files", args=[made.competition.slug]))


def downloading(user, body: dict) -> Visit:
    """Return the visit of somebody who may download data files; raises Fault with what to do."""
    made = visit(user, body)
    if made.may_download:
        return made
    if not user.is_authenticated:
        raise wire.Fault(401, "Sign in to download data files.")
    raise wire.Fault(403, _why_no_files(made))


def _why_no_files(made: Visit) -> str:
    """Say to somebody who has signed in why there are no data files, and what helps if anything."""
    if made.state == State.ARCHIVED:
        return "This competition is archived. It hands out no more data files."
    if made.viewer.participant:
        return "The data files can be downloaded once the competition opens."
    if made.may_join:
        return "Join this competition on its Rules page before you download its data files."
    return "This competition takes no more people, and its data files are for those who joined."


def team_scores(request, body: dict, user) -> dict:
    """List the new scores that a team was shown: all that the public may know of its files."""
    team = Team.objects.select_related("competition").filter(pk=wire.number(body, "teamId")).first()
    if team is None:
        raise wire.Fault(404, "There is no such team.")
    made = visit(user, {"competitionName": team.competition.slug})
    shown = team_page.found(made.competition, team.uuid, made.viewer)
    if shown is None:
        raise wire.Fault(404, "There is no such team.")
    return {
        "submissions": [
            {"id": number, "dateSubmitted": wire.instant(step.at), "publicScore": step.score}
            for number, step in enumerate(team_page.team_page(made, shown).steps, 1)
        ]
    }


def leaderboard(request, body: dict, user) -> dict:
    """Return one page of the board: the same rows, names and scores as the page."""
    made = visit(user, body)
    wanted, size = wire.page(body)
    found = table.rows_for(made, page=wanted, per_page=size)
    return {
        "submissions": [
            {
                "teamId": row.team_id,
                "teamName": row.name,
                "submissionDate": wire.instant(row.at),
                "score": row.score,
            }
            for row in found.rows
        ],
        "nextPageToken": wire.next_page(wanted, size, found.total) if found.rows else "",
    }


def download_leaderboard(request, body: dict, user) -> HttpResponse:
    """Return the board as the CSV of the page, in an archive as the client expects it."""
    made = visit(user, body)
    name, content = export.file_for(made)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return HttpResponse(packed.getvalue(), content_type="application/zip")

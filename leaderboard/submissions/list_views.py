"""Pages of a team's files as a list: find them, note something, choose the final ones, look."""

import uuid
from dataclasses import replace
from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.competitions import access, release_settings
from leaderboard.competitions.cells import text_of
from leaderboard.competitions.viewers import Visit
from leaderboard.submissions import (
    asking,
    closing,
    export,
    intake,
    listing,
    looks,
    notes,
    outcomes,
    own_scores,
    plotting,
    progress,
    reminding,
    showing,
)
from leaderboard.submissions.models import Submission
from leaderboard.submissions.queue import UNFINISHED
from leaderboard.submissions.refusals import Refusal
from leaderboard.submissions.visits import own_file, page_of, see_other
from leaderboard.teams import viewers
from leaderboard.teams.models import Team

# htmx stops to ask on this one.
STOP_POLLING = 286
# Rows that a poll may name: as many as a page has.
MOST_SEEN = listing.PER_PAGE
LONGEST_SEEN = 2000


@login_required
@require_safe
def submissions(request, slug: str):
    """List the team's files; htmx gets the list alone."""
    visit, team = _team(request, slug)
    made = listing.listing(team, asking.read(request.GET))
    partial = bool(request.htmx) and not request.htmx.history_restore_request
    context = {**_around(visit, team, made), "partial": partial}
    if not partial:
        context["plot"] = plotting.plot(team, visit.competition, visit.now)
    name = "submissions/_list.html" if partial else "submissions/list.html"
    return _private(render(request, name, context))


@require_safe
def submissions_status(request, slug: str):
    """Answer a poll of the list: nothing new (204), the rows that changed, or the end (286)."""
    if not request.user.is_authenticated:
        return render(request, "submissions/_signed_out.html", status=STOP_POLLING)
    visit, team = _team(request, slug)
    seen = _seen(request.GET.get("seen", ""))
    asked = asking.read(request.GET)
    made = listing.rows(team, list(seen), asked.late)
    changed = [item for item in made.items if seen[item.submission.number] != item.key]
    every = _every(made, visit.now)
    if made.unfinished and not changed and request.GET.get("every") == every:
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    context = {
        **_around(visit, team, replace(made, asked=asked)),
        "changed": changed,
        "finished": [
            item
            for item in changed
            if item.told.final and seen[item.submission.number].startswith(UNFINISHED)
        ],
        "settled": any(item.told.final for item in changed),
        "plot": plotting.plot(team, visit.competition, visit.now),
        "oob": True,
    }
    status = 200 if made.unfinished else STOP_POLLING
    return render(request, "submissions/_list_changes.html", context, status=status)


@login_required
@require_safe
def submissions_csv(request, slug: str):
    """Send the team's files as CSV, everything the list shows and nothing else."""
    visit, team = _team(request, slug)
    text = text_of(export.rows(team, visit.state))
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-my-submissions.csv"'
    return _private(response)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submissions_final(request, slug: str):
    """Choose the final files on a page of their own, several at once."""
    visit, team = _team(request, slug)
    refusal, status, ticked = None, 200, None
    if request.method == "POST":
        wanted, had = _files(team, request, "final"), _files(team, request, "had")
        added = [file for file in wanted if file not in had]
        dropped = [file for file in had if file not in wanted]
        try:
            closing.change_choice(team, added, dropped, request.user)
        except Refusal as refused:
            refusal, ticked = refused, {file.pk for file in wanted}
            status = HTTPStatus.UNPROCESSABLE_ENTITY
        else:
            return see_other(reverse("submissions", args=(slug,)))
    asked = asking.read(request.GET)
    chosen = listing.chosen(team)
    context = {
        **page_of(visit),
        "team": team,
        "list": listing.candidates(team, asked),
        "chosen": chosen,
        "may_choose": access.may_choose_finals(visit.viewer, visit.state),
        "refusal": refusal,
        "ticked": {item.submission.pk for item in chosen} if ticked is None else ticked,
    }
    return _private(render(request, "submissions/list_finals.html", context, status=status))


@login_required
@require_POST
def submission_final(request, slug: str, uuid):
    """Choose a file as final, or take the choice back; then show the page it was done on."""
    visit, evaluation = own_file(request, slug, uuid)
    sent = evaluation.submission
    try:
        if request.POST.get("chosen"):
            closing.choose(sent.team, sent, request.user)
        else:
            closing.unchoose(sent.team, sent, request.user)
    except Refusal as refusal:
        messages.error(request, refusal.sentence, extra_tags="bad")
    return _back(request, visit, sent)


@login_required
@require_POST
def submission_look(request, slug: str, uuid):
    """Spend one of the team's looks on a file; then show the page it was done on."""
    visit, evaluation = own_file(request, slug, uuid)
    try:
        looks.ask(evaluation, request.user)
    except Refusal as refusal:
        messages.error(request, refusal.sentence, extra_tags="bad")
    return _back(request, visit, evaluation.submission)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submission_withdraw(request, slug: str, uuid):
    """Ask whether to withdraw a file, and do it: it stays on record and cannot be final."""
    visit, evaluation = own_file(request, slug, uuid)
    sent = evaluation.submission
    if request.method != "POST":
        context = {
            **page_of(visit),
            "submission": sent,
            "chosen": hasattr(sent, "final_choice"),
            "withdrawn": hasattr(sent, "withdrawal"),
            "back": _came_from(request),
        }
        return _private(render(request, "submissions/list_withdraw.html", context))
    try:
        closing.withdraw(sent, request.user)
    except Refusal as refusal:
        messages.error(request, refusal.sentence, extra_tags="bad")
    return _back(request, visit, sent)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submission_note(request, slug: str, uuid):
    """Change the note and the own score of a file: in its row with htmx, else on a page."""
    visit, evaluation = own_file(request, slug, uuid)
    sent = evaluation.submission
    in_place = bool(request.htmx)
    context = {
        **page_of(visit),
        "file": sent,
        "item": listing.item(evaluation, set()),
        "note": sent.note,
        "note_length": intake.NOTE_LENGTH,
        "own_score": own_scores.text(sent.own_score),
        "own_score_pattern": own_scores.PATTERN,
        "back": _came_from(request),
    }
    form = "submissions/_list_note_form.html" if in_place else "submissions/list_note.html"
    if request.method != "POST":
        read = in_place and request.GET.get("read")
        return _private(render(request, "submissions/_list_note.html" if read else form, context))
    note, own = request.POST.get("note", ""), request.POST.get("own_score", "")
    try:
        notes.write(sent.team, sent, note=note, own_score=own)
    except Refusal as refusal:
        context |= {
            "note": note[: intake.NOTE_LENGTH],
            "own_score": own[: own_scores.LENGTH],
            "own_score_wrong": refusal.sentence,
        }
        return render(request, form, context, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if not in_place:
        return _back(request, visit, sent)
    context |= {"plot": plotting.plot(sent.team, visit.competition, visit.now), "oob": True}
    return _private(render(request, "submissions/_list_note_saved.html", context))


def _around(visit: Visit, team: Team, made: listing.Listing) -> dict:
    """Return what the list shows besides its rows."""
    competition, now = visit.competition, visit.now
    version = release_settings.in_force(competition, now)
    due = reminding.near(competition, now) and not made.chosen and bool(made.finals)
    return {
        **page_of(visit),
        "team": team,
        "list": made,
        "every": _every(made, now),
        "may_choose": access.may_choose_finals(visit.viewer, visit.state),
        "settings": release_settings.rule(version),
        "looks": looks.of(team, competition),
        "published": _published(visit, team),
        "due": due,
        **showing.today(team, competition, now, visit.viewer.user_id),
    }


def _published(visit: Visit, team: Team) -> dict:
    """Return the team's file whose private score the final ranking publishes, and that score."""
    standing = listing.published(team, visit.state)
    if standing is None:
        return {}
    at_close = release_settings.in_force(visit.competition, visit.competition.closes_at)
    score = outcomes.private_text(release_settings.rule(at_close), standing.score)
    return {"file": standing.submission_id, "score": score}


def _every(made: listing.Listing, now) -> str:
    """How often the list looks again: as the page of its latest unfinished file would."""
    waiting = [item.evaluation for item in made.unfinished if not item.told.final]
    latest = max(waiting, key=lambda evaluation: evaluation.queued_at, default=None)
    return progress.every(latest, now) if latest else "1s"


def _seen(text: str) -> dict[int, str]:
    """Read what the rows of a page showed: the number of a file and what names its state."""
    found = {}
    for part in text[:LONGEST_SEEN].split(",")[:MOST_SEEN]:
        number, _, key = part.partition(".")
        if number.isascii() and number.isdigit() and len(number) < 10:
            found[int(number)] = key
    return found


def _team(request, slug: str) -> tuple[Visit, Team]:
    """Return the visit and the viewer's own team; for who has none there is no such page."""
    visit = viewers.visit(request, slug)
    team = viewers.team_of(request.user, visit.competition)
    if team is None:
        raise Http404
    return visit, team


def _files(team: Team, request, name: str) -> list[Submission]:
    """Return the files of a team that a form names; another's is not found."""
    try:
        wanted = {uuid.UUID(text) for text in request.POST.getlist(name)[:1000]}
    except ValueError as unreadable:
        raise Http404 from unreadable
    found = list(Submission.objects.filter(team=team, uuid__in=wanted).select_related("team"))
    if len(found) != len(wanted):
        raise Http404
    return found


def _came_from(request) -> str:
    """Return the query of the list that a form was opened from; empty: from the file's page."""
    given = request.POST.get("back") or request.GET.get("back")
    return asking.read_back(given).address if given else ""


def _back(request, visit: Visit, sent: Submission):
    """Go back to the page of the file, or to the list as it was when the form was made."""
    slug, back = visit.competition.slug, request.POST.get("back")
    if not back:
        return see_other(reverse("submission", args=(slug, sent.uuid)))
    address = asking.read_back(back).address
    return see_other(reverse("submissions", args=(slug,)) + address.removesuffix("?"))


def _private(response):
    """Keep a team's files out of every cache, and apart from the part that htmx gets."""
    response["Cache-Control"] = "private, no-store"
    response["Vary"] = "HX-Request, Cookie"
    return response

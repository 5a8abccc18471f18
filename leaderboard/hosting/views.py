"""Pages for those who run a competition: hosts and staff; to everybody else they do not exist."""

import re
from datetime import UTC, date, datetime, time

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.competitions import release_settings as versions
from leaderboard.competitions import telling
from leaderboard.competitions.models import State
from leaderboard.hosting import console, drafting, drawing, figures, foreseeing, listing
from leaderboard.submissions import closing, intake
from leaderboard.submissions.models import Evaluation
from leaderboard.submissions.refusals import Refusal
from leaderboard.teams.viewers import host_visit
from scoring import release
from scoring.errors import BadSettings

NARROW, WIDE = 326, 1040
LONGEST_REASON = 300
# Looks for a simulation, half a second apart, before the page says that no worker answers.
MOST_LOOKS = 30
QUESTION = re.compile("[0-9a-f]{64}")


@require_safe
def activity(request, slug):
    """Show what goes on: teams, files, new scores against the cap, the queue."""
    context = console.context(request, slug, "activity")
    competition, now = context["competition"], context["now"]
    new_scores = figures.new_scores(competition, now)
    today, total = figures.sent_today(competition, now)
    days = figures.per_day(competition, now)
    context |= {
        "teams": figures.teams(competition),
        "today": today,
        "total": total,
        "checks": figures.checks(competition),
        "timing": figures.timing(competition),
        "new_scores": new_scores,
        "gauges": [(drawing.gauge(new_scores, width), width) for width in (WIDE, NARROW)],
        "bars": [(drawing.bars(new_scores, width), width) for width in (WIDE, NARROW)],
        "days": days,
        "chart": {
            "t": [_stamp(day) for day, _, _ in days],
            "subs": [sent for _, sent, _ in days],
            "teams": [teams for _, _, teams in days],
        },
        "silent": figures.silent_share(competition),
        "band": figures.blur(competition),
        "stuck": list(figures.stuck(competition)),
        "without_choice": figures.without_choice(competition),
    }
    return render(request, "hosting/activity.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def release_settings(request, slug):
    """Show, propose and change the release settings; a change is a new version with a reason."""
    context = console.context(request, slug, "release")
    competition, current = context["competition"], context["current"]
    if request.method == "POST":
        draft, reason, filled = _typed(request, competition, current)
        context |= {"filled": filled, "reason": reason[:LONGEST_REASON]}
        look_only = filled is not None or "1" in request.POST.getlist("redraw")
        if not look_only and _apply(request, competition, draft, reason, context):
            return redirect("host_release", slug=slug)
    else:
        wanted = request.GET.get("preset", "")
        draft = (
            drafting.of_preset(competition, current, wanted)
            if wanted in drafting.PRESETS and wanted != "custom"
            else drafting.in_force(competition, context["told"].row)
        )
        context["filled"] = wanted if wanted in drafting.PRESETS else None
    context |= _form(competition, current, draft)
    status = 422 if context.get("refused") else 200
    return render(request, "hosting/release.html", context, status=status)


def _typed(request, competition, current):
    """Return (draft, reason, preset to fill in or None).

    Who only chose another preset (without scripts nothing has filled it in yet) is shown its values
    first, and applies them with a second press.
    """
    sent = request.POST
    chosen, before = sent.get("preset", "custom"), sent.get("filled", "")
    # A character longer than allowed, so that too long a reason is refused and not cut.
    reason = intake.printable(sent.get("reason", ""), LONGEST_REASON + 1)
    if chosen != before and chosen in drafting.PRESETS and chosen != "custom":
        return drafting.of_preset(competition, current, chosen), reason, chosen
    return drafting.read(competition, current, sent, drafting.marks(competition)), reason, None


def _apply(request, competition, draft, reason: str, context: dict) -> bool:
    """Make a new version out of a draft; where it is refused, say so in the context."""
    context["refused"] = True
    problems = dict(draft.problems)
    if not reason:
        problems["reason"] = "Write a reason: the participants read it beside the change."
    elif len(reason) > LONGEST_REASON:
        problems["reason"] = f"A reason has at most {LONGEST_REASON} characters."
    if not problems:
        try:
            row = versions.change(competition, request.user, draft.preset, draft.settings, reason)
        except BadSettings as refusal:
            problems = refusal.problems
        else:
            messages.success(
                request,
                f"Version {row.version} holds for files accepted from now on. It is announced on "
                "the Evaluation tab.",
                extra_tags="good",
            )
            return True
    context["problems"] = problems
    return False


@require_safe
def release_preview(request, slug):
    """Say what settings would mean before they are applied: a part of the settings page."""
    context = console.context(request, slug, "release")
    competition, current = context["competition"], context["current"]
    draft = drafting.read(competition, current, request.GET, drafting.marks(competition))
    context |= _form(competition, current, draft)
    if draft.told:
        context |= _foreseen(competition, draft.settings)
    return render(request, "hosting/_preview.html", context)


def _foreseen(competition, settings) -> dict:
    """Return what a worker foresees of settings, or the name under which to look for it."""
    question = foreseeing.question(competition, settings)
    if question is None:
        return {}
    digest, found = foreseeing.ask(question)
    return {"digest": digest, "foreseen": found, "looks": 0}


@require_safe
def release_outlook(request, slug):
    """Draw what a worker foresaw of settings, or look again in a moment: a part of the page."""
    visit = host_visit(request, slug)
    digest, waited = request.GET.get("question", ""), request.GET.get("looks", "")
    looks = int(waited) + 1 if waited.isdecimal() and len(waited) < 4 else 1
    context = {
        "competition": visit.competition,
        "digest": digest,
        "foreseen": foreseeing.answer(digest) if QUESTION.fullmatch(digest) else None,
        "looks": looks,
        "gave_up": looks > MOST_LOOKS,
    }
    return render(request, "hosting/_outlook.html", context)


def _form(competition, current, draft) -> dict:
    """Return what the form and its preview show."""
    made = {
        "draft": draft,
        "advice": drafting.advice(competition, current),
        "baselines": [
            (mark, release.text(current, mark.value)) for mark in drafting.marks(competition)
        ],
        "rules": [release.describe(name) for name in release.names()],
        "references": drafting.REFERENCES,
        "recommended": telling.draft(
            drafting.recommended(competition, current, draft.preset), _advised(draft.preset)
        ),
        "parameters": {
            p["name"]: p for name in release.names() for p in release.describe(name)["parameters"]
        },
        "draft_problems": draft.problems,
    }
    if draft.told:
        made |= {
            "after": draft.told,
            "warnings": drafting.warnings(competition, draft.settings),
            "gap": telling.plain(abs(drafting.gap(competition, draft.settings))),
            "twice": telling.plain(2 * draft.settings.tau),
            "difference": telling.difference(telling.draft(current, draft.preset), draft.told),
            "tied": figures.tied_with_first(competition, draft.settings),
        }
    return made


def _advised(preset: str) -> str:
    """Return the preset whose values are recommended: Custom has none of its own."""
    return "open" if preset == "custom" else preset


@require_safe
def submissions(request, slug):
    """List all teams' files as their teams see them: no exact score, no private one."""
    context = console.context(request, slug, "submissions")
    context |= {
        "listing": listing.listing(context["competition"], request.GET, context["now"]),
        "stuck_count": figures.stuck(context["competition"]).count(),
    }
    partial = request.htmx and not request.htmx.history_restore_request
    name = "hosting/_listing.html" if partial else "hosting/submissions.html"
    return render(request, name, context)


@require_POST
def waive(request, slug, uuid):
    """Set a file aside that failed on our side."""
    return _decide(request, slug, uuid, closing.waive, "was set aside.")


@require_POST
def rescore(request, slug, uuid):
    """Score a file again that failed on our side."""
    return _decide(request, slug, uuid, closing.rescore, "is scored again.")


def _decide(request, slug, uuid, act, done: str) -> HttpResponse:
    visit = host_visit(request, slug)
    evaluation = get_object_or_404(
        Evaluation.objects.select_related("submission__team").order_by("-solution__version"),
        submission__uuid=uuid,
        submission__competition=visit.competition,
    )
    file = f"File {evaluation.submission.number} of {evaluation.submission.team.name}"
    try:
        act(evaluation, request.user)
    except Refusal as refusal:
        messages.error(request, f"{file}: {refusal.sentence}", extra_tags="bad")
    else:
        messages.success(request, f"{file} {done}", extra_tags="good")
    back = "host_close" if request.POST.get("back") == "close" else "host_submissions"
    return redirect(back, slug=slug)


@require_http_methods(["GET", "HEAD", "POST"])
def close(request, slug):
    """Show the way from live to revealed; a POST with the slug typed closes now."""
    context = console.context(request, slug, "close")
    competition = context["competition"]
    if request.method == "POST":
        if context["state"] in (State.DRAFT, State.UPCOMING):
            raise Http404
        if context["state"] != State.LIVE or _confirmed(request, competition):
            closing.close(competition, request.user)
            messages.success(request, "The competition is closed.", extra_tags="good")
            return redirect("host_close", slug=slug)
        context["wrong"] = "close"
    return _ending(request, context)


@require_POST
def reveal(request, slug):
    """Show the final ranking to everybody; once, however often it is pressed."""
    context = console.context(request, slug, "close")
    competition = context["competition"]
    if not competition.revealed_at and not _confirmed(request, competition):
        context["wrong"] = "reveal"
        return _ending(request, context)
    try:
        closing.reveal(competition, request.user)
    except Refusal as refusal:
        messages.error(request, refusal.sentence, extra_tags="bad")
    else:
        messages.success(request, "The final ranking is open to everybody.", extra_tags="good")
    return redirect("host_close", slug=slug)


def _confirmed(request, competition) -> bool:
    """Whether the slug was typed; spaces around it do not matter."""
    return request.POST.get("confirm", "").strip() == competition.slug


def _ending(request, context: dict) -> HttpResponse:
    competition, now = context["competition"], context["now"]
    asked = request.GET.get("confirm", "")
    context |= {
        "teams": figures.teams(competition),
        "stuck": list(figures.stuck(competition)),
        "waived": Evaluation.objects.filter(
            submission__competition=competition, waived_at__isnull=False
        ).count(),
        "without_choice": figures.without_choice(competition),
        "commitments": list(_commitments(competition)),
        "days_left": max((competition.closes_at - now).days, 0),
        "ask": context.get("wrong") or (asked if asked in ("close", "reveal") else ""),
        "typed": request.POST.get("confirm", "")[:80],
    }
    status = 422 if context.get("wrong") else 200
    return render(request, "hosting/close.html", context, status=status)


def _commitments(competition):
    solution = competition.solutions.order_by("-version").first()
    return solution.commitments.order_by("id") if solution else ()


def _stamp(day: date) -> int:
    """Seconds at the noon of a day, UTC: the middle of its bar."""
    return int(datetime.combine(day, time(12), tzinfo=UTC).timestamp())

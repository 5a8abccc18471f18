"""Pages of competitions: the list and the tabs that everybody reads."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q
from django.http import Http404
from django.shortcuts import get_object_or_404, render
from django.templatetags.static import static
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView

from leaderboard.competitions import (
    access,
    clock,
    coin_flips,
    experiment,
    sending,
    telling,
    viewers,
)
from leaderboard.competitions.models import Competition, Host, Participant, State
from scoring import metrics, release

SECTIONS = (
    ("drafts", "Drafts", (State.DRAFT,)),
    ("live", "Live", (State.LIVE,)),
    ("upcoming", "Upcoming", (State.UPCOMING,)),
    (
        "finished",
        "Finished",
        (State.CLOSING, State.FINAL_READY, State.REVEALED, State.ARCHIVED),
    ),
)
SHOWN_FINISHED = 6
SHOWN_ANNOUNCEMENTS = 3
SOON = timedelta(hours=24)
# Rules with a text of their own on the Evaluation tab; the others are told from the catalogue.
OWN_STEPS = frozenset({"gate", "sealed", "exact", "rounded"})


@dataclass(frozen=True)
class Card:
    """A competition in the list."""

    competition: Competition
    state: State
    now: datetime
    told: telling.Told | None

    @property
    def urgent(self) -> bool:
        return self.state == State.LIVE and self.competition.closes_at - self.now < SOON

    @property
    def closes_today(self) -> bool:
        return self.competition.closes_at.date() == self.now.date()


class Favicon(RedirectView):
    """Browsers ask for /favicon.ico whatever the page says."""

    permanent = True
    http_method_names = ("get", "head")

    def get_redirect_url(self, *args, **kwargs) -> str:
        return static("icon.svg")


@require_safe
def home(request):
    """List competitions by state; filters are a plain form, so every view has an address."""
    now = clock.now()
    wanted = _filters(request)
    cards = [
        card
        for card in (_card(row, now) for row in _listed(request.user))
        if _matches(card, wanted)
    ]
    sections = []
    for key, title, states in SECTIONS:
        found = [card for card in cards if card.state in states]
        if key == "finished":
            found.sort(key=lambda card: card.competition.closes_at, reverse=True)
        if key == "upcoming":
            found.sort(key=lambda card: card.competition.opens_at)
        if found and wanted["status"] in ("", key):
            cut = SHOWN_FINISHED if key == "finished" and not wanted["status"] else len(found)
            sections.append({"key": key, "title": title, "count": len(found), "cards": found[:cut]})
    context = {
        "section": "competitions",
        "sections": sections,
        "filters": wanted,
        "filtered": any(wanted.values()),
        "statuses": (("", "All"), *((key, title) for key, title, _ in SECTIONS[1:])),
        "metrics": sorted({metrics.get(card.competition.metric).title for card in cards}),
        "now": now,
    }
    partial = request.htmx and not request.htmx.history_restore_request
    return render(
        request, "competitions/_list.html" if partial else "competitions/home.html", context
    )


def _filters(request) -> dict:
    status = request.GET.get("status", "")
    return {
        "q": request.GET.get("q", "").replace("\0", "")[:100].strip(),
        "metric": request.GET.get("metric", "")[:80],
        "status": status if status in {key for key, _, _ in SECTIONS} else "",
        "mine": "1" if request.user.is_authenticated and request.GET.get("mine") else "",
    }


def _listed(user):
    """Published competitions, and a host's own drafts."""
    rows = Competition.objects.annotate(
        team_count=Count("teams", filter=Q(teams__disqualified_at=None, teams__merged_into=None)),
    ).prefetch_related("release_settings")
    if not user.is_authenticated:
        return rows.filter(published_at__isnull=False)
    mine = {"competition": OuterRef("pk"), "user": user}
    rows = rows.annotate(
        joined=Exists(Participant.objects.filter(**mine)),
        hosted=Exists(Host.objects.filter(**mine)),
    )
    if user.is_staff:
        return rows
    return rows.filter(Q(published_at__isnull=False) | Q(hosted=True))


def _card(competition: Competition, now: datetime) -> Card:
    told = telling.in_force(list(competition.release_settings.all()), now)
    return Card(competition, competition.state(now), now, told)


def _matches(card: Card, wanted: dict) -> bool:
    row = card.competition
    text = f"{row.title} {row.organiser} {row.tagline}".casefold()
    return (
        all(word in text for word in wanted["q"].casefold().split())
        and wanted["metric"] in ("", metrics.get(row.metric).title)
        and (not wanted["mine"] or row.joined)
    )


@require_safe
def scores(request):
    """Explain the release of scores to somebody who looks at no competition in particular."""
    rows, files, seed = (
        _one_of(request.GET.get("rows"), coin_flips.ROWS, 400),
        _one_of(request.GET.get("files"), coin_flips.FILES, 200),
        _one_of(request.GET.get("seed"), range(coin_flips.SEEDS), 1),
    )
    context = {
        "section": "scores",
        "example": coin_flips.example(rows, files, seed),
        "choices": {"rows": coin_flips.ROWS, "files": coin_flips.FILES},
    }
    if request.htmx and not request.htmx.history_restore_request:
        return render(request, "competitions/_coin_flips.html", context)
    context |= {
        "rules": [release.describe(name) for name in release.names()],
        "panels": experiment.panels(),
        "repetitions": experiment.repetitions(),
    }
    return render(request, "competitions/scores.html", context)


def _one_of(given: str | None, allowed, default: int) -> int:
    """Return a number of a form where it is one of those offered, else the default."""
    asked = int(given) if given and given.isascii() and given.isdigit() and len(given) < 6 else None
    return asked if asked in allowed else default


@require_safe
def overview(request, slug):
    """Show what the task is, when, and what it is about at a glance."""
    context = _context(request, slug, "overview")
    told = context["competition"].announcements.all()
    context["announcements"] = told[:SHOWN_ANNOUNCEMENTS]
    return render(request, "competitions/overview.html", context)


@require_safe
def data(request, slug):
    """Show the files, their columns and digests; links for those who may download."""
    context = _context(request, slug, "data")
    files = list(context["competition"].files.all())
    sample = next((file for file in files if file.name.startswith("sample_submission")), None)
    context |= {"files": files, "tables": _tables(files, sample), "sample": sample}
    return render(request, "competitions/data.html", context)


def _tables(files, sample) -> list[dict]:
    """Describe the columns of each file once: a file like an earlier one is told by what differs.

    The sample is described by its header alone.
    """
    made: list[dict] = []
    for file in files:
        if not file.columns or file == sample:
            continue
        names = [column["name"] for column in file.columns]
        like = next((t for t in made if t["columns"] and set(names) <= set(t["names"])), None)
        if like is None:
            made.append({"file": file, "names": names, "columns": file.columns})
        else:
            missing = [name for name in like["names"] if name not in names]
            made.append({"file": file, "names": names, "columns": [], "like": like["file"]})
            made[-1]["missing"] = missing
    return made


@require_safe
def data_file(request, slug, name):
    """Send one data file, as a download, to those who joined."""
    visit = viewers.visit(request, slug)
    if not visit.may_download:
        raise Http404
    file = get_object_or_404(visit.competition.files, name=name)
    return sending.data_file(request, file, visit.competition.opens_at)


@require_safe
def rules(request, slug):
    """Show the rules; joining means accepting them."""
    context = _context(request, slug, "rules")
    viewer = context["visit"].viewer
    if viewer.participant:
        context["participant"] = context["competition"].participants.get(user=viewer.user_id)
    return render(request, "competitions/rules.html", context)


@require_safe
def evaluation(request, slug):
    """Explain metric, rows, release rule, commitments and the final ranking."""
    context = _context(request, slug, "evaluation")
    competition, told = context["competition"], context["told"]
    solution = competition.solutions.order_by("-version").first()
    context |= {
        "solution": solution,
        "commitments": list(solution.commitments.order_by("id")) if solution else [],
        "changes": telling.changes(context["versions"]),
        "start_line": telling.start_line(competition),
        "split": _split(solution),
        "steps": f"competitions/release/_{told.rule}.html"
        if told and told.rule in OWN_STEPS
        else "competitions/release/_other.html",
    }
    return render(request, "competitions/evaluation.html", context)


def _split(solution) -> str:
    """Name the drawn widths of the two sets: their share, as far as a stylesheet needs it."""
    if solution is None or not solution.n_public:
        return "one"
    share = solution.n_public / (solution.n_public + solution.n_private)
    return "thirds" if share < 0.42 else "even" if share < 0.58 else "most"


def _context(request, slug: str, tab: str) -> dict:
    """Return what every tab shows: the visit and the settings in force."""
    visit = viewers.visit(request, slug)
    competition = visit.competition
    rows = list(competition.release_settings.select_related("created_by"))
    # A version announced for a later instant is nobody's business before it.
    rows = [row for row in rows if row.created_at <= visit.now]
    return {
        "section": "competitions",
        "tab": tab,
        "tab_title": tab.capitalize(),
        "visit": visit,
        "competition": competition,
        "viewer": visit.viewer,
        "state": visit.state,
        "now": visit.now,
        "metric": metrics.get(competition.metric),
        "versions": rows,
        "told": telling.in_force(rows, visit.now),
        "final": access.sees_final(visit.state),
    }

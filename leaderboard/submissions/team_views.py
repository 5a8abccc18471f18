"""Pages of a team: its members and what they share, invitations, and the acts on it."""

import functools

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.accounts import names
from leaderboard.competitions import telling
from leaderboard.competitions.viewers import Visit
from leaderboard.submissions import membership, merging, sharing
from leaderboard.submissions.visits import page_of, see_other
from leaderboard.teams import inviting, naming, owning, viewers
from leaderboard.teams.holding import OPEN, deadline, owner_of
from leaderboard.teams.joining import Refusal
from leaderboard.teams.models import Invitation, Member, MergeProposal, Team

# Questions that have a dialog with scripts and a panel without.
ASKS = ("rename", "leave", "remove", "hand_over")
# To whom the act is none of their business.
NOT_THERE = frozenset({"not_member", "not_invited", "unknown"})


@login_required
@require_safe
def team(request, slug: str):
    """Show a team to its members."""
    visit, own = _own(request, slug)
    return _page(request, visit, own)


def member_act(view):
    """Make a view of a POST by a member: `(request, visit, team)`; a refusal becomes a message."""

    @require_POST
    @functools.wraps(view)
    def wrapped(request, slug: str, **arguments):
        place = reverse("team", args=[slug])
        if not request.user.is_authenticated:
            # Back to the page, not to this address, which answers to POST only.
            return redirect_to_login(place)
        visit, own = _own(request, slug)
        try:
            answer = view(request, visit, own, **arguments)
        except Refusal as refused:
            if refused.code in NOT_THERE:
                raise Http404 from refused
            messages.error(request, refused.sentence, extra_tags="bad")
            answer = None
        return answer or see_other(place)

    return wrapped


@member_act
def rename(request, visit: Visit, own: Team):
    """Call the team by another name."""
    wanted = request.POST.get("name", "")
    try:
        made = naming.rename(own, wanted, request.user)
    except Refusal as refused:
        if refused.code not in ("bad_name", "taken_name", "reserved_name"):
            raise
        return _page(request, visit, own, ask="rename", fault=refused, given=wanted)
    messages.success(request, f"The team is called {made.name}.", extra_tags="good")
    return None


@member_act
def invite(request, visit: Visit, own: Team):
    """Invite by user name, or make a link that this one page shows."""
    if "name" not in request.POST:
        made, secret = inviting.invite_by_link(own, request.user)
        place = reverse("team_join", args=[visit.competition.slug, secret])
        link = request.build_absolute_uri(place)
        return _page(request, visit, own, new_link=link, new_invitation=made)
    wanted = request.POST["name"]
    try:
        made = inviting.invite_by_name(own, wanted, request.user)
    except Refusal as refused:
        if refused.code not in ("bad_name", "in_your_team"):
            raise
        return _page(request, visit, own, wrong="invite", fault=refused, given=wanted)
    messages.success(
        request,
        f"If somebody is called {made.name} here, the invitation is among their notices now.",
        extra_tags="good",
    )
    return None


@member_act
def revoke(request, visit: Visit, own: Team, uuid):
    """Take an invitation back."""
    inviting.revoke(get_object_or_404(Invitation, uuid=uuid, team=own), request.user)
    messages.success(request, "The invitation was taken back.", extra_tags="good")


@member_act
def leave(request, visit: Visit, own: Team):
    """Leave the team, its name typed."""
    typed = request.POST.get("confirm", "")
    if not _typed(request, own):
        return _page(request, visit, own, ask="leave", wrong="leave", given=typed)
    made = membership.leave(own, request.user)
    messages.success(
        request,
        f"You left the team {own.name}. You have a team of your own now, called {made.name}.",
        extra_tags="good",
    )
    return None


@member_act
def remove(request, visit: Visit, own: Team):
    """Remove a member."""
    user = _named(request, own).user
    membership.remove(own, user, request.user)
    messages.success(request, f"{user.username} is no longer in the team.", extra_tags="good")


@member_act
def hand_over(request, visit: Visit, own: Team):
    """Make another member the owner."""
    user = _named(request, own).user
    owning.hand_over(own, user, request.user)
    messages.success(request, f"{user.username} owns the team now.", extra_tags="good")


@member_act
def propose(request, visit: Visit, own: Team):
    """Propose to another team that this one takes it in."""
    wanted = request.POST.get("name", "")
    try:
        made = merging.propose(own, wanted, request.user)
    except Refusal as refused:
        if refused.code not in ("no_such_team", "own_team", "too_large", "disqualified"):
            raise
        return _page(request, visit, own, wrong="propose", fault=refused, given=wanted)
    messages.success(
        request, f"The team {made.other.name} was asked. Its owner decides.", extra_tags="good"
    )
    return None


@require_http_methods(["GET", "HEAD", "POST"])
def merge(request, slug: str, uuid):
    """Show to the team that is asked what a merge would mean; take either team's answer."""
    if not request.user.is_authenticated:
        return redirect_to_login(reverse("team", args=[slug]))
    visit, own = _own(request, slug)
    proposal = get_object_or_404(
        MergeProposal.objects.select_related("team__competition", "other__competition"),
        uuid=uuid,
        team__competition=visit.competition,
    )
    if request.method != "POST":
        if proposal.other_id != own.pk:
            raise Http404
        return _preview(request, visit, own, proposal)
    if own.pk not in (proposal.team_id, proposal.other_id):
        raise Http404
    try:
        return _answer(request, visit, own, proposal)
    except Refusal as refused:
        if refused.code in NOT_THERE:
            raise Http404 from refused
        messages.error(request, refused.sentence, extra_tags="bad")
    return see_other(reverse("team", args=[slug]))


def _answer(request, visit: Visit, own: Team, proposal: MergeProposal):
    """Do what the form of a proposal says."""
    act, done = request.POST.get("act"), ""
    if own.pk == proposal.team_id:
        # A second click of the other team's owner, who is in this team by then, does nothing.
        if act == "take_back":
            merging.take_back(proposal, request.user)
            done = "The proposal was taken back."
    elif act == "accept":
        if not _typed(request, own):
            return _preview(request, visit, own, proposal, wrong=True)
        stays = merging.accept(proposal, request.user)
        done = f"Your team is part of {stays.name} now."
    elif act == "decline":
        merging.decline(proposal, request.user)
        done = "The proposal was declined."
    if done:
        messages.success(request, done, extra_tags="good")
    return see_other(reverse("team", args=[visit.competition.slug]))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request, slug: str, secret: str):
    """Show an invitation with the rules to accept, and take the answer.

    Somebody signed out signs in or up first and comes back here.
    """
    visit = viewers.visit(request, slug)
    invitation = inviting.find(visit.competition, secret, request.user)
    if invitation is None:
        if not request.user.is_authenticated and len(secret) == len(str(Invitation().uuid)):
            # One by name: for whom is known after the sign-in alone.
            return redirect_to_login(request.path)
        raise Http404
    if request.method != "POST":
        return _invitation(request, visit, invitation)
    if not request.user.is_authenticated:
        return redirect_to_login(request.path)
    try:
        if request.POST.get("act") == "decline":
            inviting.decline(invitation, request.user)
            messages.success(request, "You declined the invitation.", extra_tags="good")
            return see_other(reverse("competition", args=[slug]))
        if not visit.viewer.participant and not request.POST.get("rules"):
            return _invitation(request, visit, invitation, wrong=True)
        made = membership.accept(invitation, request.user)
    except Refusal as refused:
        if refused.code in NOT_THERE:
            raise Http404 from refused
        return _invitation(request, visit, invitation, refused=refused)
    messages.success(request, f"You are in the team {made.name}.", extra_tags="good")
    return see_other(reverse("team", args=[slug]))


def _own(request, slug: str) -> tuple[Visit, Team]:
    """Return the visit and the viewer's own team; without one the page is not there."""
    visit = viewers.visit(request, slug)
    own = viewers.team_of(request.user, visit.competition)
    if own is None:
        raise Http404
    return visit, own


def _named(request, own: Team) -> Member:
    name = request.POST.get("member", "")
    for member in own.members.select_related("user"):
        if member.user.username == name:
            return member
    raise Http404


def _typed(request, own: Team) -> bool:
    """Whether the team's name was typed; spaces do not matter."""
    return names.clean(request.POST.get("confirm", "")) == own.name


def _page(request, visit: Visit, own: Team, *, ask: str = "", fault=None, **more):
    """Draw the team's page; `ask` opens a question, `wrong` names the form with the fault."""
    competition, user = visit.competition, request.user
    members, former = sharing.mates(own)
    you = next(mate for mate in members if mate.member.user_id == user.pk)
    asked = ask or request.GET.get("ask", "")
    about = next((mate for mate in members if mate.name == request.GET.get("member")), None)
    changes = visit.state in OPEN and not own.disqualified_at
    grows = changes and visit.now < deadline(competition)
    context = {
        **page_of(visit),
        "team": own,
        "members": members,
        "former": former,
        "you": you,
        "owner": members[0],
        "owns": you.member.owner and changes,
        "changes": changes,
        "grows": grows,
        "deadline": deadline(competition),
        "places": max(competition.max_team_size - len(members), 0),
        "invitations": inviting.open_invitations(own, visit.now) if you.member.owner else [],
        "waiting": inviting.waiting(user, competition),
        "asked": merging.open_proposals(visit.now).filter(other=own) if grows else [],
        "proposed": merging.open_proposals(visit.now).filter(team=own) if grows else [],
        "shared": sharing.shared(own, competition, visit.now, user),
        "ask": asked if asked in ASKS and (about or asked in ("rename", "leave")) else "",
        "about": about,
        "wrong": ask if fault else "",
        "fault": fault.sentence if fault else "",
        "limits": naming,
        **more,
    }
    status = 200 if not context["wrong"] else fault.status if fault else 422
    return render(request, "teams/team.html", context, status=status)


def _preview(request, visit: Visit, own: Team, proposal: MergeProposal, *, wrong: bool = False):
    member = own.members.get(user=request.user)
    preview = merging.preview(proposal)
    context = {
        **page_of(visit),
        "team": own,
        "proposal": proposal,
        # What is seen of the other team ends with the proposal.
        "preview": preview,
        "looks": sharing.looks_together(preview.stays.team, preview.joins.team, visit.competition),
        "owns": member.owner,
        "owner": owner_of(own),
        "ended": not merging.open_proposals(visit.now).filter(pk=proposal.pk).exists(),
        "new_scores": sharing.shared(own, visit.competition, visit.now, request.user).new_scores,
        "ask": wrong or request.GET.get("ask") == "accept",
        "wrong": "accept" if wrong else "",
        "given": request.POST.get("confirm", "")[:80],
    }
    return render(request, "teams/merge.html", context, status=422 if wrong else 200)


def _invitation(request, visit: Visit, invitation: Invitation, *, wrong=False, refused=None):
    competition, user = visit.competition, request.user
    mine = viewers.team_of(user, competition)
    inside = mine is not None and mine.pk == invitation.team_id
    carried = None
    if user.is_authenticated and not inside:
        refused = refused or membership.hindrance(invitation, user)
        carried = membership.carried(competition, user)
    elif not user.is_authenticated:
        refused = membership.ended(invitation)
    if refused and refused.code in NOT_THERE:
        raise Http404
    context = {
        **page_of(visit),
        "invitation": invitation,
        "team": invitation.team,
        "members": sharing.mates(invitation.team)[0],
        "mine": mine,
        "inside": inside,
        "refused": refused,
        "carried": carried,
        "wrong": wrong,
        "told": telling.in_force(
            list(competition.release_settings.filter(created_at__lte=visit.now)), visit.now
        ),
    }
    status = 422 if wrong else refused.status if refused else 200
    return render(request, "teams/join.html", context, status=status)

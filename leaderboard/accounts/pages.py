"""A person's own pages: the account, tokens, mail, other browsers, the second factor."""

from allauth.mfa import app_settings as mfa_settings
from allauth.mfa.adapter import get_adapter as mfa_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.views import ActivateTOTPView
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.db.models import F
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.accounts import factors, forms, tokens
from leaderboard.accounts.models import ApiToken, User


@require_safe
@login_required
def account(request):
    """Show a person's own account."""
    return _account(request)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@sensitive_variables("secret")
def new_token(request):
    """Ask for a token's name; make it and show its secret, which is shown only this once.

    The answer is the page itself and no redirect: the secret would have to be kept on the way.
    """
    form = forms.NewToken(request.POST or None, user=request.user)
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/token.html", {"form": form})
    token, secret = tokens.make(request.user, form.cleaned_data["name"])
    return _account(request, made=token, secret=secret)


@require_POST
@login_required
def revoke_token(request, token):
    """End one of the person's own tokens."""
    found = get_object_or_404(ApiToken, pk=token, user=request.user, revoked_at=None)
    tokens.revoke(found)
    messages.success(
        request,
        f"The token “{found.name}” was revoked. Programs that use it are refused from now on.",
        extra_tags="good",
    )
    return redirect("account")


@require_POST
@login_required
def choose_mail(request):
    """Keep which notices a person also wants by mail."""
    form = forms.MailChoice(request.POST, instance=request.user)
    # Boxes that are not ticked are not sent: every form of this kind is valid.
    User.objects.filter(pk=request.user.pk).update(
        **{name: name in request.POST for name in form.fields}
    )
    messages.success(request, "Your choice of mails is kept.", extra_tags="good")
    return redirect("account")


@require_POST
@login_required
def sign_out_browsers(request):
    """End the sessions of all other browsers; this one too where its button says so."""
    User.objects.filter(pk=request.user.pk).update(sign_outs=F("sign_outs") + 1)
    if request.POST.get("which") == "all":
        UserSession.objects.filter(user=request.user).delete()
        logout(request)
        messages.success(request, "You are signed out in every browser.", extra_tags="good")
        return redirect("account_login")
    request.user.refresh_from_db(fields=["sign_outs"])
    before = request.session.session_key
    update_session_auth_hash(request, request.user)
    mine = UserSession.objects.filter(user=request.user)
    mine.exclude(session_key=before).delete()
    mine.update(session_key=request.session.session_key)
    messages.success(request, "All other browsers are signed out.", extra_tags="good")
    return redirect("account")


class ActivateApp(ActivateTOTPView):
    """Show the secret of an authenticator app as a QR code and as text, and ask for a code."""

    def get_context_data(self, **kwargs):
        context = super().get_context_data(**kwargs)
        secret = context["form"].secret
        address = mfa_adapter().build_totp_url(self.request.user, secret)
        # In fours, as they are typed from a screen.
        groups = [secret[place : place + 4] for place in range(0, len(secret), 4)]
        return context | {"code": factors.qr_code(address), "secret_groups": groups}


def _account(request, **more):
    user = request.user
    factor_kinds = set(
        Authenticator.objects.filter(user=user).values_list("type", flat=True)
    ) & set(mfa_settings.SUPPORTED_TYPES)
    context = {
        "tokens": ApiToken.objects.filter(user=user, revoked_at=None),
        "new_token": forms.NewToken(user=user),
        "mail_choice": forms.MailChoice(instance=user),
        "sessions": _sessions(request),
        "second_factor": "totp" in factor_kinds,
        "connected": SocialAccount.objects.filter(user=user).exists(),
        "now": timezone.now(),
    }
    return render(request, "accounts/account.html", context | more)


def _sessions(request) -> list[UserSession]:
    """Return the browsers a person is signed in with, this one first."""
    found = UserSession.objects.purge_and_list(request.user)
    for session in found:
        session.here = session.session_key == request.session.session_key
    return sorted(found, key=lambda session: (not session.here, -session.last_seen_at.timestamp()))

"""Signing up, in and out, password and e-mail address: the library's views with our forms."""

from allauth.account import views as account_views
from allauth.account.internal.flows.email_verification import (
    send_verification_email_to_address,
)
from allauth.account.internal.stagekit import unstash_login
from allauth.account.models import EmailAddress
from django.contrib import messages
from django.db import IntegrityError, transaction
from django.shortcuts import redirect
from django.urls import reverse_lazy
from django.views.decorators.http import require_POST

from leaderboard.accounts import forms
from leaderboard.accounts.models import User


class SignIn(account_views.LoginView):
    """Sign in; `next` is followed within this site only."""

    form_class = forms.SignIn


class SignUp(account_views.SignupView):
    """Create an account."""

    form_class = forms.SignUp

    def form_valid(self, form):
        try:
            with transaction.atomic():
                return super().form_valid(form)
        except IntegrityError:
            # Between the question whether the name is free and the answer somebody else took it.
            form.add_error("username", "This user name was taken a moment ago.")
            return self.form_invalid(form)


class SignOut(account_views.LogoutView):
    """Sign out; only a form may, so that no link or image on another site can."""

    http_method_names = ("post", "options")


class ChangePassword(account_views.PasswordChangeView):
    """Change the password; other browsers are signed out by it."""

    form_class = forms.ChangePassword
    success_url = reverse_lazy("account")

    def get_default_success_url(self):
        return self.success_url


class SetPassword(account_views.PasswordSetView):
    """Set a first password, for somebody who came through another site."""

    form_class = forms.SetPassword
    success_url = reverse_lazy("account")

    def get_default_success_url(self):
        return self.success_url


class ChangeEmail(account_views.EmailView):
    """Change the e-mail address; it holds once the new one is confirmed."""

    form_class = forms.ChangeEmail

    def form_valid(self, form):
        user = self.request.user
        before = user.email
        response = super().form_valid(form)
        # The library lets go of an old address that was never confirmed; here it stays as well.
        User.objects.filter(pk=user.pk, email="").update(email=before)
        return response


class AskForReset(account_views.PasswordResetView):
    """Ask for a link to set a new password; known and unknown addresses get the same answer."""

    form_class = forms.AskForReset


class ResetPassword(account_views.PasswordResetFromKeyView):
    """Set a new password by the link of an e-mail."""

    form_class = forms.ResetPassword


class SignInAgain(account_views.ReauthenticateView):
    """Ask for the password before something that a stranger at the keyboard must not do."""

    form_class = forms.SignInAgain


class AskForCode(account_views.RequestReauthenticationCodeView):
    """Offer a code by mail to somebody without a password."""

    form_class = forms.AskForCode


class MailedCode(account_views.ConfirmReauthenticationCodeView):
    """Ask for the code of the mail."""

    form_class = forms.MailedCode


@require_POST
def confirm_again(request):
    """Send the confirming link once more, to whoever has just signed up or in with this browser.

    The answer is the same whether there is anybody to send it to.
    """
    login = unstash_login(request, peek=True)
    user = login.user if login else None
    address = EmailAddress.objects.get_primary(user) if user else None
    if address is None and user:
        address = EmailAddress.objects.filter(user=user, verified=False).first()
    if address and not address.verified:
        sent = send_verification_email_to_address(request, address, signup=login.signup)
        if not sent:
            messages.warning(
                request,
                "A link was sent a moment ago. Wait a minute before you ask for another.",
                extra_tags="warn",
            )
            return redirect("account_email_verification_sent")
    messages.success(request, "The link was sent again.", extra_tags="good")
    return redirect("account_email_verification_sent")

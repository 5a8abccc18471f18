"""Pages of accounts: the sign-in library's views with our forms and templates, and the account."""

from allauth.account import views as account_views
from django.contrib.auth.decorators import login_required
from django.shortcuts import render
from django.urls import reverse_lazy
from django.views.decorators.http import require_safe

from leaderboard.accounts import forms


class SignIn(account_views.LoginView):
    """Sign in; `next` is followed within this site only."""

    form_class = forms.SignIn


class SignUp(account_views.SignupView):
    """Create an account."""

    form_class = forms.SignUp


class SignOut(account_views.LogoutView):
    """Sign out; only a form may, so that no link or image on another site can."""

    http_method_names = ("post", "options")


class ChangePassword(account_views.PasswordChangeView):
    """Change the password; other browsers are signed out by it."""

    form_class = forms.ChangePassword
    success_url = reverse_lazy("account")

    def get_default_success_url(self):
        return self.success_url


class ChangeEmail(account_views.EmailView):
    """Change the e-mail address; it holds once the new one is confirmed."""

    form_class = forms.ChangeEmail


class AskForReset(account_views.PasswordResetView):
    """Ask for a link to set a new password; known and unknown addresses get the same answer."""

    form_class = forms.AskForReset


class ResetPassword(account_views.PasswordResetFromKeyView):
    """Set a new password by the link of an e-mail."""

    form_class = forms.ResetPassword


@require_safe
@login_required
def account(request):
    """Show a person's own account."""
    return render(request, "accounts/account.html")

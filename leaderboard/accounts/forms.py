"""Forms of accounts: the sign-in library's, with our words."""

from allauth.account import forms as account_forms
from django import forms
from django.conf import settings
from django.contrib.auth.password_validation import get_default_password_validators


def password_hint() -> str:
    """Say what a password needs, from the validators in force."""
    least = next(
        (v.min_length for v in get_default_password_validators() if hasattr(v, "min_length")), 8
    )
    return f"At least {least} characters, not only digits and not a common password."


class SignIn(account_forms.LoginForm):
    """User name or e-mail address, and password."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["login"].label = "User name or e-mail address"
        # The page has its own link for a forgotten password.
        self.fields["password"].help_text = ""
        days = settings.SESSION_COOKIE_AGE // 86_400
        if "remember" in self.fields:
            self.fields["remember"].label = f"Stay signed in for {days} days"
        _bare(self)


class SignUp(account_forms.SignupForm):
    """User name, e-mail address, password, and the promise of one account."""

    one_account = forms.BooleanField(
        label="I will use one account only.",
        error_messages={"required": "Each person may have one account only."},
    )
    field_order = ("username", "email", "password1", "one_account")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "User name"
        self.fields["username"].help_text = "Shown to others. It need not be your real name."
        self.fields["email"].label = "E-mail address"
        self.fields["email"].help_text = "To get back in when the password is lost. Never shown."
        self.fields["password1"].help_text = password_hint()
        _bare(self)


class ChangePassword(account_forms.ChangePasswordForm):
    """The password now, and the new one twice."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["oldpassword"].label = "Current password"
        self.fields["password1"].label = "New password"
        self.fields["password1"].help_text = password_hint()
        self.fields["password2"].label = "New password again"
        _bare(self)


class AskForReset(account_forms.ResetPasswordForm):
    """The address that a reset is sent to."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["email"].label = "E-mail address"
        _bare(self)


class ResetPassword(account_forms.ResetPasswordKeyForm):
    """A new password, twice."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["password1"].label = "New password"
        self.fields["password1"].help_text = password_hint()
        self.fields["password2"].label = "New password again"
        _bare(self)


class ChangeEmail(account_forms.AddEmailForm):
    """The new e-mail address."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["email"].label = "New e-mail address"
        _bare(self)


def _bare(form) -> None:
    """Drop placeholders: the label says it, and a placeholder vanishes while one types."""
    for field in form.fields.values():
        field.widget.attrs.pop("placeholder", None)

"""Forms of accounts: the sign-in library's, with our words."""

from allauth.account import forms as account_forms
from allauth.mfa.base import forms as mfa_forms
from allauth.mfa.totp import forms as totp_forms
from allauth.socialaccount import forms as social_forms
from django import forms
from django.conf import settings
from django.contrib.auth.password_validation import get_default_password_validators

from leaderboard.accounts.models import ApiToken, User

USER_NAME_HINT = (
    "Shown to others, and cannot be changed. It need not be your real name. Letters of one script, "
    "digits, - and _."
)
ONE_ACCOUNT_ERROR = "Each person may have one account only."
MOST_TOKENS = 20


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
        label="I will use one account only.", error_messages={"required": ONE_ACCOUNT_ERROR}
    )
    field_order = ("username", "email", "password1", "one_account")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "User name"
        self.fields["username"].help_text = USER_NAME_HINT
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


class SetPassword(account_forms.SetPasswordForm):
    """A first password, for somebody who came through another site."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["password1"].label = "Password"
        self.fields["password1"].help_text = password_hint()
        self.fields["password2"].label = "Password again"
        _bare(self)


class SignInAgain(account_forms.ReauthenticateForm):
    """The password, before something that a stranger at the keyboard must not do."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["password"].label = "Password"
        _bare(self)


class AskForCode(account_forms.RequestReauthenticationCodeForm):
    """Which address a code is sent to, where there are several."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        _bare(self)


class MailedCode(account_forms.ConfirmReauthenticationCodeForm):
    """The code of the mail."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["code"].label = "Code from the mail"
        _bare(self)


class SecondFactor(mfa_forms.AuthenticateForm):
    """The code of the authenticator app, or a recovery code."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        _as_code(self.fields["code"], "Code", "Of your authenticator app, or a recovery code.")
        _bare(self)


class SecondFactorAgain(mfa_forms.ReauthenticateForm):
    """The same, before something that a stranger at the keyboard must not do."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        _as_code(self.fields["code"], "Code", "Of your authenticator app, or a recovery code.")
        _bare(self)


class ActivateApp(totp_forms.ActivateTOTPForm):
    """The first code of a new authenticator app: it proves that the app has the secret."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        _as_code(self.fields["code"], "Code that the app shows now", "Six digits.")
        _bare(self)


class SignUpWith(social_forms.SignupForm):
    """User name and e-mail address of somebody who comes from another site."""

    one_account = forms.BooleanField(
        label="I will use one account only.", error_messages={"required": ONE_ACCOUNT_ERROR}
    )
    field_order = ("username", "email", "one_account")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "User name"
        self.fields["username"].help_text = USER_NAME_HINT
        self.fields["email"].label = "E-mail address"
        self.fields["email"].help_text = "Never shown."
        _bare(self)


class NewToken(forms.Form):
    """The name of a token: where it will be used."""

    name = forms.CharField(
        label="Name",
        max_length=60,
        help_text="Where it will be used, such as laptop.",
        error_messages={"required": "Give the token a name, so that you can tell it from others."},
    )

    def __init__(self, *args, user: User, **kwargs):
        super().__init__(*args, **kwargs)
        self.user = user

    def clean(self):
        held = ApiToken.objects.filter(user=self.user, revoked_at=None)
        if held.count() >= MOST_TOKENS:
            raise forms.ValidationError(
                f"You have {MOST_TOKENS} tokens, and that is the most. Revoke one you do not use."
            )
        if held.filter(name=self.cleaned_data.get("name")).exists():
            self.add_error("name", "You have a token of this name. Choose another one.")
        return self.cleaned_data


class MailChoice(forms.ModelForm):
    """Which notices a person also wants by mail."""

    class Meta:
        model = User
        fields = ("mail_announcements", "mail_deadlines", "mail_invitations", "mail_results")
        labels = {
            "mail_announcements": "Announcements of hosts",
            "mail_deadlines": "Changes of dates, and a reminder before a close",
            "mail_invitations": "Invitations and changes of my team",
            "mail_results": "Final results",
        }


def _as_code(field, label: str, hint: str) -> None:
    field.label, field.help_text = label, hint
    field.widget.attrs |= {"autocomplete": "one-time-code", "spellcheck": "false"}


def _bare(form) -> None:
    """Drop placeholders: the label says it, and a placeholder vanishes while one types."""
    for field in form.fields.values():
        field.widget.attrs.pop("placeholder", None)

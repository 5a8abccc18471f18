"""What the sign-in library asks the project: plain sentences, and silence where none is needed."""

from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings

from leaderboard.accounts import names
from leaderboard.accounts.models import User


class Adapter(DefaultAccountAdapter):
    """Plain sentences for refusals; the pages themselves show that somebody signed in or out."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_taken": "This user name is taken, or looks like one that is. Choose another one.",
        "email_taken": "There is already an account with this e-mail address.",
        "username_password_mismatch": "User name or password is wrong. Check both and try again.",
        "email_password_mismatch": "E-mail address or password is wrong. Check both and try again.",
        "too_many_login_attempts": (
            "Too many tries with a wrong password. Wait a few minutes and try again."
        ),
        "enter_current_password": "This is not your current password.",
        "incorrect_password": "This is not your password.",
        "incorrect_code": "This code is wrong or too old. Try again, or ask for a new one.",
        "rate_limited": "A mail was sent a moment ago. Wait a minute before you ask for another.",
        "same_as_current": "This is your address already.",
    }

    def clean_username(self, username, shallow=False):
        """Return a user name as it is kept; refuse a faulty one and one that looks taken."""
        name = names.clean(username)
        names.check_user_name(name)
        if not shallow and User.objects.filter(skeleton=names.skeleton(name)).exists():
            raise self.validation_error("username_taken")
        return name

    def get_client_ip(self, request):
        """Return the address that tries are counted by.

        Behind a proxy it is the one that the proxy saw, the last of the header's: what stands
        before it the client wrote. Without this all people would share the proxy's few tries.
        """
        seen = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.BEHIND_PROXY else ""
        return seen.rpartition(",")[2].strip() or super().get_client_ip(request)

    def _get_login_attempts_cache_key(self, request, **credentials):
        # By name and address: with the name alone a stranger could lock anybody out.
        # As it looks: neither case nor another form of the name gives new tries.
        name = names.skeleton(credentials.get("email") or credentials.get("username") or "")
        return f"{name} from {self.get_client_ip(request)}"

    def send_mail(self, template_prefix, email, context):
        """Send a mail whose links begin with SITE_URL.

        The library takes them from the Host header, which is for whoever asks to write: a link
        that sets a password would then lead a person's browser, key and all, to another site.
        """
        links = {
            name: settings.SITE_URL + urlsplit(link)._replace(scheme="", netloc="").geturl()
            for name, link in context.items()
            if name.endswith("_url") and isinstance(link, str)
        }
        super().send_mail(template_prefix, email, {**context, **links})

    QUIET = frozenset({"account/messages/logged_in.txt", "account/messages/logged_out.txt"})

    def add_message(
        self, request, level, message_template=None, message_context=None, extra_tags="", **kwargs
    ):
        """Keep the library's messages except the two that state the obvious."""
        if message_template not in self.QUIET:
            super().add_message(
                request,
                level,
                message_template,
                message_context,
                extra_tags=extra_tags or "good",
                **kwargs,
            )

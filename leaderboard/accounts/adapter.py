"""What the sign-in library asks the project: plain sentences, and silence where none is needed."""

from allauth.account.adapter import DefaultAccountAdapter


class Adapter(DefaultAccountAdapter):
    """Plain sentences for refusals; the pages themselves show that somebody signed in or out."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_taken": "This user name is taken.",
        "username_blacklisted": "This user name is reserved. Choose another one.",
        "email_taken": "There is already an account with this e-mail address.",
        "username_password_mismatch": "User name or password is wrong. Check both and try again.",
        "email_password_mismatch": "E-mail address or password is wrong. Check both and try again.",
        "too_many_login_attempts": (
            "Too many tries with a wrong password. Wait a few minutes and try again."
        ),
        "enter_current_password": "This is not your current password.",
    }
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

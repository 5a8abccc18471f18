"""Accounts of other sites (OpenID Connect): who may sign in with one, and as whom."""

from allauth.account.internal.userkit import filter_users_by_email
from allauth.account.models import EmailAddress
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter

from leaderboard.accounts import names


class Adapter(DefaultSocialAccountAdapter):
    """Plain sentences, and a person found by e-mail only where both sides verified the address."""

    error_messages = {
        **DefaultSocialAccountAdapter.error_messages,
        "email_taken": (
            "There is already an account with this e-mail address. Sign in to it first, then "
            "connect %s on your account page."
        ),
        "no_password": "Set a password first: without it nobody could sign in here any more.",
        "no_verified_email": "Confirm your e-mail address first: a lost password needs it.",
        "connected_other": "This account belongs to somebody else here.",
    }

    def authenticate_by_email(self, sociallogin):
        """Return the person of a verified address, or None.

        The provider's word alone is not enough: whoever wrote a stranger's address into an account
        here, without ever confirming it, would receive the stranger.
        """
        for address in sociallogin.email_addresses:
            if not address.verified:
                continue
            for user in filter_users_by_email(address.email, is_active=True, for_login=True):
                if EmailAddress.objects.filter(
                    user=user, email__iexact=address.email, verified=True
                ).exists():
                    return user, address.email
        return None

    def populate_user(self, request, sociallogin, data):
        """Propose a user name; keep neither first nor last name, which no page asks for."""
        user = super().populate_user(request, sociallogin, data)
        user.first_name = user.last_name = ""
        proposed = names.clean(user.username)
        user.username = "" if names.fault(proposed, 2, 30, names.SIGNS_OF_USERS) else proposed
        return user

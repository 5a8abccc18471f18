"""Signing in by user name as it was chosen or as it looks, and by e-mail address."""

from allauth.account.auth_backends import AuthenticationBackend

from leaderboard.accounts import names
from leaderboard.accounts.models import User


class Backend(AuthenticationBackend):
    """The sign-in library's backend, which finds names of every script in any case.

    The library asks the database to fold case, and SQLite folds ASCII only.
    """

    def _authenticate_by_username(self, username, password):
        return self._check_password(find(username), password)


def find(name: str) -> User | None:
    """Return the person of this user name in whatever case or compatible form, or None."""
    wanted = names.clean(name).casefold()
    user = User.objects.filter(skeleton=names.skeleton(name)).first()
    # Only the name itself signs in, not one that looks like it.
    return user if user and names.clean(user.username).casefold() == wanted else None

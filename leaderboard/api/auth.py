"""Who calls: a Bearer token in the header, and nothing else.

A session's cookie counts for nothing here, so no other site can make a browser call the API, and no
form needs a token against that.
"""

import time

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from ninja.security import HttpBearer
from ninja.throttling import BaseThrottle

from leaderboard.accounts import tokens
from leaderboard.api import errors

MINUTE = 60


class Token(HttpBearer):
    """A token of the account page, sent as `Authorization: Bearer TOKEN`."""

    openapi_description = (
        "A token of your account page. It is read from the header only, never from the address."
    )

    def __call__(self, request):
        """Set who calls; a call without credentials is nobody's, one with wrong ones is refused."""
        request.user = AnonymousUser()
        given = request.headers.get("Authorization")
        if given is None:
            return None
        scheme, _, secret = given.partition(" ")
        if scheme.lower() != self.openapi_scheme:
            raise errors.WrongToken
        return self.authenticate(request, secret.strip())

    def authenticate(self, request, token):
        user = tokens.owner(token)
        if user is None:
            raise errors.WrongToken
        request.user = user
        return user


def anybody(request):
    """Let a call without a token read what everybody may read."""
    return request.user


class Rate(BaseThrottle):
    """So many calls a minute of the clock, for a person with all tokens together, or an address.

    Counted in the site's cache, which all web processes share. Where it is weak: two calls at the
    same moment may count as one, and a new minute begins with nothing, so that a burst over its
    edge can be twice as large. It protects the site from a loop gone wild; the limits that decide
    about scores are quotas in the database.
    """

    def allow_request(self, request) -> bool:
        key = f"api-calls:{self.caller(request)}:{int(time.time() // MINUTE)}"
        used = cache.get(key, 0)
        if used >= settings.API_CALLS_A_MINUTE:
            return False
        cache.set(key, used + 1, 2 * MINUTE)
        return True

    def caller(self, request) -> str:
        if request.user.is_authenticated:
            return f"user-{request.user.pk}"
        try:
            return f"from-{get_adapter().get_client_ip(request)}"
        except PermissionDenied:
            # A server on a socket of its own does not know the address: all share one count.
            return "from-somewhere"

    def wait(self) -> float:
        return MINUTE - time.time() % MINUTE


PUBLIC = [Token(), anybody]
SIGNED_IN = [PUBLIC[0]]

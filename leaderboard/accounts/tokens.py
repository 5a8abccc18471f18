"""Tokens by which programs act for a person: made, shown once, kept as a digest, revoked."""

import hashlib
import secrets
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from leaderboard.accounts.models import ApiToken, User

START = "holdout_"
SECRET_BYTES = 32
# Signs of the secret that the account page shows again, so that tokens can be told apart.
SHOWN_SIGNS = len(START) + 4
# The last use is a hint for its owner; writing it at every call would cost each call a write.
TOUCH_EVERY = timedelta(minutes=1)


def make(user: User, name: str) -> tuple[ApiToken, str]:
    """Store a new token and return it with its secret, which nobody can be told again."""
    secret = START + secrets.token_urlsafe(SECRET_BYTES)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        start=secret[:SHOWN_SIGNS],
        digest=_digest(secret),
        created_at=timezone.now(),
    )
    return token, secret


def revoke(token: ApiToken) -> None:
    """End a token at once; a second call changes nothing."""
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def owner(secret: str) -> User | None:
    """Return whose secret this is, or None where it is unknown, revoked or of somebody gone."""
    if not secret.startswith(START) or not secret.isascii():
        return None
    token = (
        ApiToken.objects.select_related("user")
        .filter(digest=_digest(secret), revoked_at=None)
        .first()
    )
    if token is None or not token.user.is_active or token.user.deleted_at:
        return None
    at = timezone.now()
    ApiToken.objects.filter(
        Q(last_used_at=None) | Q(last_used_at__lt=at - TOUCH_EVERY), pk=token.pk
    ).update(last_used_at=at)
    return token.user


def _digest(secret: str) -> str:
    # Plain SHA-256 is enough: the secret has 256 random bits, nobody can try them.
    return hashlib.sha256(secret.encode()).hexdigest()

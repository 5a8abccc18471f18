"""Who: people with an account."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower

from leaderboard.accounts.names import VALIDATORS


class User(AbstractUser):
    """A person who can sign in; the user name is shown to others, the e-mail address never is."""

    username = models.CharField("user name", max_length=30, unique=True, validators=VALIDATORS)
    email = models.EmailField("e-mail address", blank=True)

    class Meta(AbstractUser.Meta):
        constraints = [
            # "Alice" must not be able to pass for "alice".
            models.UniqueConstraint(
                Lower("username"),
                name="accounts_user_name_once",
                violation_error_message="This user name is taken.",
            ),
        ]

"""Rows from before the rule of look-alikes get their skeletons; twins keep working."""

import importlib

import pytest
from django.apps import apps

from leaderboard.accounts import names
from leaderboard.accounts.models import User
from tests.leaderboard import factories

migration = importlib.import_module("leaderboard.accounts.migrations.0003_user_skeleton")


@pytest.mark.db
@pytest.mark.django_db
def test_the_older_of_two_twins_has_the_plain_skeleton():
    people = [factories.user(name) for name in ("alice", "bob", "charlie")]
    # As before the rule: names that only look alike.
    for number, user in enumerate(people):
        User.objects.filter(pk=user.pk).update(skeleton=f"old {number}")
    User.objects.filter(pk=people[2].pk).update(username="a1ice")
    migration.fill(apps, None)
    found = dict(User.objects.values_list("username", "skeleton"))
    assert found["alice"] == names.skeleton("alice")
    assert found["bob"] == "bob"
    assert found["a1ice"] == f"{names.skeleton('alice')}{names.TWIN}{people[2].pk}"

"""The limits that derive from one another are checked before anything starts."""

import pytest
from django.core.checks import Tags, run_checks
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from leaderboard.competitions.models import Competition
from leaderboard.submissions import tasks
from tests.leaderboard import factories


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({}, []),
        ({"SCORING_LEASE": 25}, ["SCORING_HARD_LIMIT (25 s) must be less than SCORING_LEASE"]),
        ({"VISIBILITY_TIMEOUT": 40}, ["SCORING_LEASE (40 s) must be less than VISIBILITY_TIMEOUT"]),
        (
            {"SCORING_LEASE": 10, "VISIBILITY_TIMEOUT": 5},
            ["SCORING_HARD_LIMIT (25 s) must", "SCORING_LEASE (10 s) must"],
        ),
    ],
)
def test_a_wrong_order_is_refused(settings, changes, faults):
    for name, value in changes.items():
        setattr(settings, name, value)
    found = [error.msg for error in run_checks() if error.id == "submissions.E001"]
    assert len(found) == len(faults)
    for message, start in zip(found, faults, strict=True):
        assert message.startswith(start)


@pytest.mark.db
def test_a_competitions_own_limit_stays_within_the_lease(settings):
    factories.competition("slow", hard_limit=39)
    call_command("check", "--tag", Tags.database, "--database", "default")
    Competition.objects.update(hard_limit=40)
    with pytest.raises(SystemCheckError, match="slow gives a file 40 s"):
        call_command("check", "--tag", Tags.database, "--database", "default")


def test_the_longest_task_ends_before_its_message_comes_back(settings):
    assert tasks.finalise.time_limit < settings.VISIBILITY_TIMEOUT

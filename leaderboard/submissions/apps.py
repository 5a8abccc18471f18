from django.apps import AppConfig
from django.core.checks import Tags, register

from leaderboard.submissions import limits


class SubmissionsConfig(AppConfig):
    name = "leaderboard.submissions"

    def ready(self):
        register(limits.limits_in_order)
        register(limits.hard_limits_within_the_lease, Tags.database)

from django.apps import AppConfig
from django.db.models.signals import post_migrate

from leaderboard.audit.triggers import restore


class AuditConfig(AppConfig):
    name = "leaderboard.audit"

    def ready(self):
        post_migrate.connect(restore, sender=self, dispatch_uid="audit.triggers")

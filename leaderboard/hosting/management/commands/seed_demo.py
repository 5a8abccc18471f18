"""`manage.py seed_demo`: fill a site whose worker runs with the demo competitions, once."""

from django.core.management.base import BaseCommand

from leaderboard.hosting import seeding


class Command(BaseCommand):
    help = "Fill the site with the demo competitions; a worker must run. A second run adds nothing."

    def handle(self, **options):
        seeding.seed(self.stdout.write)
        people = ", ".join(seeding.PARTICIPANTS)
        self.stdout.write(
            f"{seeding.HOST} hosts; {people} take part. Their password: {seeding.password()}"
        )

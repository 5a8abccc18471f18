"""`manage.py rebuild_entries`: make the board's rows again from what was told."""

from django.core.management.base import BaseCommand
from django.db import transaction
from django.db.models import F

from leaderboard.competitions.models import Competition
from leaderboard.submissions.models import Entry
from leaderboard.submissions.releasing import derive
from leaderboard.teams.models import Team

DERIVED = ("value", "reached_at", "reference", "used", "submissions", "last_accepted_at")


class Command(BaseCommand):
    help = "Make every team's entry again from its releases; --check only says what differs."

    def add_arguments(self, parser):
        parser.add_argument("slug", nargs="*", help="competitions (default: all)")
        parser.add_argument("--check", action="store_true", help="change nothing")

    def handle(self, slug, check, **options):
        competitions = Competition.objects.order_by("slug")
        if slug:
            competitions = competitions.filter(slug__in=slug)
        differing = 0
        for competition in competitions:
            differing += self._rebuild(competition, check)
        self.stdout.write(f"{differing} entries {'differ' if check else 'were made again'}.")

    def _rebuild(self, competition: Competition, check: bool) -> int:
        differing = 0
        with transaction.atomic():
            # Releases of this competition wait for the lock.
            Competition.objects.select_for_update(no_key=True).get(pk=competition.pk)
            for team in Team.objects.filter(competition=competition):
                kept = Entry.objects.filter(team=team).first()
                made = derive(team)
                if _same(kept, made):
                    continue
                differing += 1
                self.stdout.write(f"{competition.slug}: {team.name} differs")
                if not check:
                    _replace(kept, made)
            if differing and not check:
                Competition.objects.filter(pk=competition.pk).update(
                    board_version=F("board_version") + 1
                )
        return differing


def _same(kept: Entry | None, made: Entry | None) -> bool:
    if kept is None or made is None:
        return kept is made
    return all(getattr(kept, name) == getattr(made, name) for name in DERIVED)


def _replace(kept: Entry | None, made: Entry | None) -> None:
    if kept is not None:
        kept.delete()
    if made is not None:
        made.save()

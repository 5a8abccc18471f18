"""`manage.py load_competition FOLDER`: publish the competition that a folder describes."""

import sys
from pathlib import Path

from django.core.management.base import BaseCommand

from leaderboard.competitions import loading
from leaderboard.competitions.folder import BrokenFolder


class Command(BaseCommand):
    help = (
        "Publish a competition from a folder with competition.json, solution.csv, "
        "sample_submission.csv, baselines, data files and Markdown pages. The sample, the "
        "baselines and a perfect file are scored on both parts first; a folder with faults is "
        "refused, every fault named (exit code 2)."
    )

    def add_arguments(self, parser):
        parser.add_argument("folder", type=Path)
        parser.add_argument(
            "--within",
            type=Path,
            metavar="DIR",
            help="the folder that no named file may lie outside of (default: FOLDER itself)",
        )

    def handle(self, *, folder, within, **options):
        try:
            competition, trial = loading.load(folder, within=within)
        except BrokenFolder as refusal:
            self.stderr.write(f"{folder} was not loaded. What is wrong:")
            for fault in refusal.faults:
                self.stderr.write(f"- {fault}")
            sys.exit(2)
        for line in trial.report:
            self.stdout.write(line)
        for line in trial.warnings:
            self.stdout.write(f"Note: {line}")
        self.stdout.write(f"Published at /c/{competition.slug}/ ({competition.title}).")

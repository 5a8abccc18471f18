"""`manage.py up`: the whole site on one machine, without the demo's content."""

import sys

from django.core.management.base import BaseCommand

from leaderboard.hosting import running


class Command(BaseCommand):
    help = "Run the site on this machine: Redis, web and worker, until Ctrl-C."
    requires_system_checks = []
    before: list[tuple[str, list[str]]] = []
    email_verification = ""

    def create_parser(self, *arguments, **options):
        # The settings look for `--data` before this parser is made: an abbreviation that only the
        # parser knew would be taken for said and not be followed.
        return super().create_parser(*arguments, allow_abbrev=False, **options)

    def add_arguments(self, parser):
        parser.add_argument("--port", type=int, default=8000, help="0 takes any free port")
        parser.add_argument("--data", metavar="DIR", help="state and secrets (default .holdout/)")

    def handle(self, *, port, **options):
        try:
            code = running.run(
                port,
                self._say,
                before=self.before,
                after_ready=self.after_ready,
                email_verification=self.email_verification,
            )
        except running.CannotRun as refusal:
            self.stderr.write(str(refusal))
            code = 2
        sys.exit(code)

    def after_ready(self) -> list[str]:
        """Return what to say below the address."""
        return ["Stop with Ctrl-C."]

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()

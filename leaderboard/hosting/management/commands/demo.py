"""`manage.py demo`: the site filled with real competitions; a second run keeps what is there."""

from django.conf import settings

from leaderboard.hosting import seeding
from leaderboard.hosting.management.commands import up


class Command(up.Command):
    help = "Run a filled demo site on this machine until Ctrl-C."
    before = [("Filling the site with the demo competitions.", ["seed_demo"])]
    # There is no mail server behind a demo.
    email_verification = "none"

    def after_ready(self) -> list[str]:
        people = ", ".join(seeding.PARTICIPANTS)
        log = settings.DATA_DIR / "logs" / "worker.log"
        return [
            f"Sign in as {seeding.HOST} (hosts) or {people} (take part).",
            f"Password: {seeding.password()}",
            *([] if settings.EMAIL_HOST else [f"Mails are written to {log}"]),
            "Stop with Ctrl-C.",
        ]

"""`manage.py demo`: the site filled with real competitions; a second run keeps what is there."""

from leaderboard.hosting.management.commands import up


class Command(up.Command):
    help = "Run a filled demo site on this machine until Ctrl-C."
    before = [("Filling the site with the demo competitions.", ["seed_demo"])]
    after_ready = [
        "Sign in as hana (hosts) or alice, bob, charlie (take part); the password is demo-password.",
        "Stop with Ctrl-C.",
    ]
    # There is no mail server behind a demo.
    email_verification = "none"

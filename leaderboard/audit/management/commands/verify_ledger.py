"""`manage.py verify_ledger`: does the chain hold?"""

from django.core.management.base import BaseCommand, CommandError

from leaderboard.audit import ledger
from leaderboard.audit.models import LedgerHead


class Command(BaseCommand):
    help = "Verify the chain of the ledger; exit code 1 and every fault named where it is broken."

    def handle(self, **options):
        faults = ledger.verify()
        for fault in faults:
            self.stderr.write(fault)
        if faults:
            raise CommandError("The ledger does not verify.")
        head = LedgerHead.objects.filter(id=1).first() or LedgerHead()
        self.stdout.write(f"The ledger verifies: {head.seq} entries, head {head.digest}")

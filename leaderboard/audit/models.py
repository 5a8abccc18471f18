"""What happened: an append-only chain of entries that cannot be changed unnoticed."""

from django.db import models


class LedgerHead(models.Model):
    """The end of the chain: one row, locked while an entry is appended."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    seq = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=64, default="0" * 64)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="audit_one_head")]


class LedgerEntry(models.Model):
    """One act: its digest covers the digest before it, its kind, its time and its leaf.

    The leaf is a salted digest of the payload, so that a payload can be erased (a person asks for
    deletion) and the chain still verifies. Triggers refuse UPDATE and DELETE.
    """

    seq = models.PositiveBigIntegerField(unique=True)
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64, unique=True)
    kind = models.CharField(max_length=40)
    at = models.DateTimeField()
    # Without a foreign key: the chain outlives what it speaks of.
    competition = models.UUIDField(null=True, db_index=True)
    leaf = models.CharField(max_length=64)

    class Meta:
        ordering = ("seq",)


class LedgerPayload(models.Model):
    """What an entry says, with the salt that ties it to the entry's leaf."""

    entry = models.OneToOneField(LedgerEntry, on_delete=models.PROTECT, related_name="payload")
    salt = models.CharField(max_length=64)
    body = models.JSONField()

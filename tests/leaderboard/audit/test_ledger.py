"""The chain: what it holds, what breaks it, and that nothing else can change it."""

import uuid
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from leaderboard.audit import ledger, triggers
from leaderboard.audit.models import LedgerEntry, LedgerHead, LedgerPayload

pytestmark = pytest.mark.db
CONTEST = uuid.uuid4()


@pytest.fixture
def chain() -> list[LedgerEntry]:
    """Five entries."""
    return [ledger.append("test", CONTEST, {"n": n, "text": "é\u2028"}) for n in range(5)]


@pytest.fixture
def no_triggers():
    """The ledger as somebody with the database's own tools could change it."""
    triggers.remove()
    yield
    triggers.install()


def test_a_chain_verifies(chain):
    assert ledger.verify() == []
    assert [entry.seq for entry in chain] == [1, 2, 3, 4, 5]
    assert [entry.previous for entry in chain[1:]] == [entry.digest for entry in chain[:-1]]
    assert LedgerHead.objects.get().digest == chain[-1].digest


def test_an_empty_chain_verifies():
    assert ledger.verify() == []


@pytest.mark.parametrize(
    "body",
    [
        {"float": 1e300, "small": 1e-7, "whole": 1.0, "minus": -0.0},
        {"big": 2**70, "deep": [{"a": [1, None, True]}], "uuid": CONTEST},
        {"at": datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)},
        {},
    ],
)
def test_a_payload_comes_back_as_it_was_chained(body):
    ledger.append("test", None, body)
    assert ledger.verify() == []


def test_a_payload_that_cannot_be_told_is_refused():
    with pytest.raises(TypeError, match="cannot hold a set"):
        ledger.append("test", None, {"n": {1}})


@pytest.mark.parametrize(
    "field", ["previous", "digest", "leaf", "kind", "competition", "at", "seq"]
)
def test_changing_any_byte_of_an_entry_breaks_the_chain(chain, no_triggers, field):
    for entry in chain:
        before = getattr(entry, field)
        for changed in variants(before):
            LedgerEntry.objects.filter(pk=entry.pk).update(**{field: changed})
            assert ledger.verify(), (field, entry.seq, changed)
        LedgerEntry.objects.filter(pk=entry.pk).update(**{field: before})
        assert ledger.verify() == []


def variants(value) -> list:
    """The value with each of its characters changed, or a near neighbour."""
    if isinstance(value, str):
        return [
            value[:place] + ("1" if sign != "1" else "2") + value[place + 1 :]
            for place, sign in enumerate(value)
        ][::7]
    if isinstance(value, datetime):
        return [value.replace(microsecond=(value.microsecond + 1) % 10**6)]
    if isinstance(value, int):
        return [value + 100]
    return [None, uuid.uuid4()]


def test_changing_a_payload_or_its_salt_breaks_the_chain(chain, no_triggers):
    payload = chain[2].payload
    for changes in ({"body": {"n": 3}}, {"salt": "0" * 64}):
        LedgerPayload.objects.filter(pk=payload.pk).update(**changes)
        assert "What entry 3 says was changed" in ledger.verify()[0]


@pytest.mark.parametrize("place", [0, 2, 4])
def test_taking_an_entry_out_breaks_the_chain(chain, no_triggers, place):
    LedgerPayload.objects.filter(entry=chain[place]).delete()
    LedgerEntry.objects.filter(pk=chain[place].pk).delete()
    assert ledger.verify()


def test_an_erased_payload_leaves_the_chain_whole(chain):
    chain[1].payload.delete()
    assert ledger.verify() == []


def test_the_triggers_exist():
    assert triggers.names() == set(triggers.expected())


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_ledgerentry SET kind = 'other'",
        "DELETE FROM audit_ledgerentry",
        "UPDATE audit_ledgerpayload SET salt = ''",
        "TRUNCATE audit_ledgerentry CASCADE",
    ],
)
def test_the_database_refuses_to_change_the_ledger(chain, statement):
    if statement.startswith("TRUNCATE") and connection.vendor != "postgresql":
        pytest.skip("SQLite has no TRUNCATE")
    # PostgreSQL checks foreign keys late; with checks to do it would refuse for that reason.
    connection.check_constraints()
    with (
        pytest.raises(DatabaseError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)
    assert ledger.verify() == []


def test_the_triggers_come_back_with_every_migration(no_triggers):
    assert triggers.names() == set()
    call_command("migrate", "audit", verbosity=0)
    assert triggers.names() == set(triggers.expected())


def test_the_command_says_whether_the_chain_holds(chain, no_triggers, capsys):
    call_command("verify_ledger")
    assert f"5 entries, head {chain[-1].digest}" in capsys.readouterr().out
    LedgerEntry.objects.filter(seq=3).update(kind="other")
    with pytest.raises(CommandError, match="does not verify"):
        call_command("verify_ledger")
    assert "Entry 3 was changed" in capsys.readouterr().err


@pytest.mark.django_db(transaction=True)
def test_entries_of_many_threads_make_one_chain(together):
    def append(place):
        with transaction.atomic():
            return ledger.append("test", CONTEST, {"place": place}).seq

    assert sorted(together(append, 20)) == list(range(1, 21))
    assert ledger.verify() == []


def _append_and_fail(error: type[Exception]) -> None:
    with transaction.atomic():
        ledger.append("test", None, {"n": 2})
        raise error


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_fails_leaves_no_gap():
    class Stop(Exception):
        pass

    with transaction.atomic():
        ledger.append("test", None, {"n": 1})
    with pytest.raises(Stop):
        _append_and_fail(Stop)
    with transaction.atomic():
        ledger.append("test", None, {"n": 3})
    assert ledger.verify() == []
    assert LedgerEntry.objects.count() == 2

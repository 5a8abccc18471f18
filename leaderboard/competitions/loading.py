"""From a folder to a published competition: try it, seal its parts, write its records."""

import shutil
import tempfile
import zlib
from datetime import datetime
from pathlib import Path

import pandas as pd
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.text import Truncator

from leaderboard.audit import ledger
from leaderboard.competitions import clock, folder, keys, release_settings, store, trial
from leaderboard.competitions.models import (
    Baseline,
    Commitment,
    Competition,
    DataFile,
    Host,
    Solution,
)
from scoring import answers, release

CHUNK = 1 << 20
# The first line of a file that participants are shown; of a thousand classes not all.
HEADER_LENGTH = Competition._meta.get_field("sample_header").max_length
# Enough rows to tell a column's type and show an example.
PEEK_ROWS = 500


def load(place: Path, at: datetime | None = None, seeded: bool = False, within: Path | None = None):
    """Load a folder and return (competition, trial); raises BrokenFolder with every fault.

    `at` is the instant that relative dates count from and that the records carry (default: the
    database's present one); `within` is the folder that none of its files may lie outside of
    (default: the folder itself). No file with a whole solution is kept: the parts are sealed apart.
    """
    at = at or clock.now()
    read = folder.read(place, at, within, _refused_here)
    if read.closes_at <= at and not seeded:
        raise folder.BrokenFolder(
            ["competition.json, dates.closes: this instant has passed: nobody could take part."]
        )
    hosts = _hosts(read.description)
    settings.ANSWERS_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=settings.ANSWERS_DIR, prefix=".loading-") as workshop:
        prepared = Path(workshop) / "v1"
        tried = trial.run(read, prepared)
        with transaction.atomic():
            competition = _competition(read, tried, at, seeded)
            home = settings.ANSWERS_DIR / str(competition.uuid)
            try:
                _fill(competition, read, tried, hosts, at, prepared)
                _seal(prepared)
                home.mkdir(mode=0o700, exist_ok=True)
                prepared.rename(home / "v1")
            except BaseException:
                # The rows go with the transaction; what lies on the disk must go with them.
                shutil.rmtree(home, ignore_errors=True)
                shutil.rmtree(settings.DOWNLOADS_DIR / str(competition.uuid), ignore_errors=True)
                raise
    return competition, tried


def _seal(place: Path) -> None:
    """Close a folder of answers to every other account of the machine."""
    place.chmod(0o700)
    for path in place.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)


def _hosts(description: dict) -> list:
    names = description.get("hosts", [])
    return list(get_user_model().objects.filter(username__in=names))


def _refused_here(description: dict) -> list[str]:
    """Return what keeps a description from being loaded on this site."""
    known = {user.username for user in _hosts(description)}
    faults = [
        f"competition.json, hosts: nobody here has the user name '{name}'. A host creates an "
        "account first; HOLDOUT_DATA names the data folder of another site."
        for name in description.get("hosts", [])
        if name not in known
    ]
    if Competition.objects.filter(slug=description["slug"]).exists():
        faults.append(
            f"competition.json, slug: there is a competition at '{description['slug']}' "
            "already. Choose another address."
        )
    return faults


def _competition(read: folder.Folder, tried: trial.Trial, at, seeded: bool) -> Competition:
    description = read.description
    quotas, finals = description.get("quotas", {}), description.get("finals", {})
    given = {
        "daily_limit": quotas.get("daily"),
        "total_limit": quotas.get("total"),
        "rejected_limit": quotas.get("rejected"),
        "packed_limit": quotas.get("packed_mib") and quotas["packed_mib"] << 20,
        "unpacked_limit": quotas.get("unpacked_mib") and quotas["unpacked_mib"] << 20,
        "hard_limit": quotas.get("seconds"),
        "max_team_size": quotas.get("team_size"),
        "finals_count": finals.get("count"),
        "prize_ties": finals.get("prize_ties"),
        "board_names": description.get("board_names"),
        "late_files": description.get("late_files"),
        "expected_submissions": description.get("expected_submissions"),
    }
    competition = Competition(
        slug=description["slug"],
        title=description["title"],
        tagline=description.get("tagline", ""),
        organiser=description["organiser"],
        overview=read.pages["overview"],
        data_text=read.pages["data"],
        rules_text=read.pages["rules"],
        evaluation_text=read.pages["evaluation"],
        task=read.task.to_dict(),
        metric=read.metric.name,
        sample_header=Truncator(read.task.header).chars(HEADER_LENGTH),
        test_rows=tried.prepared.n_rows,
        published_at=min(at, read.opens_at),
        opens_at=read.opens_at,
        closes_at=read.closes_at,
        merge_deadline=read.merge_deadline,
        seeded=seeded,
        **{name: value for name, value in given.items() if value is not None},
    )
    try:
        competition.full_clean()
    except ValidationError as refusal:
        raise folder.BrokenFolder(
            [
                f"competition.json, {name}: {message}"
                for name, messages in refusal.message_dict.items()
                for message in messages
            ]
        ) from None
    competition.save()
    return competition


def _fill(competition, read: folder.Folder, tried: trial.Trial, hosts, at, prepared: Path) -> None:
    Host.objects.bulk_create(Host(competition=competition, user=user) for user in hosts)
    solution = Solution.objects.create(
        competition=competition,
        version=1,
        folder=f"{competition.uuid}/v1",
        n_rows=tried.prepared.n_rows,
        n_public=tried.prepared.n_public,
        n_private=tried.prepared.n_private,
        n_ignored=tried.prepared.n_ignored,
        standard_error=tried.standard_error,
    )
    keys.commit(
        solution,
        {
            Commitment.Tag.PUBLIC_PART: answers.artefact_bytes(prepared / "public"),
            Commitment.Tag.PRIVATE_PART: answers.artefact_bytes(prepared / "private"),
        },
    )
    _store_baselines(competition, tried)
    _store_files(competition, read)
    release_settings.change(
        competition,
        None,
        read.description.get("release", {}).get("preset", "course"),
        tried.settings,
        "Set at the launch.",
        at=competition.published_at,
    )
    ledger.append(
        "competition launched",
        competition.uuid,
        {
            "slug": competition.slug,
            "title": competition.title,
            "metric": competition.metric,
            "opens_at": competition.opens_at,
            "closes_at": competition.closes_at,
            "commitments": {c.tag: c.digest for c in solution.commitments.order_by("tag")},
            "seeded": competition.seeded,
        },
        at=at,
    )


def _store_baselines(competition: Competition, tried: trial.Trial) -> None:
    for number, mark in enumerate(tried.marks, 1):
        stored = store.write(
            settings.ANSWERS_DIR, f"{competition.uuid}/baselines", f"{number}", [mark.content]
        )
        Baseline.objects.create(
            competition=competition,
            name=mark.name,
            path=stored.path,
            value=release.steps(tried.settings, mark.score),
            start_line=mark.start_line,
            ruler=mark.ruler,
        )


def _store_files(competition: Competition, read: folder.Folder) -> None:
    sample = folder.PublishedFile(read.sample, "A file in the form that is expected")
    for position, file in enumerate([*read.files, sample]):
        with file.path.open("rb") as content:
            stored = store.write(
                settings.DOWNLOADS_DIR,
                str(competition.uuid),
                file.path.name,
                iter(lambda content=content: content.read(CHUNK), b""),
            )
        rows, columns = _described(file)
        DataFile.objects.create(
            competition=competition,
            name=file.path.name,
            description=file.description,
            path=stored.path,
            size=stored.size,
            sha256=stored.sha256,
            rows=rows,
            columns=columns,
            position=position,
        )


def _described(file: folder.PublishedFile) -> tuple[int | None, list[dict]]:
    """Return the number of rows and what the columns are, for a CSV file; else nothing."""
    if not file.path.name.endswith((".csv", ".csv.gz")):
        return None, []
    try:
        chunks = pd.read_csv(file.path, chunksize=100_000)
        first = next(iter(chunks))
        rows = len(first) + sum(len(chunk) for chunk in chunks)
    except (ValueError, StopIteration, OSError, EOFError, zlib.error):
        # The file is the organiser's to publish in any form; it is only not described.
        return None, []
    peek = first.head(PEEK_ROWS)
    return rows, [
        {
            "name": _shown(name),
            "type": _type(peek[name]),
            "description": file.columns.get(str(name), ""),
            "example": _example(peek[name]),
        }
        for name in first.columns
    ]


def _type(column: pd.Series) -> str:
    if pd.api.types.is_bool_dtype(column):
        return "true or false"
    if pd.api.types.is_integer_dtype(column):
        return "whole number"
    return "number" if pd.api.types.is_numeric_dtype(column) else "text"


def _example(column: pd.Series) -> str:
    values = column.dropna()
    return _shown(values.iloc[0])[:40] if len(values) else ""


def _shown(value) -> str:
    """A value of a file as text for a page; what does not print has no place there."""
    return "".join(sign for sign in str(value) if sign.isprintable())

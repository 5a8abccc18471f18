"""Try a competition before anybody sees it: real files, real scores, on both parts.

The numeric half of loading: a command or a worker imports this, a web process never does.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leaderboard.competitions import published
from leaderboard.competitions.folder import BrokenFolder, Folder
from scoring import answers, evaluate, intervals, reading, release
from scoring.errors import BadSettings, BadSolution, HoldoutError, Unscorable
from scoring.reading import Predictions

# The ruler's bootstrap: a fixed seed, so that loading a folder twice gives the same settings.
RULER_SEED = 20_150_807
MADE = {
    "label": "The most frequent class",
    "probability": "The share of positives",
    "probabilities": "The shares of the classes",
    "number": "The mean",
}


@dataclass(frozen=True)
class Mark:
    """A baseline that was tried: its exact public score in displayed units, and its file."""

    name: str
    score: float
    path: Path | None
    content: bytes
    start_line: bool
    ruler: bool


@dataclass(frozen=True)
class Trial:
    """What the trial found: everything that the records of a competition need."""

    prepared: answers.Prepared
    marks: tuple[Mark, ...]
    standard_error: float
    settings: release.ReleaseSettings
    warnings: tuple[str, ...]
    report: tuple[str, ...]


@dataclass(frozen=True)
class _Parts:
    ids: answers.Ids
    public: answers.Part
    private: answers.Part


def run(folder: Folder, target: Path) -> Trial:
    """Prepare the answers of a folder below `target` and try everything on them.

    Scores the sample, the baselines and a perfect file on both parts. Raises BrokenFolder with
    every fault that was found.
    """
    prepared = _prepare(folder, target)
    ids = answers.load_ids(target / "ids")
    parts = _Parts(
        ids,
        answers.load_part(target / "public", ids),
        answers.load_part(target / "private", ids),
    )
    faults: list[str] = []
    perfect = _try_perfect(folder, parts, faults)
    sample = _try_file(folder, "sample submission", folder.sample.read_bytes(), parts, faults)
    if sample and perfect and _scores(folder, parts, sample) == perfect:
        faults.append(
            "The sample submission scores as a perfect file does: it holds the answers, and "
            "everybody can download it."
        )
    faults += published.answers_given(folder)
    tried = [
        (baseline, predictions)
        for baseline in folder.baselines
        if (
            predictions := _try_file(
                folder, f"baseline '{baseline.name}'", baseline.path.read_bytes(), parts, faults
            )
        )
    ]
    if faults:
        raise BrokenFolder(faults)
    found = [
        (baseline.name, predictions, baseline.path, baseline.start_line)
        for baseline, predictions in tried
    ]
    if not found:
        found = [_made_baseline(folder, parts)]
    return _settle(folder, parts, prepared, found, perfect)


def _prepare(folder: Folder, target: Path) -> answers.Prepared:
    drawn = folder.description.get("split")
    options = {}
    if drawn:
        options["public_fraction"] = drawn["public_share"]
        options["rng"] = np.random.default_rng(drawn["seed"])
    try:
        evaluate.check(folder.task, folder.metric)
    except BadSolution as error:
        raise BrokenFolder(
            [f"competition.json, metric: {fault}" for fault in error.problems]
        ) from None
    try:
        return answers.prepare(folder.task, folder.solution, target, **options)
    except BadSolution as error:
        raise BrokenFolder(
            [f"{folder.solution.name}: {fault}" for fault in error.problems]
        ) from None


def _try_perfect(folder: Folder, parts: _Parts, faults: list[str]) -> tuple[float, float] | None:
    predictions = evaluate.perfect(folder.task, parts.ids.count, parts.public, parts.private)
    try:
        return _scores(folder, parts, predictions)
    except Unscorable as error:
        faults.append(f"A perfect file cannot be scored on both parts: {error.sentence}")
        return None


def _scores(folder: Folder, parts: _Parts, predictions: Predictions) -> tuple[float, float]:
    """Return the scores on the public and on the private part."""
    return tuple(
        evaluate.evaluate(folder.task, folder.metric, part, predictions)
        for part in (parts.public, parts.private)
    )


def _try_file(
    folder: Folder, what: str, content: bytes, parts: _Parts, faults: list[str]
) -> Predictions | None:
    try:
        predictions = reading.read(content, folder.task, parts.ids)
        _scores(folder, parts, predictions)
    except HoldoutError as error:
        faults.append(f"The {what} cannot be scored: {error.sentence}")
        return None
    return predictions


def _made_baseline(folder: Folder, parts: _Parts) -> tuple[str, Predictions, None, bool]:
    """Return the constant that a folder without baselines gets: class, prior or mean.

    From the public rows' labels; said so by its name on the board.
    """
    task, y, n = folder.task, parts.public.y, parts.ids.count
    if task.kind not in MADE:
        raise BrokenFolder(
            ["A task of kind text needs a baseline: name at least one file under 'baselines'."]
        )
    if task.kind == "label":
        values = np.full(n, np.bincount(y).argmax(), dtype=np.int32)
    elif task.kind == "probabilities":
        shares = np.bincount(np.asarray(y, int), minlength=len(task.value_columns)) / len(y)
        values = np.tile(shares, (n, 1))
    else:
        values = np.broadcast_to(np.mean(y, axis=0), (n, *np.shape(y)[1:])).astype(float)
    return MADE[task.kind], Predictions(values), None, True


def _settle(folder: Folder, parts: _Parts, prepared, found, perfect_scores) -> Trial:
    task, metric = folder.task, folder.metric
    scores = [evaluate.evaluate(task, metric, parts.public, item[1]) for item in found]
    order = sorted(range(len(found)), key=lambda i: scores[i], reverse=metric.greater_is_better)
    ruler, weakest = order[0], order[-1]
    start = next((i for i, item in enumerate(found) if item[3]), weakest)
    warnings = list(prepared.lint)
    error = _ruler(folder, parts, found[ruler][1], made=found[ruler][2] is None, warnings=warnings)
    try:
        settings = _settings(folder, parts, scores[start], error)
        warnings += release.warnings(
            settings,
            scores,
            parts.public.n,
            metric=metric,
            facts=evaluate.facts(task, parts.public),
        )
    except BadSettings as refusal:
        raise BrokenFolder(
            [f"competition.json, release.{name}: {why}" for name, why in refusal.problems.items()]
        ) from None
    marks = tuple(
        Mark(
            name=name,
            score=scores[i],
            path=path,
            content=path.read_bytes() if path else _as_csv(task, parts.ids, predictions),
            start_line=i == start,
            ruler=i == ruler,
        )
        for i, (name, predictions, path, _) in enumerate(found)
    )
    report = _report(folder, prepared, perfect_scores, marks, settings)
    return Trial(
        prepared, marks, settings.standard_error or error, settings, tuple(warnings), report
    )


def _ruler(folder: Folder, parts: _Parts, predictions, made: bool, warnings: list[str]) -> float:
    """Return the standard error of the strongest baseline; a made constant may have none."""
    error = intervals.standard_error(
        folder.task,
        folder.metric,
        parts.public,
        predictions,
        rng=np.random.default_rng(RULER_SEED),
    )
    if error > 0 or not made:
        return error
    known = evaluate.facts(folder.task, parts.public)
    delta = folder.metric.sensitivity(parts.public.n, **known)
    if delta is None:
        raise BrokenFolder(
            [
                "No baseline is given, the constant that was made in its place has a standard "
                "error of 0, and this metric has no bound to fall back on. Name a baseline whose "
                "predictions differ from row to row under 'baselines'."
            ]
        )
    warnings.append(
        "No baseline is given and a constant has no spread under this metric, so the ruler is the "
        "largest standard error the metric can have. A real baseline makes the threshold smaller."
    )
    return delta * math.sqrt(parts.public.n) / 2


def _settings(folder: Folder, parts: _Parts, start: float, error: float) -> release.ReleaseSettings:
    metric, given = folder.metric, dict(folder.description.get("release", {"preset": "course"}))
    preset = given.pop("preset")
    proposed = release.preset(
        preset,
        se=error,
        greater_is_better=metric.greater_is_better,
        low=metric.low,
        high=metric.high,
        start=start,
        n_public=parts.public.n,
        expected_submissions=folder.description.get("expected_submissions"),
        metric=metric,
    )
    if given and preset != "custom":
        raise BadSettings(dict.fromkeys(given, "Only the preset custom takes values of its own."))
    changed = {**proposed.to_dict(), **given}
    if "grid" in given:
        # The start line lies on the grid, so a grid of the organiser's own moves it.
        grid = release.ReleaseSettings.from_dict(changed).grid
        changed["start"] = format(release.presets.on_grid(proposed, grid, start), "f")
    return release.ReleaseSettings.from_dict(changed).validate()


def _as_csv(task, ids: answers.Ids, predictions: Predictions) -> bytes:
    columns = predictions.values
    if columns.ndim == 1:
        columns = columns[:, None]
    if task.kind == "label":
        columns = np.array(task.labels, dtype=object)[columns]
    names = ids.texts(np.arange(ids.count))
    rows = [
        ",".join([f'"{name}"', *(str(value) for value in row)])
        for name, row in zip(names, columns.tolist(), strict=True)
    ]
    return "\n".join([task.header, *rows, ""]).encode()


def _report(folder: Folder, prepared, perfect_scores, marks, settings) -> tuple[str, ...]:
    start = next(mark for mark in marks if mark.start_line)
    ruler = next(mark for mark in marks if mark.ruler)
    show = release.text
    public, private = perfect_scores
    lines = [
        f"{prepared.n_rows:,} rows: {prepared.n_public:,} public, {prepared.n_private:,} private, "
        f"{prepared.n_ignored:,} ignored.",
        f"Perfect file {public:.3f} on the public rows, {private:.3f} on the private rows.",
        f"The sample and {len(marks)} baseline{'s' * (len(marks) != 1)} scored on both parts.",
        f"Start line {show(settings, release.steps(settings, settings.start))} ({start.name}).",
        f"Ruler: {ruler.name}, standard error {settings.standard_error or 0:.4g}.",
    ]
    if settings.rule not in ("sealed", "exact"):
        lines.append(
            f"Rule {settings.rule}: threshold {settings.tau}, noise {settings.sigma_value}, "
            f"grid {settings.grid}, resolution {release.resolution(settings)}, "
            f"{settings.cap or 'any number of'} new scores a team."
        )
    return tuple(lines)

"""How to mend what a file was rejected for: a sentence for each code of the reader."""

from scoring.task import Task

TITLES = {
    "empty": "The file is empty",
    "header": "The header does not fit",
    "fields": "Lines with too many or too few fields",
    "quoting": "Quotation marks do not match",
    "encoding": "The text is not UTF-8",
    "rows": "Wrong number of rows",
    "duplicate": "Ids that occur twice",
    "ids": "Ids missing or unknown",
    "value": "Values that cannot be read",
    "missing": "Missing values",
    "range": "Values out of range",
    "sum": "Rows that do not add up to 1",
    "too_large": "Too large",
    "bad_archive": "The archive cannot be opened",
    "not_csv": "Not a file of this kind",
    "unscorable": "No score is defined for this file",
}
SAMPLE = "Start from the ids of the sample file and join your predictions to them."


def title(code: str) -> str:
    """Name a kind of fault."""
    return TITLES.get(code, "Problem")


def cure(code: str, task: Task) -> tuple[str, str]:
    """Return how to mend a fault: a sentence and, where one helps, a line of Python."""
    column = task.value_columns[0]
    chosen = f'df["{column}"]'
    low, high = (0, 1) if task.kind.startswith("probabilit") else (task.low, task.high)
    found = {
        "empty": ("Write the predictions to the file before you send it.", ""),
        "header": (f"The first line must be {task.header}", "df.to_csv(path, index=False)"),
        "fields": ("Let a CSV writer put the commas and quotation marks.", ""),
        "quoting": (
            "Let a CSV writer put the quotation marks; each opening one needs its end.",
            "",
        ),
        "encoding": ("Save the file as UTF-8.", 'df.to_csv(path, index=False, encoding="utf-8")'),
        "rows": (SAMPLE, f'sample[["{task.id_column}"]].merge(df, how="left")'),
        "duplicate": ("Keep one row for each id.", f'df.drop_duplicates("{task.id_column}")'),
        "ids": (SAMPLE, f'sample[["{task.id_column}"]].merge(df, how="left")'),
        "value": (_value_words(task), ""),
        "missing": (
            "Fill the gaps before you predict, or fill the prediction.",
            "" if task.kind in ("label", "text") else f"{chosen}.fillna({chosen}.mean())",
        ),
        "range": (
            "Clip the values to the allowed range before you save.",
            f"{chosen}.clip({_bound(low)}, {_bound(high)})",
        ),
        "sum": ("Divide each row by its sum before you save.", "p / p.sum(axis=1, keepdims=True)"),
        "too_large": ("Save fewer digits, or pack the file as .csv.gz or .parquet.", ""),
        "bad_archive": ("Pack one file, without a password, and send it again.", ""),
        "not_csv": ("Send .csv, .csv.gz, .zip with one file, or .parquet.", ""),
        "unscorable": ("Predict more than one value: a constant cannot be scored here.", ""),
    }
    return found.get(code, ("", ""))


def _value_words(task: Task) -> str:
    if task.kind == "label":
        return f"Write a label as it is spelled here: {', '.join(task.classes[:10])}."
    if task.kind == "text":
        return "Write the text as UTF-8."
    return "Write finite numbers with a point: 0.5, not 0,5 and not inf."


def _bound(value) -> str:
    return "None" if value is None else f"{value:g}"

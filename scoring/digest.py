"""A fingerprint of predictions: equal for the same canonical values on the same rows."""

import hashlib
import json

import numpy as np

from scoring.reading import Predictions
from scoring.task import Task


def digest(task: Task, predictions: Predictions, slots: np.ndarray | None = None) -> str:
    """SHA-256 of the canonical predictions on some rows, as 64 hex digits.

    slots: positions of the rows among the ids, None for all. The order, form and name of the
    file do not matter, nor do digits beyond the sixth; the kind of the task, its columns and its
    classes do.
    """
    values = predictions.values if slots is None else predictions.values[slots]
    form = [task.kind, list(task.value_columns), list(task.labels), list(values.shape)]
    hashed = hashlib.sha256(b"holdout predictions 1\n" + json.dumps(form).encode() + b"\n")
    if values.dtype == object:
        for text in values.tolist():
            encoded = text.encode()
            hashed.update(len(encoded).to_bytes(8, "little") + encoded)
    else:
        little = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
        hashed.update(little.data)
    return hashed.hexdigest()

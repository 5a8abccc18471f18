"""What every metric is called, means and is bounded by; importing this enters them all.

A snippet reads `y_true` and `y_pred` (and `classes` or `positive`, where it names them) and leaves
the result in `score`; the tests run each one and compare.
"""

from scoring.metrics.descriptors import (  # noqa: F401
    classification,
    probability,
    ranking,
    regression,
    retrieval,
    text,
)

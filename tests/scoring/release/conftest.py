import pytest

from scoring.release import ReleaseSettings, Sealed

KEY = bytes(range(32))


@pytest.fixture
def key():
    return KEY


@pytest.fixture
def identity():
    """The identity of predictions by their digest, in one competition."""
    return lambda digest, solution=1: ("competition", solution, "accuracy_score", 1, str(digest))


@pytest.fixture
def make():
    """Settings of a rule: grid 0.01, threshold 0.04, start line 0.50, accuracy; any field set."""

    def build(rule="gate", **changes):
        silent = rule in ("rounded", "exact", "sealed", "ladder_paired")
        fields = {
            "tau": "0" if silent else "0.04",
            "sigma_compare": "0" if silent else "0.005",
            "sigma_value": "0" if silent else "0.01",
            "grid": "0.01",
            "start": "0.50",
            "cap": 10,
            "standard_error": 0.02,
            "low": 0.0,
            "high": 1.0,
        }
        if rule == "thresholdout_laplace":
            fields |= {"sigma_value": "0.0015", "sigma_compare": "0.006", "extra": {"budget": 5}}
        return ReleaseSettings(rule, **(fields | changes)).validate()

    return build


@pytest.fixture
def sealed():
    """Sealed numbers of an exact score in hundredths, without noise unless given."""
    return lambda hundredths, draw=0, value=None: Sealed(
        round(hundredths * 20), draw, round(hundredths) if value is None else value
    )

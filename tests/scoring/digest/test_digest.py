import numpy as np

from scoring.digest import digest
from scoring.reading import Predictions
from scoring.task import Task

TASK = Task("id", ("x",), "number")


def test_digests_tell_predictions_apart():
    values = np.array([1.0, 2.0, 3.0])
    first = digest(TASK, Predictions(values))
    assert len(first) == 64
    assert digest(TASK, Predictions(values.copy(), ("a notice",))) == first
    assert digest(TASK, Predictions(np.array([1.0, 2.0, 3.00001]))) != first
    assert digest(Task("id", ("y",), "number"), Predictions(values)) != first


def test_only_the_rows_in_question_count():
    slots = np.array([0, 2], np.int32)
    one = digest(TASK, Predictions(np.array([1.0, 2.0, 3.0])), slots)
    two = digest(TASK, Predictions(np.array([1.0, 9.0, 3.0])), slots)
    assert one == two != digest(TASK, Predictions(np.array([1.0, 2.0, 4.0])), slots)


def test_texts_do_not_run_into_one_another():
    task = Task("id", ("x",), "text")
    one, two = np.empty(2, object), np.empty(2, object)
    one[:], two[:] = ["ab", "c"], ["a", "bc"]
    assert digest(task, Predictions(one)) != digest(task, Predictions(two))


def test_the_digest_is_fixed_for_all_time():
    """Noise and commitments hang on it: if this test fails, old records no longer match."""
    found = digest(TASK, Predictions(np.array([0.5, 0.0, -1.25e10])))
    assert found == "3572434e57e49bef0d37f78b5b8a62624bc4736db34013fe19d06f229ccba356"

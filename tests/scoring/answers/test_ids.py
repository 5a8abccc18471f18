"""Ids are found whole, whatever their kind, order and number."""

import numpy as np
import pyarrow as pa
import pytest

from scoring.answers import Ids, load_ids
from scoring.ids import UNKNOWN


def found(ids: Ids, block) -> list[int]:
    kind = pa.int64() if ids.kind == "int" else pa.string()
    slots = ids.find(pa.array(block, kind))
    return list(range(slots.start, slots.stop)) if isinstance(slots, slice) else slots.tolist()


@pytest.mark.parametrize("spread", [1, 3, 10**12], ids=["every", "dense", "sparse"])
def test_numbers(spread, tmp_path):
    rng = np.random.default_rng(1)
    numbers = (rng.permutation(20_000) - 7000) * spread
    Ids.of(numbers.tolist()).save(tmp_path)
    ids = load_ids(tmp_path)
    order = rng.permutation(20_000)
    assert found(ids, numbers[order]) == order.tolist()
    assert found(ids, numbers[500:900]) == list(range(500, 900))
    strangers = np.array([numbers.max() + 1, numbers.min() - 1, 2**63 - 1, -(2**63), numbers[3]])
    assert found(ids, strangers) == [UNKNOWN] * 4 + [3]
    assert ids.texts([0, 5]) == [str(numbers[0]), str(numbers[5])]


def test_texts_of_every_length(tmp_path):
    rng = np.random.default_rng(2)
    texts = sorted(
        {"é" * int(n % 7) + f"{n:x}" * int(1 + n % 5) for n in rng.integers(0, 10**6, 9000)}
    )
    texts = [texts[place] for place in rng.permutation(len(texts))]
    Ids.of(texts).save(tmp_path)
    ids = load_ids(tmp_path)
    order = rng.permutation(len(texts))
    assert found(ids, [texts[place] for place in order]) == order.tolist()
    assert found(ids, texts[10:99]) == list(range(10, 99))
    assert found(ids, ["", "nobody", "x" * 1000, texts[4] + "x" * 400, texts[4]]) == [-1] * 4 + [4]
    assert ids.find_texts(texts[5:7]).tolist() == [5, 6]
    assert ids.texts(range(len(texts))) == texts


def test_a_prefix_is_another_id():
    ids = Ids.of(["a", "ab", "abcdefgh", "abcdefghi"])
    assert found(ids, ["abcdefghi", "abcdefgh", "abc", "ab", "a"]) == [3, 2, -1, 1, 0]

"""Solutions become three artefacts, and a bad one is told all its faults at once."""

import gzip
import shutil

import numpy as np
import pytest

from scoring.answers import artefact_bytes, load_ids, load_part, prepare, split
from scoring.errors import BadSolution
from scoring.evaluate import evaluate
from scoring.reading import read
from scoring.task import Task

LABEL = Task("id", ("label",), "label", "int", classes=("cat", "dog"))
NUMBER = Task("id", ("mass",), "number", "int")
GOOD = (
    b"id,label,Usage,weight\n7,dog,PUBLIC,2\n3,cat,private,1\n9,dog,Ignored,\n1,cat,Private,0.5\n"
)


def test_three_artefacts(tmp_path):
    prepared = prepare(LABEL, GOOD, tmp_path)
    assert (prepared.n_rows, prepared.n_public, prepared.n_private, prepared.n_ignored) == (
        4,
        1,
        2,
        1,
    )
    ids = load_ids(tmp_path / "ids")
    assert ids.count == 4
    assert ids.texts(range(4)) == ["7", "3", "9", "1"]
    private = load_part(tmp_path / "private", ids)
    assert private.slots.tolist() == [1, 3]
    assert private.y.tolist() == [0, 0]
    assert private.weight.tolist() == [1, 0.5]
    assert load_part(tmp_path / "public", ids).y.tolist() == [1]


def test_reading_and_public_scores_need_no_private_part(tmp_path):
    prepare(LABEL, GOOD.replace(b",weight", b",Weight"), tmp_path)
    shutil.rmtree(tmp_path / "private")
    (tmp_path / "private").mkdir(mode=0)
    ids = load_ids(tmp_path / "ids")
    found = read(b"id,label\n1,cat\n3,dog\n7,dog\n9,cat\n", LABEL, ids)
    assert evaluate(LABEL, "accuracy", load_part(tmp_path / "public", ids), found) == 1


def test_ignored_rows_are_wanted_but_count_for_nothing(tmp_path):
    prepare(LABEL, GOOD, tmp_path)
    ids = load_ids(tmp_path / "ids")
    parts = [load_part(tmp_path / name, ids) for name in ("public", "private")]
    assert 2 not in np.concatenate([part.slots for part in parts])
    rows = b"id,label\n7,dog\n3,cat\n9,%s\n1,cat\n"
    scores = {
        evaluate(LABEL, "accuracy", part, read(rows % guess, LABEL, ids))
        for part in parts
        for guess in (b"cat", b"dog")
    }
    assert scores == {1.0}


def test_artefact_bytes_are_canonical(tmp_path):
    for name in ("a", "b"):
        prepare(LABEL, GOOD, tmp_path / name)
    prepare(LABEL, GOOD.replace(b"1,cat,Private", b"1,dog,Private"), tmp_path / "c")
    prepare(LABEL, GOOD.replace(b"\n7,", b"\n8,"), tmp_path / "d")
    first, same, label, other = (artefact_bytes(tmp_path / name / "private") for name in "abcd")
    assert first == same
    assert len({first, label, other}) == 3


def test_prepared_artefacts_are_never_overwritten(tmp_path):
    prepare(LABEL, GOOD, tmp_path)
    with pytest.raises(FileExistsError):
        prepare(LABEL, GOOD, tmp_path)


def test_a_part_belongs_to_its_ids(tmp_path):
    prepare(LABEL, GOOD, tmp_path / "a")
    prepare(LABEL, GOOD.replace(b"\n7,", b"\n8,"), tmp_path / "b")
    with pytest.raises(ValueError, match="other ids"):
        load_part(tmp_path / "a" / "public", load_ids(tmp_path / "b" / "ids"))


def faults(task: Task, text: str, tmp_path, **options) -> str:
    with pytest.raises(BadSolution) as caught:
        prepare(task, text.encode(), tmp_path, **options)
    assert not (tmp_path / "ids").exists()
    return " | ".join(caught.value.problems)


def test_all_faults_at_once(tmp_path):
    said = faults(
        LABEL,
        "id,label,Usage,weight\n1,cat,Public,1\n1,dog,Public,-1\n3,cow,Secret,x\n4,,Public,nan\n",
        tmp_path,
    )
    for piece in (
        "Duplicate ids (1): row 2 ('1')",
        "none of 'cat', 'dog': row 3 ('cow')",
        "no label in 'label': row 4",
        "Usage must be Public, Private or Ignored: row 3 ('Secret')",
        "No row has the Usage Private",
        "weight must be a finite number: row 3 ('x'), row 4 ('nan')",
        "weight must not be negative: row 2 ('-1')",
    ):
        assert piece in said


@pytest.mark.parametrize(
    ("task", "text", "piece"),
    [
        (LABEL, "", "empty"),
        (LABEL, "id,label,Usage\n", "no rows"),
        (LABEL, "key,label,Usage\n1,cat,Public\n", "no column 'id'"),
        (LABEL, "id,label\n1,cat\n", "no column Usage"),
        (LABEL, "id,x,y,Usage\n1,cat,dog,Public\n", "no label column 'label'"),
        (LABEL, "id,label,Usage\n1,cat,Public\nA1,dog,Private\n", "whole numbers"),
        (LABEL, "id,label,Usage\n1,cat,Public\n99999999999999999999,dog,Private\n", "18 digits"),
        (LABEL, "id,label,Usage\n1,cat\n2,dog,Public\n", "do not have 3 fields: line 2 has 2"),
        (LABEL, "id,id,Usage\n1,cat,Public\n", "names the column 'id' twice"),
        (
            NUMBER,
            "id,mass,Usage\n1,inf,Public\n2,1e999,Private\n",
            "row 1 ('inf'), row 2 ('1e999')",
        ),
        (NUMBER, "id,mass,Usage\n1,,Public\n2,3,Private\n", "no label in 'mass': row 1"),
        (
            Task("id", ("a", "b"), "probabilities"),
            "id,a,b,Usage\n1,1,1,Public\n2,0,1,Private\n",
            "exactly one 1 among zeros: row 1",
        ),
        (
            Task("id", ("p",), "probability"),
            "id,p,Usage\n1,0.5,Public\n2,1,Private\n",
            "none of '0', '1': row 1 ('0.5')",
        ),
        (
            Task("id", ("t",), "text", "str"),
            "id,t,Usage\n,a,Public\nx,b,Private\n",
            "Some rows have no id: row 1",
        ),
        (
            LABEL,
            "id,label,Usage,weight\n1,cat,Public,0\n2,dog,Private,1\n",
            "Public rows are all 0",
        ),
    ],
)
def test_faults(task, text, piece, tmp_path):
    assert piece in faults(task, text, tmp_path)


def test_one_label_column_or_one_hot(tmp_path):
    task = Task("id", ("p_a", "p_b"), "probabilities", classes=("a", "b"))
    for name, text in {
        "one": b"id,truth,Usage\n1,b,Public\n2,a,Private\n",
        "hot": b"id,p_a,p_b,Usage\n1,0,1,Public\n2,1.0,0.0,Private\n",
    }.items():
        prepare(task, text, tmp_path / name)
        ids = load_ids(tmp_path / name / "ids")
        assert load_part(tmp_path / name / "public", ids).y.tolist() == [1]


def test_the_positive_class_becomes_one(tmp_path):
    task = Task("id", ("p",), "probability", classes=("sick", "well"), positive="sick")
    prepare(task, b"id,p,Usage\n1,sick,Public\n2,well,Private\n", tmp_path)
    ids = load_ids(tmp_path / "ids")
    assert load_part(tmp_path / "public", ids).y.tolist() == [1]
    assert load_part(tmp_path / "private", ids).y.tolist() == [0]


def test_withheld_private_labels(tmp_path):
    text = b"id,label,Usage\n1,cat,Public\n2,,Private\n"
    assert "no label" in faults(LABEL, text.decode(), tmp_path)
    prepared = prepare(LABEL, text, tmp_path, withheld=True)
    assert prepared.withheld
    assert prepared.n_private == 1
    assert not (tmp_path / "private").exists()


def test_split_keeps_the_shares_of_classes():
    strata = np.random.default_rng(1).choice(3, 10_001, p=[0.05, 0.25, 0.7])
    public = split(10_001, rng=np.random.default_rng(2), fraction=0.3, strata=strata)
    assert public.sum() == 3000
    for place in range(3):
        of_class = strata == place
        assert abs(public[of_class].sum() - 0.3 * of_class.sum()) <= 1
    again = split(10_001, rng=np.random.default_rng(2), fraction=0.3, strata=strata)
    assert np.array_equal(public, again)
    other = split(10_001, rng=np.random.default_rng(3), fraction=0.3, strata=strata)
    assert 0.2 < (public & other).mean() / public.mean() < 0.4


def test_split_of_numbers_and_impossible_splits():
    numbers = np.random.default_rng(1).normal(size=(5000, 2))
    public = split(5000, rng=np.random.default_rng(2), strata=numbers)
    assert public.sum() == 2500
    assert abs(numbers[public, 0].mean() - numbers[:, 0].mean()) < 0.02
    with pytest.raises(BadSolution):
        split(3, rng=np.random.default_rng(2), fraction=0.1)


def test_a_split_is_made_where_none_is_given(tmp_path):
    text = "id,label\n" + "".join(f"{n},{'cat' if n % 3 else 'dog'}\n" for n in range(300))
    prepared = prepare(
        LABEL, text.encode(), tmp_path, public_fraction=0.4, rng=np.random.default_rng(1)
    )
    assert (prepared.n_public, prepared.n_private) == (120, 180)


@pytest.mark.parametrize(
    ("usage", "label", "piece"),
    [
        (lambda n, r: n < 200, lambda n, r: r % 2, "The split can be guessed from the order"),
        (lambda n, r: n % 2, lambda n, r: r % 2, "The split can be guessed from the rows next"),
        (lambda n, r: r % 2, lambda n, r: n < 200, "The labels can be guessed from the order"),
        (lambda n, r: r % 2, lambda n, r: r % 2, "public and the private rows differ"),
        (lambda n, r: r % 2, lambda n, r: r // 2 % 2, ""),
    ],
)
def test_lint(usage, label, piece, tmp_path):
    classes, parts = ("cat", "dog"), ("Private", "Public")
    draws = np.random.default_rng(4).integers(0, 1000, 400)
    rows = "".join(
        f"{draw * 400 + n},{classes[label(n, draw)]},{parts[usage(n, draw)]}\n"
        for n, draw in enumerate(draws.tolist())
    )
    lint = prepare(LABEL, f"id,label,Usage\n{rows}".encode(), tmp_path).lint
    assert piece in " ".join(lint)
    assert bool(piece) == bool(lint)


def test_every_packing_gives_the_same_artefacts(tmp_path):
    prepare(LABEL, GOOD, tmp_path / "a")
    prepare(LABEL, gzip.compress(GOOD.replace(b"\n", b"\r\n").replace(b",", b";")), tmp_path / "b")
    assert artefact_bytes(tmp_path / "a" / "private") == artefact_bytes(tmp_path / "b" / "private")

"""The whole road through real addresses on a running site: worker, Redis, database and all."""

import csv
import gzip
import io
import json
import re
import shutil
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from leaderboard.hosting.seeding import DEMO
from tests.browser.conftest import PASSWORD, person
from tests.person import Person

SLUG = "journey"
PENGUINS = DEMO / "penguins-sex"


@pytest.fixture(scope="module")
def contest(site, tmp_path_factory) -> str:
    """A live competition of hana's."""
    person(site, "hana")
    place = tmp_path_factory.mktemp("journey") / "penguins"
    shutil.copytree(PENGUINS, place)
    described = json.loads((place / "competition.json").read_text(encoding="utf-8"))
    described |= {"slug": SLUG, "title": "A journey", "quotas": {"daily": 8}}
    (place / "competition.json").write_text(json.dumps(described), encoding="utf-8")
    site.manage("load_competition", str(place))
    return SLUG


def entry(name: str) -> bytes:
    return (PENGUINS / "submissions" / name).read_bytes()


def parquet(content: bytes) -> bytes:
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    table = pa.table({name: [row[name] for row in rows] for name in rows[0]})
    made = io.BytesIO()
    pq.write_table(table, made)
    return made.getvalue()


def zipped(content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("predictions.csv", content)
    return made.getvalue()


def board(somebody: Person, query: str = "") -> dict[str, dict[str, str]]:
    text = somebody.get(f"/c/{SLUG}/leaderboard.csv{query}").text
    return {row["name"]: row for row in csv.DictReader(io.StringIO(text))}


def test_from_the_sign_up_to_the_final_ranking(site, contest):
    dora, eve, hana = (Person(site.url) for _ in range(3))

    # Signed out, all pages are readable and the submit button is a way in.
    assert "Sign in to submit" in dora.get(f"/c/{contest}/").text
    assert dora.get(f"/c/{contest}/submit/").path == "/signin/"
    assert dora.sign_up("dora").path != "/signup/"

    # Not joined: no data, no file; joined by accepting the rules: both.
    assert dora.get(f"/c/{contest}/data/train.csv").status == 404
    refused = dora.get(f"/c/{contest}/submit/")
    assert "form_token" not in refused.text
    dora.post(f"/c/{contest}/join/", page=f"/c/{contest}/rules/")
    train = dora.get(f"/c/{contest}/data/train.csv")
    assert train.body == (PENGUINS / "train.csv").read_bytes()
    assert train.headers["Content-Disposition"].startswith("attachment")

    # Four forms of file, each to its outcome.
    logreg = entry("04_logreg.csv")
    first = dora.upload(contest, "stump.csv", entry("02_mass-stump.csv"), note="one cut")
    assert re.fullmatch(rf"/c/{contest}/submissions/[0-9a-f-]{{36}}/", first.path)
    told = dora.outcome(first.path).text
    assert "New score 0." in told
    packed = dora.outcome(dora.upload(contest, "logreg.csv.gz", gzip.compress(logreg)).path).text
    assert "New score 0." in packed
    score = re.search(r"New score (0\.\d+)\.", packed)[1]
    for name, content in (("again.zip", zipped(logreg)), ("again.parquet", parquet(logreg))):
        again = dora.outcome(dora.upload(contest, name, content).path).text
        # The same predictions: the same answer, and no new score is used.
        assert f"New score {score}" in again, name
        assert "2 of 10" in again, name
    worse = dora.outcome(dora.upload(contest, "coin.csv", entry("03_coin.csv")).path).text
    assert f"No new score. This file is not clearly above your best, {score}." in worse

    # A file with faults costs nothing and says where they are.
    lines = logreg.decode().splitlines()
    lines[7] = lines[7].split(",")[0] + ",mael"
    bad = dora.outcome(dora.upload(contest, "bad.csv", "\n".join(lines).encode()).path).text
    assert "mael" in bad
    assert "did not use up a submission" in bad
    assert "line 8" in bad

    # The board: scores of the grid, nobody before the first released score.
    shown = board(dora)
    assert shown["dora"]["score"] == score
    eve.sign_up("eve")
    eve.post(f"/c/{contest}/join/", page=f"/c/{contest}/rules/")
    other = eve.outcome(eve.upload(contest, "male.csv", entry("01_all-male.csv")).path).text
    assert "not clearly above the start line" in other
    assert board(eve)["eve"]["score"] == ""
    assert "Not yet above the start line" in eve.get(f"/c/{contest}/leaderboard/").text
    assert eve.get(first.path).status == 404

    # Final choices, until the close.
    dora.post(f"{first.path}final/", page=f"/c/{contest}/submissions/", chosen="1")
    assert "1 of 2" in dora.get(f"/c/{contest}/submit/").text

    # The host changes the rule: announced, and for later files only.
    assert eve.get(f"/c/{contest}/host/").status == 404
    hana.sign_in("hana", PASSWORD)
    settings_page = hana.get(f"/c/{contest}/host/release/").text
    values = dict(re.findall(r'<input id="v-(\w+)"[^>]*? value="([^"]*)"', settings_page))
    start = re.search(r'name="start" value="([^"]+)"[^>]*checked', settings_page)[1]
    place = f"/c/{contest}/host/release/"
    form = values | {"preset": "custom", "filled": "custom", "rule": "gate", "start": start}
    unreasonable = hana.post(place, **(form | {"tau": "-1", "reason": "A test"}))
    assert unreasonable.status == 422
    assert board(dora)["dora"]["score"] == score
    changed = hana.post(place, **(form | {"cap": "2", "reason": "Fewer new scores from now on"}))
    assert changed.status == 200
    announced = dora.get(f"/c/{contest}/evaluation/").text
    assert "Fewer new scores from now on" in announced
    used_up = dora.outcome(dora.upload(contest, "knn.csv", entry("05_knn.csv")).path).text
    assert "Your new scores are used up." in used_up

    # Close: typed confirmation, then nothing more is accepted and nobody sees a private number.
    wrong = hana.post(f"/c/{contest}/host/close/", confirm="journy")
    assert wrong.status == 422
    assert board(dora, "?set=public")["dora"]["score"] == score
    hana.post(f"/c/{contest}/host/close/", confirm=contest)
    late = dora.get(f"/c/{contest}/submit/")
    assert "form_token" not in late.text
    for _ in range(200):
        page = hana.get(f"/c/{contest}/host/close/").text
        if 'data-dialog="reveal"' in page:
            break
    assert 'data-dialog="reveal"' in page, site.logs()
    assert "private_score" not in dora.get(f"/c/{contest}/leaderboard.csv").text
    hana.post(f"/c/{contest}/host/reveal/", page=f"/c/{contest}/host/close/", confirm=contest)
    final = board(dora)
    assert final["dora"]["place"] == "1"
    # The better of two files: the one that was chosen, and the latest new score.
    best = max(private_score(name) for name in ("02_mass-stump.csv", "04_logreg.csv"))
    assert float(final["dora"]["private_score"]) == pytest.approx(best)
    assert "Final" in dora.get(f"/c/{contest}/leaderboard/").text
    # The salts of the three commitments are published.
    salts = site.python(
        "from leaderboard.competitions.models import Commitment\n"
        f"found = Commitment.objects.filter(solution__competition__slug={contest!r})\n"
        "import time\n"
        "for _ in range(100):\n"
        "    if not found.filter(revealed_salt='').exists():\n"
        "        break\n"
        "    time.sleep(0.1)\n"
        "result = [len(c.revealed_salt) for c in found]"
    )
    assert salts == [64, 64, 64]
    assert "The ledger verifies" in site.manage("verify_ledger")


def private_score(name: str) -> float:
    rows = csv.DictReader(io.StringIO((PENGUINS / "submissions.csv").read_text(encoding="utf-8")))
    return next(float(row["private_accuracy"]) for row in rows if row["file"] == name)

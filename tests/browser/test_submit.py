"""Sending a file as people do: dropped on the page, checked only, followed to what is left."""

import gzip
import io
import json
import shutil
import zipfile

import pytest

from leaderboard.hosting.seeding import DEMO
from tests.browser.conftest import person

pytestmark = pytest.mark.browser
PENGUINS = DEMO / "penguins-sex"
GOOD = (PENGUINS / "submissions/04_logreg.csv").read_bytes()
MIDDLE = """
const box = arguments[0].getBoundingClientRect();
return [box.x + box.width / 2, box.y + box.height / 2];
"""


@pytest.fixture
def submit(browser, site, tmp_path) -> str:
    """The submit page of a competition of its own, opened by alice, who has joined it."""
    person(site, "hana", "alice")
    slug = f"submit-{tmp_path.name.replace('_', '-')}"[:60].rstrip("-").lower()
    place = tmp_path / "penguins"
    shutil.copytree(PENGUINS, place)
    described = json.loads((place / "competition.json").read_text(encoding="utf-8"))
    described |= {"slug": slug, "title": "Penguins of the test"}
    (place / "competition.json").write_text(json.dumps(described), encoding="utf-8")
    site.manage("load_competition", str(place))
    browser.sign_in("alice")
    browser.open(f"/c/{slug}/rules/")
    browser.click(f"form[action='/c/{slug}/join/'] button")
    browser.says("Submit predictions")
    browser.open(f"/c/{slug}/submit/")
    return f"/c/{slug}/submit/"


def drop(browser, folder, name: str, content: bytes) -> None:
    """Drag a file from outside over the drop zone and let it go there."""
    path = folder / name
    path.write_bytes(content)
    zone = browser.one("[data-drop]")
    browser.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", zone)
    x, y = browser.driver.execute_script(MIDDLE, zone)
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        event = {"type": kind, "x": x, "y": y, "data": data}
        browser.driver.execute_cdp_cmd("Input.dispatchDragEvent", event)
        assert kind != "dragOver" or "over" in zone.get_attribute("class").split()


def signs(browser) -> dict[str, str]:
    """Return the state of every check that is shown."""
    return {
        row.get_attribute("data-c"): row.get_attribute("class")
        for row in browser.all(".checks li[data-c]")
        if row.is_displayed()
    }


def all_good(browser) -> bool:
    found = signs(browser)
    return len(found) >= 6 and set(found.values()) == {"ok"}


def test_a_file_is_dropped_sent_and_what_is_left_is_told(browser, submit, tmp_path):
    limit = int(browser.text_of("[data-left]").split(" of ")[1].split()[0])
    assert f"You have {limit} of {limit} submissions left today" in browser.text()
    sent = gzip.compress(GOOD)
    drop(browser, tmp_path, "model.csv.gz", sent)
    browser.until(lambda: all_good(browser), f"the checks did not pass: {signs(browser)}")
    assert browser.text_of("[data-name]") == "model.csv.gz"
    browser.click("[data-send]")
    browser.until(lambda: "/submissions/" in browser.driver.current_url, "no submission page")
    browser.until(lambda: "New score" in browser.text(), "no outcome", seconds=20)
    browser.says(f"You have {limit - 1} of {limit} submissions left today")
    browser.says("How long it took")
    # The very bytes again are known before they are sent.
    browser.open(submit)
    drop(browser, tmp_path, "again.csv.gz", sent)
    browser.says("the same file as your file 1 (new score")
    assert signs(browser)["new"] == "warn"
    browser.click("[data-clear]")
    drop(browser, tmp_path, "plain.csv", GOOD)
    browser.until(lambda: all_good(browser) and "new" in signs(browser), "other bytes")


def test_check_only_finds_faults_and_then_submits_what_passed(browser, submit, tmp_path):
    bad = GOOD.decode().splitlines()
    bad[3] = bad[3].rsplit(",", 1)[0] + ",mael"
    drop(browser, tmp_path, "bad.csv", "\n".join(bad).encode())
    browser.until(lambda: signs(browser).get("val") == "bad", "the browser found no fault")
    browser.click("[data-check-only]")
    browser.until(lambda: "/check/" in browser.driver.current_url, "no page of the check")
    browser.says("Checked: 1 problem", seconds=20)
    browser.says("mael")
    browser.click("a.btn.primary[href$='/submit/']")
    drop(browser, tmp_path, "good.csv", GOOD)
    browser.until(lambda: all_good(browser), "the checks did not pass")
    browser.click("[data-check-only]")
    browser.until(lambda: "/check/" in browser.driver.current_url, "no page of the check")
    browser.says("Checked: valid", seconds=20)
    assert browser.barriers() == []
    browser.click("form[action$='/submit/'] button[type=submit]")
    browser.until(lambda: "/submissions/" in browser.driver.current_url, "no submission page")
    browser.until(lambda: "New score" in browser.text(), "no outcome", seconds=20)


def test_files_the_browser_cannot_read_are_said_to_be_so(browser, submit, tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("model.csv", GOOD)
    for name, content, words in (
        ("model.zip", packed.getvalue(), "inside a .zip"),
        ("model.parquet", b"PAR1" + bytes(100), "in a Parquet file"),
        ("model.csv", "é".encode("latin-1") * 9, "not in UTF-8"),
        ("other.csv", GOOD.replace(b"\n", b"\n9", 1), "is not among them"),
    ):
        drop(browser, tmp_path, name, content)
        browser.says(words)
        assert browser.one("[data-check-only]").is_enabled()
        browser.click("[data-clear]")
        browser.until(lambda: browser.one("[data-drop]").is_displayed(), "no drop zone")

"""Sending a file as people do: dropped on the page, checked only, followed to what is left."""

import base64
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
# A file dragged onto an element, as the browser itself would put it there.
DROP = """
const [zone, input, name, content] = arguments;
const bytes = Uint8Array.from(atob(content), c => c.charCodeAt(0));
const data = new DataTransfer();
data.items.add(new File([bytes], name));
zone.dispatchEvent(new DragEvent("dragenter", {dataTransfer: data, bubbles: true}));
zone.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
input.files = data.files;
input.dispatchEvent(new Event("change", {bubbles: true}));
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


def drop(browser, name: str, content: bytes) -> None:
    zone, box = browser.one("[data-drop]"), browser.one("input[type=file]")
    browser.driver.execute_script(DROP, zone, box, name, base64.b64encode(content).decode())


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


def test_a_file_is_dropped_sent_and_what_is_left_is_told(browser, submit):
    limit = int(browser.text_of("[data-left]").split(" of ")[1].split()[0])
    assert f"You have {limit} of {limit} submissions left today" in browser.text()
    drop(browser, "model.csv.gz", gzip.compress(GOOD))
    browser.until(lambda: all_good(browser), f"the checks did not pass: {signs(browser)}")
    assert browser.text_of("[data-name]") == "model.csv.gz"
    browser.click("[data-send]")
    browser.until(lambda: "/submissions/" in browser.driver.current_url, "no submission page")
    browser.until(lambda: "New score" in browser.text(), "no outcome", seconds=20)
    browser.says(f"You have {limit - 1} of {limit} submissions left today")
    browser.says("How long it took")
    # The very bytes again are known before they are sent.
    browser.open(submit)
    drop(browser, "again.csv.gz", gzip.compress(GOOD))
    browser.until(lambda: "new" in signs(browser), "the file was not recognised")
    again = signs(browser)["new"]
    said = browser.text()
    # gzip writes the time of packing, so that other bytes may come of the same rows.
    assert again == ("warn" if "the same file as your file 1" in said else "ok")


def test_check_only_finds_faults_and_then_submits_what_passed(browser, submit):
    bad = GOOD.decode().splitlines()
    bad[3] = bad[3].rsplit(",", 1)[0] + ",mael"
    drop(browser, "bad.csv", "\n".join(bad).encode())
    browser.until(lambda: signs(browser).get("val") == "bad", "the browser found no fault")
    browser.click("[data-check-only]")
    browser.until(lambda: "/check/" in browser.driver.current_url, "no page of the check")
    browser.says("Checked: 1 problem", seconds=20)
    browser.says("mael")
    browser.click("a.btn.primary[href$='/submit/']")
    drop(browser, "good.csv", GOOD)
    browser.until(lambda: all_good(browser), "the checks did not pass")
    browser.click("[data-check-only]")
    browser.until(lambda: "/check/" in browser.driver.current_url, "no page of the check")
    browser.says("Checked: valid", seconds=20)
    assert browser.barriers() == []
    browser.click("form[action$='/submit/'] button[type=submit]")
    browser.until(lambda: "/submissions/" in browser.driver.current_url, "no submission page")
    browser.until(lambda: "New score" in browser.text(), "no outcome", seconds=20)


def test_files_the_browser_cannot_read_are_said_to_be_so(browser, submit):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("model.csv", GOOD)
    for name, content, words in (
        ("model.zip", packed.getvalue(), "inside a .zip"),
        ("model.parquet", b"PAR1" + bytes(100), "in a Parquet file"),
        ("model.csv", "é".encode("latin-1") * 9, "not in UTF-8"),
        ("other.csv", GOOD.replace(b"\n", b"\n9", 1), "is not among them"),
    ):
        drop(browser, name, content)
        browser.says(words)
        assert browser.one("[data-check-only]").is_enabled()
        browser.click("[data-clear]")

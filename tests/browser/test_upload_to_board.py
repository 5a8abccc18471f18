"""From the sign-up to the board, and from the close to the final ranking, as people do it."""

import json
import shutil

import pytest

from leaderboard.hosting.seeding import DEMO
from tests.browser.conftest import PASSWORD, person

pytestmark = pytest.mark.browser
PENGUINS = DEMO / "penguins-sex"


@pytest.fixture
def contest(site, tmp_path) -> str:
    """A live competition of hana's on the penguins, with an address of its own."""
    person(site, "hana")
    slug = f"penguins-{tmp_path.name.replace('_', '-')}"[:60].rstrip("-").lower()
    place = tmp_path / "penguins"
    shutil.copytree(PENGUINS, place)
    described = json.loads((place / "competition.json").read_text(encoding="utf-8"))
    described |= {"slug": slug, "title": "Penguins of the test"}
    (place / "competition.json").write_text(json.dumps(described), encoding="utf-8")
    site.manage("load_competition", str(place))
    return slug


def test_a_newcomer_signs_up_joins_uploads_and_stands_on_the_board(browser, contest):
    browser.open(f"/c/{contest}/")
    browser.click(".comp-title .btn.primary")
    browser.open("/signup/")
    name = f"dora{len(contest)}x{abs(hash(contest)) % 10_000}"
    browser.fill(username=name, email=f"{name}@example.org", password1=PASSWORD)
    browser.click("main form input[type=checkbox]")
    browser.send()
    browser.until(lambda: "/signup/" not in browser.driver.current_url, "not signed up")

    browser.open(f"/c/{contest}/rules/")
    browser.click(f"form[action='/c/{contest}/join/'] button")
    browser.says("Submit predictions")

    browser.open(f"/c/{contest}/submit/")
    browser.one("input[type=file]").send_keys(str(PENGUINS / "submissions/04_logreg.csv"))
    browser.until(lambda: len(browser.all(".checks li.ok")) >= 6, "the checks did not pass")
    browser.click("[data-send]")
    browser.until(lambda: "/submissions/" in browser.driver.current_url, "no submission page")
    # The page updates itself: nothing here loads it again.
    browser.until(lambda: "New score 0." in browser.text(), "no new score", seconds=20)
    shown = browser.text_of("#live")

    browser.open(f"/c/{contest}/leaderboard/")
    assert name in browser.text_of("tr.mine")
    assert browser.text_of("tr.mine .score") in shown
    browser.open(f"/c/{contest}/submissions/")
    browser.says("04_logreg.csv")


def test_a_file_with_faults_is_shown_with_its_lines(browser, contest, site, tmp_path):
    person(site, "alice")
    browser.sign_in("alice")
    browser.open(f"/c/{contest}/rules/")
    browser.click(f"form[action='/c/{contest}/join/'] button")
    browser.says("Submit predictions")
    lines = (PENGUINS / "submissions/04_logreg.csv").read_text().splitlines()
    lines[4] = lines[4].rsplit(",", 1)[0] + ",mael"
    lines.append(lines[9])
    bad = tmp_path / "bad.csv"
    bad.write_text("\n".join(lines))
    browser.open(f"/c/{contest}/submit/")
    browser.one("input[type=file]").send_keys(str(bad))
    browser.until(lambda: browser.all(".checks li.bad"), "the browser found no fault")
    browser.says("mael")
    # It may be sent all the same: the server's answer is the one that counts.
    browser.click("[data-send]")
    browser.until(lambda: "/submissions/" in browser.driver.current_url, "no submission page")
    browser.says("did not use up a submission", seconds=20)
    said = browser.text()
    assert "mael" in said
    assert "5" in browser.text_of(".errline .ln, .errline")
    assert "female" in said


def test_the_host_closes_and_reveals(browser, contest, site):
    browser.sign_in("hana")
    browser.open(f"/c/{contest}/host/close/")
    browser.click("[data-dialog=close]")
    box = browser.one("dialog[open] input[type=text], dialog[open] input:not([type=hidden])")
    box.send_keys(contest)
    browser.click("dialog[open] button[type=submit]")
    browser.says("Finals are computed")
    browser.until(lambda: browser.all("a[data-dialog=reveal]"), "the finals were not made", 40)
    browser.click("a[data-dialog=reveal]")
    browser.one("dialog[open] input:not([type=hidden])").send_keys(contest)
    browser.click("dialog[open] button[type=submit]")
    browser.until(lambda: "Revealed" in browser.text() or "Final" in browser.text(), "no reveal")
    browser.open(f"/c/{contest}/leaderboard/")
    browser.says("Final")

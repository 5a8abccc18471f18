"""My submissions as a person uses it: follow several files, choose finals, note, plot, find."""

import json
import shutil

import pytest
from selenium.webdriver.common.keys import Keys

from leaderboard.hosting.seeding import DEMO
from tests.browser.conftest import PASSWORD, person
from tests.person import Person

pytestmark = pytest.mark.browser
PENGUINS = DEMO / "penguins-sex"


@pytest.fixture(scope="module")
def contest(site, tmp_path_factory) -> str:
    """A live competition on the penguins that alice has joined."""
    person(site, "hana", "alice")
    place = tmp_path_factory.mktemp("mine") / "penguins"
    shutil.copytree(PENGUINS, place)
    slug = "penguins-of-my-submissions"
    described = json.loads((place / "competition.json").read_text(encoding="utf-8"))
    described |= {"slug": slug, "title": "Penguins of mine"}
    (place / "competition.json").write_text(json.dumps(described), encoding="utf-8")
    site.manage("load_competition", str(place))
    alice = Person(site.url)
    alice.sign_in("alice", PASSWORD)
    alice.post(f"/c/{slug}/join/", page=f"/c/{slug}/rules/")
    for name in ("01", "04", "02"):
        file = next((PENGUINS / "submissions").glob(f"{name}_*"))
        alice.upload(slug, file.name, file.read_bytes(), note=f"from {name}")
    return slug


def scored(browser) -> None:
    """Wait until no row of the open list waits any more, without loading it again."""
    browser.until(
        lambda: (
            not any(
                word in browser.text_of("table.files")
                for word in ("Queued", "Reading", "Checking", "Scoring")
            )
        ),
        "a file was never scored",
    )


def test_finals_are_chosen_in_the_list(browser, contest):
    browser.sign_in("alice")
    browser.open(f"/c/{contest}/submissions/")
    scored(browser)
    assert "0 of 2 chosen for final." in browser.text()
    assert len(browser.all("table.files .pill.private.ring")) == 2, "the default is marked"
    browser.click("#final-1")
    browser.says("1 of 2 chosen for final.")
    browser.click("#final-2")
    browser.says("2 of 2 chosen for final.")
    browser.says("To choose another, take one back first.")
    assert not browser.one("#final-3").is_enabled()
    browser.click("#final-1")
    browser.says("1 of 2 chosen for final.")
    assert browser.one("#final-3").is_enabled()
    browser.open(f"/c/{contest}/submissions/")
    assert browser.one("#final-2").is_selected()
    assert not browser.one("#final-1").is_selected()


def test_finals_are_chosen_without_scripts(browser, contest):
    browser.sign_in("alice")
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.open(f"/c/{contest}/submissions/final/")
    for box in browser.all("input[name=final]"):
        if not box.is_selected():
            box.click()
    browser.click(".finals-save button")
    assert "That makes 3 final files" in browser.one("[role=alert]").text
    browser.click("#final-2")
    browser.click(".finals-save button")
    assert "2 of 2 chosen for final." in browser.one("#choice").text
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_a_note_and_an_own_score_are_written_in_the_row_and_the_plot_follows(browser, contest):
    browser.sign_in("alice")
    browser.open(f"/c/{contest}/submissions/")
    scored(browser)
    released = browser.one("tr[id^=file-]:has(.pill.public:not(.ring))").get_attribute("id")
    number = released.removeprefix("file-")
    assert "Write your own score beside a file" in browser.text_of("#plot")
    browser.click(f"#note-{number} a")
    browser.one(f"form#note-{number}")
    # The first field has the focus: a keyboard is enough.
    browser.until(
        lambda: browser.driver.switch_to.active_element.get_attribute("name") == "note",
        "the note has no focus",
    )
    active = browser.driver.switch_to.active_element
    active.clear()
    active.send_keys("with island", Keys.TAB, "0,9", Keys.ENTER)
    browser.until(lambda: browser.all(f"#note-wrong-{number}"), "a wrong number was taken")
    own = browser.one(f"#note-own-{number}")
    own.clear()
    own.send_keys("0.9", Keys.ENTER)
    browser.until(lambda: browser.text_of(f"#own-{number}") == "0.9", "the own score is missing")
    assert "with island" in browser.text_of(f"#note-{number}")
    assert browser.driver.switch_to.active_element.text.startswith("Edit")
    browser.until(lambda: browser.all("#plot svg.plot circle.d"), "the plot has no point")
    assert "1 file has both numbers." in browser.text_of("#plot")
    browser.open(f"/c/{contest}/submissions/")
    assert "with island" in browser.text_of(f"#file-{number}")


def test_the_list_is_searched_as_one_types_and_the_address_follows(browser, contest):
    browser.sign_in("alice")
    browser.open(f"/c/{contest}/submissions/")
    browser.one("#fq").send_keys("logreg")
    browser.until(lambda: len(browser.all("tr[id^=file-]")) == 1, "the search found others")
    browser.until(lambda: "q=logreg" in browser.driver.current_url, "the address is the old one")
    assert browser.driver.switch_to.active_element.get_attribute("id") == "fq"
    browser.driver.refresh()
    assert len(browser.all("tr[id^=file-]")) == 1
    assert browser.one("#fq").get_attribute("value") == "logreg"


def test_several_files_are_followed_at_once(browser, contest, site):
    alice = Person(site.url)
    alice.sign_in("alice", PASSWORD)
    browser.sign_in("alice")
    good = next((PENGUINS / "submissions").glob("03_*"))
    alice.upload(contest, good.name, good.read_bytes())
    alice.upload(contest, "bad.csv", b"id,sex\n1,x\n")
    browser.open(f"/c/{contest}/submissions/")
    scored(browser)
    browser.says("Failed checks")
    browser.until(lambda: "did not count" in browser.text_of("#trouble-5"), "no reason is given")
    assert browser.all("#final-4"), "the scored file can be chosen"

"""The life of a team in two browsers: invited, handed over, parted and merged, as people do it."""

import json
import shutil
from collections.abc import Iterator

import pytest

from leaderboard.hosting.seeding import DEMO
from tests.browser.conftest import PASSWORD, Browser, chromium, person
from tests.person import Person

pytestmark = pytest.mark.browser
PENGUINS = DEMO / "penguins-sex"
SLUG = "penguins-of-teams"
TEAM = f"/c/{SLUG}/team/"


@pytest.fixture
def contest(site, tmp_path) -> None:
    """A live competition; alice and charlie have joined it and sent a file each."""
    person(site, "hana", "alice", "bob", "charlie")
    place = tmp_path / "penguins"
    shutil.copytree(PENGUINS, place)
    described = json.loads((place / "competition.json").read_text(encoding="utf-8"))
    described |= {"slug": SLUG, "title": "Penguins of teams"}
    (place / "competition.json").write_text(json.dumps(described), encoding="utf-8")
    site.manage("load_competition", str(place))
    content = (PENGUINS / "submissions/04_logreg.csv").read_bytes()
    for name in ("alice", "charlie"):
        one = Person(site.url)
        one.sign_in(name, PASSWORD)
        one.post(f"/c/{SLUG}/join/", page=f"/c/{SLUG}/rules/")
        one.outcome(one.upload(SLUG, f"{name}.csv", content).path)


@pytest.fixture
def other(site) -> Iterator[Browser]:
    """A second browser, of somebody else."""
    driver = chromium()
    second = Browser(driver, site)
    try:
        yield second
        assert not second.errors()
    finally:
        driver.quit()


def answer(browser: Browser, opener: str, **typed: str) -> None:
    """Open a dialog, type into its fields and press its last button."""
    browser.click(opener)
    for name, value in typed.items():
        box = browser.one(f"dialog[open] input[name={name}]")
        box.clear()
        box.send_keys(value)
    browser.click("dialog[open] button[type=submit]")


def test_the_life_of_a_team(contest, browser, other):
    browser.sign_in("alice")
    other.sign_in("bob")

    # Alice invites by a link that is shown once; bob accepts the rules with it.
    browser.open(TEAM)
    browser.click("[data-make-link]")
    link = browser.text_of("#link")
    browser.click("[data-copy]")
    browser.says("Copied")
    other.driver.get(link)
    other.says("Invitation to the team alice")
    other.click("#rules")
    other.click("button[value=accept]")
    other.says("You are in the team alice.")
    browser.open(TEAM)
    assert link not in browser.driver.page_source
    browser.says("bob")

    # She gives the team a name and hands it over.
    answer(browser, "[data-dialog=rename]", name="Adelie Express")
    browser.says("The team is called Adelie Express.")
    answer(browser, "[aria-label='Hand the team over to bob']")
    browser.says("bob owns the team now.")
    assert not browser.all("[data-dialog=rename]")

    # Bob removes her: she has a team of her own, and the file she sent is not there for her.
    other.open(TEAM)
    other.says("Adelie Express")
    answer(other, "[aria-label='Remove alice']")
    other.says("alice is no longer in the team.")
    other.says("People who left")
    browser.open(TEAM)
    assert browser.text_of(".panel-head h2") == "alice"
    browser.open(f"/c/{SLUG}/submissions/")
    browser.says("You have not submitted yet")

    # Bob proposes to charlie; charlie, in alice's browser, looks at it and accepts.
    other.open(TEAM)
    other.one("#merge-name").send_keys("charlie")
    other.click("#merge button[type=submit]")
    other.says("The team charlie was asked.")
    browser.driver.delete_all_cookies()
    browser.sign_in("charlie")
    browser.open(TEAM)
    browser.click(".note.warn a.btn")
    browser.says("charlie into Adelie Express")
    answer(browser, "[data-dialog=accept]", confirm="charlie")
    browser.says("Your team is part of Adelie Express now.")
    other.open(f"/c/{SLUG}/submissions/")
    other.says("charlie.csv")
    other.says("alice.csv")
    other.open(f"/c/{SLUG}/leaderboard/")
    assert "Adelie Express" in other.text_of("tr.mine")
    assert "2 members" in other.text_of("tr.mine")

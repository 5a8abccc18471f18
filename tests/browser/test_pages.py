"""Every page in light and dark, wide and on a phone.

No console error, no sideways scroll, and nothing that keeps people out (axe-core).
"""

import pytest

from leaderboard.hosting.seeding import DEMO
from tests.browser.conftest import PASSWORD, person
from tests.person import Person

pytestmark = pytest.mark.browser
SLUG = "late-out-of-new-york"
TABS = ("", "data/", "rules/", "evaluation/", "leaderboard/")
HOST = ("host/", "host/release/", "host/release/?preset=sealed", "host/submissions/", "host/close/")
SIZES = {"wide": (1280, 900), "phone": (390, 844)}


@pytest.fixture(scope="module")
def pages(site) -> dict[str, list[str]]:
    """A competition with a scored and a rejected file of alice's; addresses by who reads them."""
    person(site, "hana", "alice")
    site.manage("load_competition", str(DEMO / "flights"))
    alice = Person(site.url)
    alice.sign_in("alice", PASSWORD)
    alice.post(f"/c/{SLUG}/join/", page=f"/c/{SLUG}/rules/")
    good = (DEMO / "flights/submissions/30_holding-pattern.csv.gz").read_bytes()
    sent = [
        alice.upload(SLUG, name, content).path
        for name, content in (("good.csv.gz", good), ("bad.csv", b"flight_id,late\n1,2\n"))
    ]
    for path in sent:
        alice.outcome(path)
    home = f"/c/{SLUG}/"
    everybody = ["/", "/signin/", "/signup/", "/password/reset/", "/how-scores-work/", "/nowhere/"]
    own = ["submit/", "submissions/", "leaderboard/"]
    return {
        "": everybody + [home + tab for tab in TABS],
        "alice": ["/account/", *sent] + [home + page for page in own],
        "hana": [home + page for page in HOST],
    }


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["", "alice", "hana"])
def test_pages_are_whole(browser, pages, name, size, theme):
    width, height = SIZES[size]
    driver = browser.driver
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [{"name": "prefers-color-scheme", "value": theme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    if name:
        browser.sign_in(name)
    for page in pages[name]:
        browser.open(page)
        browser.one("main h1")
        assert len(browser.all("h1")) == 1, page
        seen = driver.execute_script(
            "return [document.documentElement.scrollWidth, window.innerWidth]"
        )
        assert seen[0] <= seen[1], f"{page} scrolls sideways: {seen}"
        assert not browser.errors(), page
        assert not browser.barriers(), page


def test_a_planted_barrier_is_found(browser):
    browser.open("/how-scores-work/")
    browser.driver.execute_script(
        "const image = document.createElement('img');"
        "image.src = '/static/icon.svg'; document.querySelector('main').append(image);"
    )
    assert any(found.startswith("image-alt") for found in browser.barriers())


def test_pages_read_without_scripts(browser, pages):
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    for page in pages[""]:
        browser.open(page)
        assert browser.all("main h1"), page
        assert len(browser.one("main").text) > 40, page

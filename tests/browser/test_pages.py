"""Every page in light and dark, wide and on a phone.

No console error, no sideways scroll, and nothing that keeps people out (axe-core).
"""

import pytest
from django.urls import resolve

from tests.browser.scene import build
from tests.test_permissions import TABLE

pytestmark = pytest.mark.browser
SIZES = {"wide": (1280, 900), "phone": (390, 844)}
# Answers that are no page of their own: parts of one, data for programs, files.
NO_PAGES = frozenset(
    {
        *("submission_status", "submissions_status", "check_status", "submission_file"),
        *("submissions_csv", "leaderboard_csv", "leaderboard_json", "feed", "favicon"),
        *("competition_data_file", "api_openapi", "host_preview", "host_outlook"),
        "mfa_download_recovery_codes",
    }
)


@pytest.fixture(scope="module")
def pages(site) -> dict[str, list[str]]:
    """Addresses by who reads them."""
    return build(site).pages


def test_every_page_is_looked_at(pages):
    """A page that the table of permissions opens to somebody is in the scene."""
    shown = {page.partition("?")[0] for found in pages.values() for page in found}
    seen = {resolve(page).url_name for page in shown - {"/nowhere/"}}
    wanted = {
        name
        for name, (get, _) in TABLE.items()
        if "200" in get.split() and not name.startswith("api_") and name not in NO_PAGES
    }
    assert not wanted - seen


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

"""A headless Chromium that fails a test on any console error, such as a violation of the CSP."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests.conftest import missing
from tests.site import Site

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,1000",
)
AXE = Path(__file__).parent / "vendor/axe.min.js"
STANDARDS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
PASSWORD = "a-long-enough-passphrase"


class Browser:
    """A browser on a site, with what every test does."""

    def __init__(self, driver: webdriver.Chrome, site: Site):
        self.driver = driver
        self.site = site

    def open(self, path: str) -> None:
        """Open an address of the site."""
        self.driver.get(self.site.url + path)

    def one(self, selector: str):
        """Return the first element of a CSS selector, waiting for it."""
        return self.until(lambda: self.all(selector), f"no {selector}")[0]

    def all(self, selector: str) -> list:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def until(self, ready, message: str, seconds: float = 30):
        """Wait until `ready` gives something true, and return it."""
        # A part that htmx replaces between two looks is looked for again.
        ignored = (StaleElementReferenceException,)
        wait = WebDriverWait(self.driver, seconds, 0.1, ignored_exceptions=ignored)
        return wait.until(lambda driver: ready(), message)

    def text(self) -> str:
        """Return what the page says."""
        return self.driver.execute_script("return document.body.innerText")

    def text_of(self, selector: str) -> str:
        """Return what a part of the page says, waiting for it."""
        return self.until(lambda: self.all(selector)[:1] and self.all(selector)[0].text, selector)

    def says(self, part: str, seconds: float = 30) -> None:
        """Wait until the page says something."""
        self.until(lambda: part in self.text(), f"the page never said: {part}", seconds)

    def fill(self, **fields: str) -> None:
        """Type into the fields of these names."""
        for name, value in fields.items():
            box = self.one(f"main [name={name}]")
            box.clear()
            box.send_keys(value)

    def click(self, selector: str) -> None:
        """Click an element, in view as a person has it."""

        def clicked() -> bool:
            element = self.one(selector)
            self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
            if not (element.is_displayed() and element.is_enabled()):
                return False
            element.click()
            return True

        self.until(clicked, f"{selector} cannot be clicked")

    def send(self) -> None:
        """Send the page's main form."""
        self.click("main form button[type=submit]")

    def sign_in(self, name: str) -> None:
        """Sign in with the password that all people of these tests have."""
        self.open("/signin/")
        self.fill(login=name, password=PASSWORD)
        self.send()
        self.until(lambda: "/signin/" not in self.driver.current_url, f"{name} was not let in")

    def barriers(self) -> list[str]:
        """Return what keeps people out: the findings of axe-core, WCAG 2.2 AA and best practice."""
        self.driver.execute_script(AXE.read_text(encoding="utf-8"))
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, {runOnly: arguments[0], resultTypes: ['violations']})"
            ".then(result => done(result.violations), error => done([{id: String(error)}]));",
            STANDARDS,
        )
        # What the checks themselves try against the page's policy is no fault of the page.
        self.driver.get_log("browser")
        return [
            f"{one['id']}: {node['html'][:160]} ({node['failureSummary']})"
            for one in found
            for node in one.get("nodes", [{"html": "", "failureSummary": "axe did not run"}])
        ]

    def errors(self) -> list[str]:
        """Return console errors since the last call; a blocked script or style is one of them."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] in ("SEVERE", "ERROR")
            # Statuses that a page means to give: the browser reports each as an error of the net.
            and not any(f"status of {status}" in entry["message"] for status in (401, 404, 422))
        ]


def chromium() -> webdriver.Chrome:
    """Start Chromium with an empty profile."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not binary or not driver:
        missing("no chromium and chromedriver on PATH: the browser tests need both")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in FLAGS:
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=Service(driver))


@pytest.fixture
def browser(site) -> Iterator[Browser]:
    """A browser; the test fails on any console error at its end."""
    driver = chromium()
    browser = Browser(driver, site)
    try:
        yield browser
        assert not browser.errors()
    finally:
        driver.quit()


def person(site: Site, *names: str) -> None:
    """Make people with the password of these tests."""
    site.python(
        "from django.contrib.auth import get_user_model\n"
        "users = get_user_model().objects\n"
        f"for name in {names!r}:\n"
        "    if not users.filter(username=name).exists():\n"
        f"        users.create_user(name, name + '@example.org', {PASSWORD!r})\n"
        "result = True"
    )

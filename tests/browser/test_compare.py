"""Choosing teams on the board, by mouse and by keyboard, and the explanation of a rank band."""

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from leaderboard.hosting.seeding import DEMO
from tests.browser.conftest import person

pytestmark = pytest.mark.browser
TEAMS = ("first", "second", "third", "fourth")


@pytest.fixture
def slug(site, tmp_path) -> str:
    """A competition with four teams, whose new scores stand on the board."""
    person(site, "hana")
    name = f"compare-{abs(hash(tmp_path)) % 10**8}"
    site.python(
        "import shutil, json, pathlib, tempfile\n"
        "from django.core.management import call_command\n"
        f"place = pathlib.Path(tempfile.mkdtemp()) / 'penguins'\n"
        f"shutil.copytree({str(DEMO / 'penguins-sex')!r}, place)\n"
        "path = place / 'competition.json'\n"
        "told = json.loads(path.read_text(encoding='utf-8'))\n"
        f"told |= {{'slug': {name!r}, 'title': 'Compared'}}\n"
        "path.write_text(json.dumps(told), encoding='utf-8')\n"
        "call_command('load_competition', str(place))\n"
        "result = True"
    )
    site.python(
        "from datetime import timedelta\n"
        "from leaderboard.competitions import clock\n"
        "from leaderboard.competitions.models import Competition\n"
        "from leaderboard.submissions.models import Entry, Evaluation, Release\n"
        "from leaderboard.submissions.models import SealedScore, Submission\n"
        "from leaderboard.teams.models import Team\n"
        f"contest = Competition.objects.get(slug={name!r})\n"
        "solution, settings = contest.solutions.get(), contest.release_settings.get()\n"
        "start = contest.baselines.get(start_line=True).value\n"
        f"for number, name in enumerate({TEAMS!r}):\n"
        "    now = clock.now() - timedelta(minutes=10 - number)\n"
        "    value = start + 9 - 2 * number\n"
        "    team = Team.objects.create(competition=contest, name=name, created_at=now)\n"
        "    Entry.objects.create(competition=contest, team=team, value=value, reference=value,\n"
        "        reached_at=now, used=1, submissions=1, last_accepted_at=now)\n"
        "    sent = Submission.objects.create(competition=contest, team=team, number=1,\n"
        "        original_name='f.csv', sha256='0' * 64, size=1, path='p', accepted_at=now)\n"
        "    sealed = SealedScore.objects.create(solution=solution, digest=f'{sent.pk:064d}',\n"
        "        exact=0.5, exact_fine=0, compare_draw=0, value=value)\n"
        "    judged = Evaluation.objects.create(submission=sent, solution=solution, team=team,\n"
        "        release_settings=settings, status='scored', sealed=sealed, queued_at=now)\n"
        "    Release.objects.create(evaluation=judged, release_settings=settings, rule='gate',\n"
        "        outcome='released', value=value, at=now)\n"
        "result = True"
    )
    return name


def ticked(browser) -> list[str]:
    return [box.text.split()[0] for box in browser.all(".picks label") if _checked(box)]


def _checked(label) -> bool:
    return label.find_element("css selector", "input").is_selected()


def _tallest_mark_at_the_end(browser) -> int:
    """Pixels of the tallest opaque run in the last columns; a line has two or three."""
    return browser.driver.execute_script(
        "const canvas = document.querySelector('.chart canvas');"
        "const pen = canvas && canvas.getContext('2d');"
        "let most = 0;"
        "for (let x = canvas ? canvas.width - 40 : 0; canvas && x < canvas.width; x++) {"
        "  const seen = pen.getImageData(x, 0, 1, canvas.height - 40).data;"
        "  let run = 0;"
        "  for (let at = 3; at < seen.length; at += 4) {"
        "    run = seen[at] > 200 ? run + 1 : 0; most = Math.max(most, run);"
        "  }"
        "}"
        "return most;"
    )


def test_teams_are_chosen_from_the_board_and_drawn(browser, slug):
    browser.open(f"/c/{slug}/leaderboard/")
    browser.click("section[aria-labelledby=best-h] .panel-head a")
    browser.until(lambda: browser.all("#choose"), "no choice of teams")
    assert ticked(browser) == ["first", "second", "third"]
    browser.until(lambda: browser.all(".chart canvas"), "nothing was drawn")
    boxes = browser.all(".picks input")
    boxes[0].click()
    boxes[3].click()
    browser.click("#choose .panel-head button")
    browser.until(lambda: ticked(browser) == ["second", "third", "fourth"], "not drawn")
    assert "teams=" in browser.driver.current_url
    # A dot ends each line, so that a score of just now is seen: it has no length yet.
    browser.until(lambda: _tallest_mark_at_the_end(browser) >= 6, "no dot ends a line")
    legend = browser.text_of(".chart-legend")
    assert "fourth" in legend
    assert "first" not in legend
    # The same numbers as a table, without the drawing.
    browser.click(".tblchart summary")
    assert "fourth" in browser.text_of(".tblchart thead")
    # The address alone brings the choice back; a search adds to it.
    browser.driver.get(browser.driver.current_url)
    browser.one("#fq").send_keys("firs", Keys.ENTER)
    browser.until(lambda: "q=firs" in browser.driver.current_url, "no search")
    assert ticked(browser) == ["second", "third", "fourth"]
    assert browser.all(".picks")[1].text.startswith("first")


def test_a_rank_band_explains_itself_by_mouse_by_tap_and_by_keyboard(browser, slug):
    browser.open(f"/c/{slug}/leaderboard/")
    row = browser.one("table.lb tbody tr .team a")
    box = browser.driver.find_element("id", row.get_attribute("aria-describedby"))
    assert not box.is_displayed()
    rank = browser.one("table.lb td.rank .tip")
    ActionChains(browser.driver).move_to_element(rank).perform()
    browser.until(box.is_displayed, "pointing shows nothing")
    assert "The place" in box.text
    ActionChains(browser.driver).move_to_element(browser.one("h1")).perform()
    browser.until(lambda: not box.is_displayed(), "it stays")
    rank.click()
    ActionChains(browser.driver).move_to_element(browser.one("h1")).perform()
    browser.until(box.is_displayed, "a tap shows nothing")
    ActionChains(browser.driver).send_keys(Keys.ESCAPE).perform()
    browser.until(lambda: not box.is_displayed(), "Escape does not hide it")
    ActionChains(browser.driver).send_keys(Keys.TAB).perform()
    browser.until(box.is_displayed, "the Tab key shows nothing")
    assert browser.driver.switch_to.active_element == row

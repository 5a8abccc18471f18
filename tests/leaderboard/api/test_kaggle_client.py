"""The unmodified kaggle client, pinned, against a running site: what people type, both ways in."""

import gzip
import html
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from leaderboard.hosting.seeding import DEMO
from tests.person import Person
from tests.site import ROOT

SLUG = "late-by-kaggle"
FLIGHTS = DEMO / "flights"
MODEL = FLIGHTS / "submissions/30_holding-pattern.csv.gz"


class Client:
    """The command `kaggle`, as one person has it set up."""

    def __init__(self, site, home: Path, **credentials: str):
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "KAGGLE_API_ENVIRONMENT": "LOCALHOST",
            "http_proxy": site.url,
            "no_proxy": "",
            **credentials,
        }

    def run(self, *arguments: str, code: int = 0) -> str:
        """Run a command and return what it printed; it must end with `code`."""
        done = subprocess.run(
            [str(Path(sys.executable).with_name("kaggle")), *arguments],
            cwd=self.home,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        printed = done.stdout + done.stderr
        assert done.returncode == code, printed
        return printed


@pytest.fixture(scope="module")
def secrets(site, tmp_path_factory) -> dict[str, str]:
    """A competition of its own that alice and bob have joined, and a token of each."""
    site.python(
        "from django.contrib.auth import get_user_model\n"
        "get_user_model().objects.create_user('kagglehost')\n"
        "result = True"
    )
    place = tmp_path_factory.mktemp("kaggle") / "flights"
    shutil.copytree(FLIGHTS, place)
    described = json.loads((place / "competition.json").read_text(encoding="utf-8"))
    described |= {"slug": SLUG, "hosts": ["kagglehost"]}
    (place / "competition.json").write_text(json.dumps(described), encoding="utf-8")
    site.manage("load_competition", str(place))
    return site.python(
        "from django.contrib.auth import get_user_model\n"
        "from leaderboard.accounts import tokens\n"
        "from leaderboard.competitions import clock\n"
        "from leaderboard.competitions.models import Competition\n"
        "from leaderboard.teams.joining import join\n"
        f"contest = Competition.objects.get(slug={SLUG!r})\n"
        "result = {}\n"
        "for name in ('kagglealice', 'kagglebob', 'kagglecarl'):\n"
        "    user = get_user_model().objects.create_user(name, name + '@example.org', 'x')\n"
        "    if name != 'kagglecarl':\n"
        "        join(contest, user, clock.now())\n"
        "    result[name] = tokens.make(user, 'kaggle')[1]\n"
    )


@pytest.fixture
def alice(site, secrets, tmp_path):
    """alice with user name and key."""
    return Client(
        site, tmp_path / "alice", KAGGLE_USERNAME="kagglealice", KAGGLE_KEY=secrets["kagglealice"]
    )


@pytest.fixture
def bob(site, secrets, tmp_path):
    """bob with a token."""
    return Client(site, tmp_path / "bob", KAGGLE_API_TOKEN=secrets["kagglebob"])


@pytest.mark.parametrize("name", ["alice", "bob"])
def test_competitions_and_their_files(request, name):
    client = request.getfixturevalue(name)
    assert "ref" in client.run("competitions", "list")
    assert SLUG in client.run("competitions", "list", "-s", SLUG)
    assert "No competitions found" in client.run("competitions", "list", "-s", "nothing-like-it")
    listed = client.run("competitions", "files", SLUG)
    assert "sample_submission.csv" in listed
    client.run("competitions", "download", SLUG, "-f", "sample_submission.csv")
    got = (client.home / "sample_submission.csv").read_bytes()
    assert got == (FLIGHTS / "sample_submission.csv").read_bytes()
    assert "Skipping" in client.run("competitions", "download", SLUG, "-f", "sample_submission.csv")
    client.run("competitions", "download", SLUG, "--force")
    with zipfile.ZipFile(client.home / f"{SLUG}.zip") as packed:
        assert packed.testzip() is None
        assert packed.read("sample_submission.csv") == got


def test_a_file_is_submitted_scored_and_shown_everywhere(alice):
    printed = alice.run(
        "competitions", "submit", SLUG, "-f", str(MODEL), "-m", "a first model",
        "--wait", "60", "--poll-interval", "5",
    )  # fmt: skip
    assert "4 submissions remaining today." in printed
    score = re.search(r"Public score: (0\.\d+)", printed)[1]
    ref = re.search(r"Submission ref: (\d+)", printed)[1]
    one = alice.run("competitions", "submission", ref)
    assert "COMPLETE" in one
    assert f"Public Score:    {score}" in one
    assert "a first model" in one
    listed = alice.run("competitions", "submissions", SLUG)
    assert all(part in listed for part in (ref, score, MODEL.name))
    board = alice.run("competitions", "leaderboard", SLUG, "--show")
    assert all(part in board for part in ("kagglealice", score))
    alice.run("competitions", "leaderboard", SLUG, "--download")
    with zipfile.ZipFile(alice.home / f"{SLUG}.zip") as packed:
        (name,) = packed.namelist()
        assert f"kagglealice,{score}" in packed.read(name).decode()


def test_a_rejected_file_says_why_and_costs_nothing(bob):
    wrong = bob.home / "wrong.csv"
    wrong.write_text("flight_id,late\n1,2\n")
    printed = bob.run(
        "competitions", "submit", SLUG, "-f", str(wrong), "-m", "", "--wait", "60",
        "--poll-interval", "5", code=1,
    )  # fmt: skip
    assert "failed to score" in printed
    assert "It did not use up a submission." in printed
    listed = bob.run("competitions", "submissions", SLUG)
    assert "ERROR" in listed


def test_refusals_are_sentences(alice, site, secrets, tmp_path):
    assert "no competition 'nowhere'" in alice.run("competitions", "files", "nowhere", code=1)
    empty = alice.home / "empty.csv"
    empty.write_bytes(b"")
    assert "empty" in alice.run("competitions", "submit", SLUG, "-f", str(empty), "-m", "x", code=1)
    carl = Client(site, tmp_path / "carl", KAGGLE_API_TOKEN=secrets["kagglecarl"])
    printed = carl.run("competitions", "submit", SLUG, "-f", str(MODEL), "-m", "x", code=1)
    assert "Join this competition" in printed
    assert "Join this competition" in carl.run(
        "competitions", "download", SLUG, "-f", "sample_submission.csv", code=1
    )


def test_wrong_credentials_open_nothing(site, secrets, tmp_path):
    for credentials in (
        {"KAGGLE_USERNAME": "kagglealice", "KAGGLE_KEY": "wrong"},
        {"KAGGLE_USERNAME": "kagglebob", "KAGGLE_KEY": secrets["kagglealice"]},
        {"KAGGLE_API_TOKEN": "wrong"},
    ):
        client = Client(site, tmp_path / "nobody", **credentials)
        client.run("competitions", "submissions", SLUG, code=1)


def pasted(site, secret: str) -> list[str]:
    """Return the lines that the Data tab offers to paste, with a token in them."""
    page = Person(site.url).get(f"/c/{SLUG}/data/").text
    block = re.search(r"Commands for a terminal\">(.*?)</code>", page, re.S)[1]
    return html.unescape(block).replace("TOKEN=TOKEN", f"TOKEN={secret}").splitlines()


def test_the_lines_to_paste_on_the_data_tab_work(site, secrets, tmp_path):
    client = Client(site, tmp_path / "pasting")
    install, export, submit = pasted(site, secrets["kagglebob"])
    assert install == "pip install kaggle six"
    (client.home / "predictions.csv").write_bytes(gzip.decompress(MODEL.read_bytes()))
    bare = {"HOME": str(client.home)}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-ec", f"{export}\n{submit} 60 --poll-interval 5"],
        cwd=client.home,
        env=bare | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Public score: 0." in done.stdout


def test_the_script_for_sites_with_https_reaches_any_address(site, secrets, tmp_path):
    client = Client(site, tmp_path / "script")
    environment = {
        "HOME": str(client.home),
        "PATH": os.environ["PATH"],
        "HOLDOUT_URL": site.url,
        "KAGGLE_API_TOKEN": secrets["kagglebob"],
    }
    script = str(ROOT / "static/holdout_kaggle.py")
    arguments = ["competitions", "submit", SLUG, "-f", str(MODEL), "-m", "by the script"]
    done = subprocess.run(
        [sys.executable, script, *arguments],
        cwd=client.home,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Submission ref" in done.stdout

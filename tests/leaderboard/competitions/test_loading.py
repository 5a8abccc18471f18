"""A folder becomes a competition, or every fault of it is named."""

import gzip
import json
import shutil
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command

from leaderboard.competitions import folder, loading, release_settings
from leaderboard.competitions.models import Commitment, Competition
from leaderboard.hosting.seeding import CHAPTERS, DEMO
from scoring import answers, commitments, release

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def place(tmp_path):
    """A copy of the penguins' folder that a test may break."""
    made = tmp_path / "penguins"
    shutil.copytree(DEMO / "penguins-sex", made)
    return made


@pytest.fixture
def hana(db):
    return get_user_model().objects.create_user("hana")


def change(place, **values):
    path = place / "competition.json"
    description = json.loads(path.read_text(encoding="utf-8")) | values
    path.write_text(json.dumps(description), encoding="utf-8")


def faults_of(place) -> list[str]:
    with pytest.raises(folder.BrokenFolder) as broken:
        loading.load(place)
    return broken.value.faults


@pytest.mark.db
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.folder)
def test_the_demo_folders_load(hana, chapter):
    competition, trial = loading.load(DEMO / chapter.folder, seeded=True, within=DEMO)
    competition.refresh_from_db()
    assert "Perfect file" in " ".join(trial.report)
    assert competition.overview
    assert competition.files.filter(name="sample_submission.csv").exists()
    assert competition.hosts.get().user == hana
    rule = release_settings.rule(release_settings.in_force(competition))
    start = competition.baselines.get(start_line=True)
    assert release.steps(rule, rule.start) == start.value
    assert competition.baselines.filter(ruler=True).count() == 1


@pytest.mark.db
def test_no_file_keeps_the_whole_solution(hana, place):
    competition, _ = loading.load(place)
    home = settings.ANSWERS_DIR / str(competition.uuid)
    assert {path.name for path in (home / "v1").iterdir()} == {"ids", "public", "private"}
    solution = (place / "solution.csv").read_bytes()
    for path in settings.DATA_DIR.rglob("*"):
        if path.is_file() and path.suffix != ".sqlite3":
            assert solution[100:200] not in path.read_bytes(), path
    for path in home.rglob("*"):
        assert not path.stat().st_mode & 0o077, f"{path} is open to others"


@pytest.mark.db
def test_the_commitments_open_to_what_was_sealed(hana, place):
    competition, _ = loading.load(place)
    solution = competition.solutions.get()
    kept = json.loads((settings.KEYS_DIR / f"{competition.uuid}.json").read_text())
    assert (settings.KEYS_DIR / f"{competition.uuid}.json").stat().st_mode & 0o777 == 0o600
    home = settings.ANSWERS_DIR / solution.folder
    contents = {
        "noise_key": bytes.fromhex(kept["noise_key"]),
        "public_part": answers.artefact_bytes(home / "public"),
        "private_part": answers.artefact_bytes(home / "private"),
    }
    made = {c.tag: c.digest for c in solution.commitments.all()}
    assert set(made) == set(contents) == set(Commitment.Tag.values)
    for tag, content in contents.items():
        salt = bytes.fromhex(kept["salts"]["1"][tag])
        name = tag.replace("_", "-")
        assert commitments.verify(made[tag], name, str(competition.uuid), salt, content)
        assert not commitments.verify(made[tag], name, str(competition.uuid), salt, content + b"\0")


@pytest.mark.db
def test_limits_dates_and_the_board_are_as_the_folder_says(hana, place):
    change(
        place,
        dates={"opens": "+1d", "closes": "+9d", "merges_end": "+8d"},
        quotas={"daily": 7, "total": 60, "rejected": 9, "team_size": 3},
        board_names="pseudonyms",
        late_files=True,
    )
    competition, _ = loading.load(place, at=NOW)
    competition.refresh_from_db()
    assert competition.merge_deadline == NOW + timedelta(days=8)
    assert (competition.daily_limit, competition.total_limit) == (7, 60)
    assert (competition.rejected_limit, competition.max_team_size) == (9, 3)
    assert (competition.board_names, competition.late_files) == ("pseudonyms", True)


@pytest.mark.db
def test_what_a_folder_does_not_say_has_no_limit_and_hides_nothing(hana, place):
    competition, _ = loading.load(place)
    assert competition.total_limit is competition.merge_deadline is None
    assert (competition.board_names, competition.late_files) == ("names", False)


@pytest.mark.db
def test_every_fault_is_named_at_once(hana, place):
    change(
        place,
        metric="accuracy_scor",
        dates={"opens": "2026-12-02", "closes": "2026-13-02", "zone": "Mars/Olympus"},
        baselines=[{"file": "gone.csv", "name": "Gone"}],
        pages={"overview": "gone.md"},
    )
    (place / "sample_submission.csv").write_bytes(b"")
    found = "\n".join(faults_of(place))
    for part in (
        "accuracy_scor",
        "Mars/Olympus",
        "2026-13-02",
        "gone.csv",
        "gone.md",
        "sample_submission.csv' is empty",
    ):
        assert part in found
    assert not Competition.objects.exists()


@pytest.mark.db
@pytest.mark.parametrize(
    ("values", "part"),
    [
        ({"schema": 2}, "schema"),
        ({"slug": "Not A Slug"}, "slug"),
        ({"tasks": {}}, "tasks"),
        ({"release": {"preset": "strict"}}, "release.preset"),
        ({"release": {"preset": "course", "tau": "0.1"}}, "only the preset custom"),
        ({"release": {"preset": "custom", "tau": "0", "sigma_value": "9"}}, "release"),
        ({"hosts": ["nobody-here"]}, "nobody-here"),
        ({"quotas": {"daily": 0}}, "quotas.daily"),
        ({"quotas": {"seconds": 4000}}, "SCORING_LEASE"),
        ({"quotas": {"total": 0}}, "quotas.total"),
        ({"board_names": "initials"}, "board_names"),
        ({"late_files": "yes"}, "late_files"),
        ({"dates": {"opens": "+1d", "closes": "+9d", "merges_end": "+10d"}}, "dates.merges_end"),
        ({"metric": "roc_auc_score"}, "competition.json, metric: ROC AUC takes"),
        ({"expected_submissions": 10**30}, "expected_submissions"),
        ({"dates": {"opens": "-9d", "closes": "-1d"}}, "this instant has passed"),
        ({"files": [{"file": "../../secret_key"}]}, "lies outside the folder"),
        ({"solution": "/etc/hostname"}, "lies outside the folder"),
        ({"pages": {"rules": "/etc/hostname"}}, "lies outside the folder"),
        ({"files": [{"file": "two words.csv"}]}, "cannot be offered under this name"),
        ({"dates": {"opens": "soon", "closes": "+1d"}}, "'soon' cannot be used. expected: 2026"),
        ({"task": {"id_column": "id", "value_columns": ["sex"], "kind": "label"}}, "classes"),
    ],
)
def test_a_wrong_value_is_named_by_its_place(hana, place, values, part):
    change(place, **values)
    assert part.lower() in "\n".join(faults_of(place)).lower()


@pytest.mark.db
def test_faults_of_the_solution_and_of_the_sample_are_told(hana, place):
    lines = (place / "solution.csv").read_text().splitlines()
    lines[5] = lines[4]
    lines[7] = lines[7].split(",")[0] + ",femal,Private"
    lines[9] = lines[9].split(",")[0] + ",male,Secret"
    (place / "solution.csv").write_text("\n".join(lines))
    found = "\n".join(faults_of(place))
    for part in ("solution.csv", "Duplicate ids", "femal", "Secret"):
        assert part in found


@pytest.mark.db
def test_a_sample_or_baseline_that_cannot_be_scored_is_told(hana, place):
    (place / "sample_submission.csv").write_text("id,sex\nP6039,male\n")
    shutil.copy(place / "submissions/04_logreg.csv", place / "bad.csv")
    with (place / "bad.csv").open("a") as file:
        file.write("P9999,male\n")
    change(place, baselines=[{"file": "bad.csv", "name": "Bad"}])
    found = faults_of(place)
    assert any("sample submission cannot be scored" in fault for fault in found)
    assert any("baseline 'Bad' cannot be scored" in fault for fault in found)
    assert "P9999" in " ".join(found)


@pytest.mark.db
def test_a_private_part_that_breaks_the_metric_is_caught_before_publishing(hana, place):
    rows = (place / "solution.csv").read_text().splitlines()
    broken = [rows[0]] + [
        row.replace("female", "male") if row.endswith("Private") else row for row in rows[1:]
    ]
    (place / "solution.csv").write_text("\n".join(broken))
    change(
        place,
        task={"id_column": "id", "id_type": "str", "value_columns": ["sex"], "kind": "probability"}
        | {"classes": ["female", "male"], "positive": "male"},
        metric="roc_auc_score",
        baselines=[],
    )
    text = (place / "sample_submission.csv").read_text()
    sample = [line.split(",")[0] for line in text.splitlines()]
    (place / "sample_submission.csv").write_text(
        "id,sex\n" + "".join(f"{name},0.{number % 9}\n" for number, name in enumerate(sample[1:]))
    )
    assert any("perfect file cannot be scored" in fault for fault in faults_of(place))


@pytest.mark.db
def test_the_solution_among_the_data_files_is_refused(hana, place):
    change(place, files=[{"file": "solution.csv"}])
    assert any("everybody could download" in fault for fault in faults_of(place))


@pytest.mark.db
def test_a_link_that_leads_out_of_the_folder_is_refused(hana, place, tmp_path):
    (tmp_path / "secret.csv").write_text("key\n1\n")
    (place / "extra.csv").symlink_to(tmp_path / "secret.csv")
    (place / "rules.md").unlink()
    (place / "rules.md").symlink_to(tmp_path / "secret.csv")
    change(place, files=[{"file": "extra.csv"}])
    found = [fault for fault in faults_of(place) if "leads out" in fault]
    assert len(found) == 2


def without_usage(place) -> str:
    """Let the solution be split by the loader: then it has the form of a submission."""
    rows = [line.rsplit(",", 1)[0] for line in (place / "solution.csv").read_text().splitlines()]
    (place / "solution.csv").write_text("\n".join(rows))
    change(place, split={"public_share": 0.5, "seed": 3})
    return "\n".join(rows)


@pytest.mark.db
def test_the_solution_as_the_sample_is_refused(hana, place):
    without_usage(place)
    change(place, sample_submission="solution.csv")
    assert any("everybody could download" in fault for fault in faults_of(place))


@pytest.mark.db
def test_answers_in_the_sample_or_in_a_data_file_are_found_by_what_they_say(hana, place):
    text = without_usage(place)
    (place / "sample_submission.csv").write_text(text)
    (place / "extra.csv").write_text("\n".join(text.splitlines()[:60]))
    change(place, files=[{"file": "extra.csv"}])
    found = "\n".join(faults_of(place))
    assert "sample submission scores as a perfect file does" in found
    assert "'extra.csv' holds the answers of 59 test rows" in found


@pytest.mark.db
def test_training_rows_with_the_numbers_of_test_rows_are_no_answers(hana, place):
    text = without_usage(place)
    turned = {"male": "female", "female": "male", "sex": "sex"}
    rows = [line.split(",") for line in text.splitlines()]
    (place / "extra.csv").write_text("\n".join(f"{row[0]},{turned[row[1]]}" for row in rows))
    change(place, files=[{"file": "extra.csv"}])
    loading.load(place)


@pytest.mark.db
@pytest.mark.parametrize(
    "content", [b"no gzip", gzip.compress(b"a,b\n1,2\n" * 5000)[:-20]], ids=["other", "cut off"]
)
def test_a_broken_data_file_is_offered_as_it_is(hana, place, content):
    (place / "extra.csv.gz").write_bytes(content)
    change(place, files=[{"file": "extra.csv.gz"}])
    competition, _ = loading.load(place)
    assert competition.files.get(name="extra.csv.gz").rows is None


@pytest.mark.db
def test_characters_that_no_database_keeps_are_told_or_left_out(hana, place):
    (place / "extra.csv").write_bytes(b"a\0b,c\n\0x,1\n")
    change(place, files=[{"file": "extra.csv"}])
    competition, _ = loading.load(place)
    assert "\0" not in json.dumps(competition.files.get(name="extra.csv").columns)
    change(place, slug="another", title="Pen\0guins")
    assert any("NUL character" in fault for fault in faults_of(place))
    change(place, title="Penguins")
    (place / "overview.md").write_bytes("# Overview".encode("utf-16-le"))
    assert any("not UTF-8 text" in fault for fault in faults_of(place))


@pytest.mark.db
def test_what_only_the_site_knows_is_told_with_the_rest(hana, place):
    loading.load(place)
    change(place, hosts=["nobody-here"], metric="nope")
    found = "\n".join(faults_of(place))
    for part in ("nobody-here", "nope", "already"):
        assert part in found


@pytest.mark.db
def test_a_missing_field_is_told_in_one_plain_sentence(hana, place):
    description = json.loads((place / "competition.json").read_text(encoding="utf-8"))
    del description["title"]
    (place / "competition.json").write_text(json.dumps(description), encoding="utf-8")
    assert faults_of(place) == ["competition.json, the top level: 'title' is a required property."]


@pytest.mark.db
def test_an_address_that_is_taken_is_refused_and_changes_nothing(hana, place):
    loading.load(place)
    assert any("slug" in fault for fault in faults_of(place))
    assert Competition.objects.count() == 1


@pytest.mark.db
def test_without_baselines_a_constant_is_made(hana, place):
    change(place, baselines=[])
    competition, _ = loading.load(place)
    made = competition.baselines.get()
    assert made.start_line
    assert made.ruler
    assert made.name == "The most frequent class"


@pytest.mark.db
def test_a_solution_without_usage_is_split_as_the_folder_says(hana, place):
    rows = [line.rsplit(",", 1)[0] for line in (place / "solution.csv").read_text().splitlines()]
    (place / "solution.csv").write_text("\n".join(rows))
    assert any("Usage" in fault for fault in faults_of(place))
    change(place, split={"public_share": 0.5, "seed": 3})
    competition, _ = loading.load(place)
    solution = competition.solutions.get()
    assert abs(solution.n_public - solution.n_private) <= 4


@pytest.mark.db
def test_dates_are_read_in_their_zone(hana, place):
    change(place, dates={"opens": "2026-12-01 09:00", "closes": "+40d", "zone": "America/New_York"})
    competition, _ = loading.load(place, NOW)
    assert competition.opens_at == datetime(2026, 12, 1, 14, tzinfo=UTC)
    assert competition.closes_at == NOW + timedelta(days=40)


@pytest.mark.db
def test_the_command_prints_the_trial_or_the_faults(hana, place, capsys):
    call_command("load_competition", str(place))
    printed = capsys.readouterr().out
    assert "Perfect file 1.000 on the public rows, 1.000 on the private rows." in printed
    assert "/c/penguin-sex/" in printed
    with pytest.raises(SystemExit) as stopped:
        call_command("load_competition", str(place))
    assert stopped.value.code == 2
    assert "already" in capsys.readouterr().err

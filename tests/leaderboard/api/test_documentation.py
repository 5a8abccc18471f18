"""The page of the API, its description, and the README's examples say what is there."""

import re
import time

import pytest
import requests
from django.test import Client
from django.urls import resolve
from requests.adapters import BaseAdapter
from werkzeug.test import Client as Served

from leaderboard.api import described
from leaderboard.competitions.models import Competition
from leaderboard.wsgi import application
from tests.leaderboard import factories
from tests.site import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTION = README.partition("## From a script")[2].partition("\n## ")[0]


class InProcess(BaseAdapter):
    """Hands what `requests` sends to the application, without a socket."""

    def send(self, request, **options):
        body = request.body.read() if hasattr(request.body, "read") else request.body
        sent = Served(application).open(
            request.path_url,
            method=request.method,
            headers=list(request.headers.items()),
            data=body,
        )
        made = requests.Response()
        made.status_code, made._content = sent.status_code, sent.get_data()
        made.headers.update(sent.headers)
        sent.close()
        return made

    def close(self):
        pass


def test_the_page_lists_every_call_with_an_example(stage):
    answer = Client().get("/api/")
    text = answer.content.decode()
    assert answer.status_code == 200
    for path, operations in described.description()["paths"].items():
        assert f"<code>{path}</code>" in text
        for operation in operations.values():
            assert f'id="{operation["operationId"]}"' in text
    examples = re.findall(r"<code>(curl [^<]*)</code>", text)
    assert len(examples) > len(described.description()["paths"])
    for example in examples:
        place = re.search(r"http://testserver(\S+)", example).group(1)
        assert resolve(place).url_name != "api_unknown", place
    assert "<script" not in text.partition("<main")[2].partition("</main")[0]
    assert "style=" not in text


def test_the_examples_are_about_a_live_competition(stage):
    factories.competition("later", opened_days_ago=-9, closes_in_days=90)
    factories.competition("over", opened_days_ago=9, closes_in_days=-1)
    text = Client().get("/api/").content.decode()
    assert f"/competitions/{stage.contest.slug}/submissions" in text
    assert "/competitions/later/" not in text
    assert "/competitions/over/" not in text


def test_the_description_is_openapi_and_declares_every_way_to_fail(stage):
    told = Client().get("/api/openapi.json").json()
    assert told["openapi"].startswith("3.1")
    error = {"$ref": "#/components/schemas/Error"}
    for path, operations in told["paths"].items():
        for method, operation in operations.items():
            responses = operation["responses"]
            wanted = {"400", "401", "422", "429", "500"} | ({"404"} if "{" in path else set())
            assert wanted <= set(responses), (method, path)
            assert operation["description"], path
            assert operation["summary"], path
            for status, response in responses.items():
                if status.startswith(("4", "5")):
                    assert response["content"]["application/json"]["schema"] == error
            for parameter in operation["parameters"]:
                assert parameter["description"], parameter
    bodies = told["components"]["schemas"]
    assert all(
        bodies[name]["additionalProperties"] is False for name in ("Accept", "Edit", "Error")
    )


def test_the_readmes_addresses_are_there():
    places = re.findall(r"http://127\.0\.0\.1:8000(/api/\S+)", SECTION)
    assert len(places) >= 4
    for place in places:
        assert resolve(place.strip('"')).url_name != "api_unknown", place


@pytest.mark.django_db(transaction=True)
def test_the_readmes_script_sends_a_file_and_prints_its_outcome(
    stage, monkeypatch, tmp_path, capsys
):
    Competition.objects.filter(pk=stage.contest.pk).update(slug="penguin-sex")
    content = factories.csv(factories.predictions(0.9, seed=4))
    (tmp_path / "submission.csv").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKEN", stage.charlie.secret)
    monkeypatch.setattr(requests.Session, "get_adapter", lambda self, url: InProcess())
    monkeypatch.setattr(time, "sleep", lambda seconds: factories.score(stage.contest))
    script = re.search(r"```python\n(.*?)```", SECTION, re.DOTALL).group(1)
    exec(compile(script, "README.md", "exec"), {})
    assert capsys.readouterr().out == "New score 0.90.\n"

"""Downloads: whole, in parts, and not at all where the client has the file."""

from datetime import UTC, datetime

import pytest
from django.test import RequestFactory

from leaderboard.competitions import sending, store

# The end of an answer looks after the connections of the database, though it needs none.
pytestmark = pytest.mark.django_db

AT = datetime(2026, 11, 2, 10, tzinfo=UTC)
BYTES = bytes(range(100))
DATE = "Mon, 02 Nov 2026 10:00:00 GMT"


@pytest.fixture
def ask(tmp_path):
    path = store.write(tmp_path, "some", "file", [BYTES]).path

    def ask(**headers):
        request = RequestFactory().get("/", headers=headers)
        answer = sending.stored(request, tmp_path, path, name="a.csv", tag="abc", at=AT)
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        answer.close()
        return answer, body

    return ask


def test_the_whole_file_says_how_it_can_be_asked_for_again(ask):
    answer, body = ask()
    assert answer.status_code == 200
    assert body == BYTES
    assert answer["Content-Length"] == "100"
    assert answer["ETag"] == '"abc"'
    assert answer["Last-Modified"] == DATE
    assert answer["Accept-Ranges"] == "bytes"
    assert "attachment" in answer["Content-Disposition"]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("bytes=0-9", (0, 9)),
        ("bytes=90-", (90, 99)),
        ("bytes=90-1000", (90, 99)),
        ("bytes=-5", (95, 99)),
        ("bytes=-500", (0, 99)),
    ],
)
def test_one_range_of_bytes(ask, asked, expected):
    answer, body = ask(Range=asked)
    first, last = expected
    assert answer.status_code == 206
    assert body == BYTES[first : last + 1]
    assert answer["Content-Range"] == f"bytes {first}-{last}/100"
    assert answer["Content-Length"] == str(len(body))


@pytest.mark.parametrize("asked", ["bytes=100-", "bytes=5-4", "bytes=-0"])
def test_a_range_that_is_not_there(ask, asked):
    answer, _ = ask(Range=asked)
    assert answer.status_code == 416
    assert answer["Content-Range"] == "bytes */100"


@pytest.mark.parametrize("asked", ["bytes=-", "bytes=0-1,5-6", "rows=0-1", "bytes=a-b"])
def test_what_is_no_range_gets_the_file(ask, asked):
    answer, body = ask(Range=asked)
    assert (answer.status_code, body) == (200, BYTES)


@pytest.mark.parametrize(
    ("unless", "status"), [('"abc"', 206), (DATE, 206), ('"old"', 200), ("nonsense", 200)]
)
def test_the_rest_of_another_file_is_never_sent(ask, unless, status):
    answer, _ = ask(**{"Range": "bytes=50-", "If-Range": unless})
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("If-None-Match", '"abc"', 304),
        ("If-None-Match", 'W/"abc", "x"', 304),
        ("If-None-Match", '"old"', 200),
        ("If-Modified-Since", DATE, 304),
        ("If-Modified-Since", "Mon, 02 Nov 2026 09:59:59 GMT", 200),
    ],
)
def test_a_client_that_has_it_is_told_so(ask, header, value, status):
    answer, body = ask(**{header: value})
    assert answer.status_code == status
    assert body == (b"" if status == 304 else BYTES)

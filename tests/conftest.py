"""What all tests share: servers, a running site, and the rule for what a machine lacks."""

import os
from collections.abc import Callable, Iterator

import pytest

from tests.servers import NotHere, postgresql_server, redis_server
from tests.site import Site, running_site

IN_CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def missing(reason: str) -> None:
    """Skip the test with its reason; in CI a missing browser or server is a failure."""
    if IN_CI:
        pytest.fail(f"CI must have it: {reason}", pytrace=False)
    pytest.skip(reason)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests marked `db` the database, and begin with the one that takes longest."""
    items.sort(key=lambda item: item.path.name != "test_on_postgresql.py")
    for item in items:
        if item.get_closest_marker("db") and not item.get_closest_marker("django_db"):
            item.add_marker(pytest.mark.django_db)


@pytest.fixture(autouse=True)
def _fast_passwords(settings) -> None:
    # Argon2 is slow on purpose; no test is about that.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """Address of a real Redis that lives as long as the test session."""
    try:
        with redis_server() as server:
            yield server.url
    except NotHere as reason:
        missing(str(reason))


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    """DATABASE_URL of a real PostgreSQL that lives as long as the test session."""
    try:
        with postgresql_server() as url:
            yield url
    except NotHere as reason:
        missing(str(reason))


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Iterator[Site]:
    """A whole running site (`manage.py up`) on a folder of its own, shared by a session's tests."""
    with running_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture
def own_site(tmp_path) -> Iterator[Callable[..., Site]]:
    """Make running sites that a test may break."""
    stack = []

    def start(**options) -> Site:
        context = running_site(tmp_path / f"site{len(stack)}", **options)
        stack.append(context)
        return context.__enter__()

    yield start
    for context in reversed(stack):
        context.__exit__(None, None, None)

"""What stands between gunicorn and Django."""

import socket

from leaderboard import wsgi


def test_a_body_that_stops_keeps_no_thread_for_ever(monkeypatch):
    waited = []
    monkeypatch.setattr(
        wsgi, "_answer", lambda environ, _: waited.append(environ["gunicorn.socket"].gettimeout())
    )
    with socket.socket() as ours:
        wsgi.application({"gunicorn.socket": ours}, None)
    assert waited == [wsgi.PATIENCE]


def test_another_server_than_gunicorn_is_served_as_well(monkeypatch):
    monkeypatch.setattr(wsgi, "_answer", lambda environ, _: "answered")
    assert wsgi.application({}, None) == "answered"

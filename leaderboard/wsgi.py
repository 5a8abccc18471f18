"""The WSGI application that gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

# Seconds without a byte of a request's body: a client that stopped must not keep a thread.
PATIENCE = 20

_answer = get_wsgi_application()


def application(environ, start_response):
    """Answer a request, waiting for its body no longer than PATIENCE at a time."""
    socket = environ.get("gunicorn.socket")
    if socket is not None:
        socket.settimeout(PATIENCE)
    return _answer(environ, start_response)

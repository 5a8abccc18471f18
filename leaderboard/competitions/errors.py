"""Pages for what went wrong; none shows a traceback."""

from django.shortcuts import render


def not_found(request, exception=None):
    """Answer 404: unknown and forbidden look the same."""
    return render(request, "404.html", status=404)


def forbidden(request, exception=None):
    """Answer 403, for example when the form's token is missing."""
    return render(request, "403.html", status=403)


def server_error(request):
    """Answer 500 without touching the database, which may be what failed."""
    return render(request, "500.html", status=500)

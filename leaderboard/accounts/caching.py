"""No page of a signed-in person may be kept by a cache, nor shown again after signing out."""

from django.utils.cache import patch_vary_headers


def keep_private(get_response):
    """Middleware: forbid storing answers to signed-in people, and sharing any page."""

    def middleware(request):
        response = get_response(request)
        if request.user.is_authenticated:
            response["Cache-Control"] = "private, no-store"
        elif not response.has_header("Cache-Control"):
            response["Cache-Control"] = "private, no-cache"
        # The same address answers htmx with a part of the page: going back must not show that.
        patch_vary_headers(response, ("Cookie", "HX-Request"))
        return response

    return middleware

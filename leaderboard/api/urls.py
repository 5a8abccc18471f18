"""Addresses for programs."""

from django.urls import include, path, re_path

from leaderboard.api import described, pages

urlpatterns = [
    path("", include("leaderboard.api.kaggle.urls")),
    path("api/", pages.documentation, name="api"),
    path("api/openapi.json", pages.openapi, name="api_openapi"),
    path("api/v1/", include(described.addresses())),
    # Last: whatever else begins so.
    re_path(r"^api/(?P<rest>[\s\S]+)$", pages.unknown, name="api_unknown"),
]

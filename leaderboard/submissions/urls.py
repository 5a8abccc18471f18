"""Addresses of this app."""

from django.urls import path

from leaderboard.submissions import list_views, views

urlpatterns = [
    path("c/<slug:slug>/submit/", views.submit, name="submit"),
    path("c/<slug:slug>/submissions/", list_views.submissions, name="submissions"),
    path("c/<slug:slug>/submissions/<uuid:uuid>/", views.submission, name="submission"),
    path(
        "c/<slug:slug>/submissions/<uuid:uuid>/status/",
        views.submission_status,
        name="submission_status",
    ),
    path(
        "c/<slug:slug>/submissions/<uuid:uuid>/file/", views.submission_file, name="submission_file"
    ),
    path(
        "c/<slug:slug>/submissions/<uuid:uuid>/final/",
        list_views.submission_final,
        name="submission_final",
    ),
    path(
        "c/<slug:slug>/submissions/<uuid:uuid>/withdraw/",
        list_views.submission_withdraw,
        name="submission_withdraw",
    ),
]

"""Addresses of this app."""

from django.urls import path

from leaderboard.submissions import check_views, list_views, views

urlpatterns = [
    path("c/<slug:slug>/submit/", views.submit, name="submit"),
    path("c/<slug:slug>/check/", check_views.check, name="check"),
    path("c/<slug:slug>/check/<uuid:uuid>/", check_views.check_result, name="check_result"),
    path("c/<slug:slug>/check/<uuid:uuid>/status/", check_views.check_status, name="check_status"),
    path("c/<slug:slug>/check/<uuid:uuid>/submit/", check_views.check_submit, name="check_submit"),
    path("c/<slug:slug>/submissions/", list_views.submissions, name="submissions"),
    path("c/<slug:slug>/submissions.csv", list_views.submissions_csv, name="submissions_csv"),
    path(
        "c/<slug:slug>/submissions/status/",
        list_views.submissions_status,
        name="submissions_status",
    ),
    path(
        "c/<slug:slug>/submissions/final/", list_views.submissions_final, name="submissions_final"
    ),
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
        "c/<slug:slug>/submissions/<uuid:uuid>/look/",
        list_views.submission_look,
        name="submission_look",
    ),
    path(
        "c/<slug:slug>/submissions/<uuid:uuid>/note/",
        list_views.submission_note,
        name="submission_note",
    ),
    path(
        "c/<slug:slug>/submissions/<uuid:uuid>/withdraw/",
        list_views.submission_withdraw,
        name="submission_withdraw",
    ),
]

"""Addresses that the kaggle client has built in, and those that we tell it."""

from django.urls import path

from leaderboard.api.kaggle import views

urlpatterns = [
    path(
        "api/v1/competitions.CompetitionApiService/<str:method>",
        views.competitions,
        name="kaggle_call",
    ),
    path(
        "api/v1/security.OAuthService/IntrospectToken", views.introspect, name="kaggle_introspect"
    ),
    path("api/kaggle/put/<str:secret>", views.put, name="kaggle_put"),
    path("api/kaggle/data/<slug:slug>.zip", views.data_files, name="kaggle_files"),
    path("api/kaggle/data/<slug:slug>/<stored:name>", views.data_file, name="kaggle_file"),
    path(
        "api/kaggle/submissions/<int:ref>/<stored:name>",
        views.submission_file,
        name="kaggle_submission_file",
    ),
]

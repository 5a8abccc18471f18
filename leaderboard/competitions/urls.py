"""Addresses of the list of competitions and of their tabs."""

from django.urls import path, register_converter

from leaderboard.competitions import notice_views, store, views


class StoredName:
    """A name that the store can have given; all others are no address."""

    regex = store.SAFE_NAME.pattern.removesuffix(r"\Z")

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(StoredName, "stored")

urlpatterns = [
    path("", views.home, name="home"),
    path("favicon.ico", views.Favicon.as_view(), name="favicon"),
    path("how-scores-work/", views.scores, name="scores"),
    path("c/<slug:slug>/", views.overview, name="competition"),
    path("c/<slug:slug>/data/", views.data, name="competition_data"),
    path("c/<slug:slug>/data/<stored:name>", views.data_file, name="competition_data_file"),
    path("c/<slug:slug>/rules/", views.rules, name="competition_rules"),
    path("c/<slug:slug>/announcements/", notice_views.announcements, name="announcements"),
    path("notices/", notice_views.notices, name="notices"),
    path("notices/read/", notice_views.read_all, name="notices_read"),
    path("notices/<int:pk>/", notice_views.notice, name="notice"),
    path("c/<slug:slug>/evaluation/", views.evaluation, name="competition_evaluation"),
]

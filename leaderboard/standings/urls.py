"""Addresses of this app."""

from django.urls import path

from leaderboard.standings import files, views

urlpatterns = [
    path("c/<slug:slug>/leaderboard/", views.leaderboard, name="leaderboard"),
    path("c/<slug:slug>/leaderboard/compare/", views.comparison, name="compare"),
    path("c/<slug:slug>/leaderboard.csv", files.leaderboard_csv, name="leaderboard_csv"),
    path("c/<slug:slug>/leaderboard.json", files.leaderboard_json, name="leaderboard_json"),
    path("c/<slug:slug>/feed.atom", files.atom, name="feed"),
    path("c/<slug:slug>/teams/<uuid:uuid>/", views.team, name="team_public"),
]

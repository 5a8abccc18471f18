"""Addresses of this app."""

from django.urls import path

from leaderboard.standings import views

urlpatterns = [
    path("c/<slug:slug>/leaderboard/", views.leaderboard, name="leaderboard"),
    path("c/<slug:slug>/leaderboard.csv", views.leaderboard_csv, name="leaderboard_csv"),
]

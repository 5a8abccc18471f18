"""Addresses of joining."""

from django.urls import path

from leaderboard.teams import views

urlpatterns = [
    path("c/<slug:slug>/join/", views.join, name="competition_join"),
]

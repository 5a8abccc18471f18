"""Addresses of the pages for those who run a competition."""

from django.urls import path

from leaderboard.hosting import views

urlpatterns = [
    path("c/<slug:slug>/host/", views.activity, name="host"),
]

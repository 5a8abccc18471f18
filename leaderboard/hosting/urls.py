"""Addresses of the pages for those who run a competition."""

from django.urls import path

from leaderboard.hosting import announce_views, deletion_views, terms_views, views

urlpatterns = [
    path("account/delete/", deletion_views.delete_account, name="account_delete"),
    path("c/<slug:slug>/host/", views.activity, name="host"),
    path("c/<slug:slug>/host/release/", views.release_settings, name="host_release"),
    path("c/<slug:slug>/host/release/preview/", views.release_preview, name="host_preview"),
    path("c/<slug:slug>/host/release/outlook/", views.release_outlook, name="host_outlook"),
    path("c/<slug:slug>/host/submissions/", views.submissions, name="host_submissions"),
    path("c/<slug:slug>/host/submissions/<uuid:uuid>/waive/", views.waive, name="host_waive"),
    path("c/<slug:slug>/host/submissions/<uuid:uuid>/rescore/", views.rescore, name="host_rescore"),
    path("c/<slug:slug>/host/announce/", announce_views.announce, name="host_announce"),
    path("c/<slug:slug>/host/settings/", terms_views.settings, name="host_settings"),
    path("c/<slug:slug>/host/close/", views.close, name="host_close"),
    path("c/<slug:slug>/host/reveal/", views.reveal, name="host_reveal"),
]

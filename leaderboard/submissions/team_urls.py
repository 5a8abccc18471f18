"""Addresses of a team's own pages."""

from django.urls import path

from leaderboard.submissions import team_views

urlpatterns = [
    path("", team_views.team, name="team"),
    path("rename/", team_views.rename, name="team_rename"),
    path("invite/", team_views.invite, name="team_invite"),
    path("invitations/<uuid:uuid>/revoke/", team_views.revoke, name="team_revoke"),
    path("join/<str:secret>/", team_views.join, name="team_join"),
    path("leave/", team_views.leave, name="team_leave"),
    path("remove/", team_views.remove, name="team_remove"),
    path("hand-over/", team_views.hand_over, name="team_hand_over"),
    path("merge/", team_views.propose, name="team_propose"),
    path("merge/<uuid:uuid>/", team_views.merge, name="team_merge"),
]

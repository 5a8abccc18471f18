"""All addresses of the site; each app adds its own list."""

from django.urls import include, path

urlpatterns = [
    path("", include("leaderboard.accounts.urls")),
    path("", include("leaderboard.competitions.urls")),
    path("", include("leaderboard.teams.urls")),
    path("", include("leaderboard.submissions.urls")),
    path("c/<slug:slug>/team/", include("leaderboard.submissions.team_urls")),
    path("", include("leaderboard.standings.urls")),
    path("", include("leaderboard.hosting.urls")),
    path("", include("leaderboard.api.urls")),
]
handler400 = "leaderboard.competitions.errors.bad_request"
handler404 = "leaderboard.competitions.errors.not_found"
handler500 = "leaderboard.competitions.errors.server_error"
handler403 = "leaderboard.competitions.errors.forbidden"

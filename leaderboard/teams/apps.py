from django.apps import AppConfig


class TeamsConfig(AppConfig):
    name = "leaderboard.teams"

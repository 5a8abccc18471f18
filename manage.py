#!/usr/bin/env python
"""Django's command line for this project."""

import os
import sys

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

from leaderboard import env


def main(arguments: list[str]) -> None:
    """Run a command; what is wrong with the environment is one sentence and exit code 2."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    # The settings open the data folder, so the option must be known before they load.
    env.take_data_option(arguments)
    try:
        settings.INSTALLED_APPS  # noqa: B018 - loads the settings, and is where they can fail
    except ImproperlyConfigured as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    execute_from_command_line(arguments)


if __name__ == "__main__":
    main(sys.argv)

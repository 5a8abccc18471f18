"""What pages of accounts print: providers to sign in with, browsers, how long ago."""

import re
from datetime import datetime

from allauth.socialaccount.adapter import get_adapter
from django import template
from django.utils.timesince import timesince

register = template.Library()

# The first that a browser's own line names; most of them name others too.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone|iPad", "iOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


@register.simple_tag(takes_context=True)
def sign_in_providers(context) -> list:
    """Return the providers of the configuration, for the buttons."""
    return get_adapter().list_providers(context.get("request"))


@register.filter
def browser(line: str) -> str:
    """Say which browser and system sent this User-Agent line, roughly: Firefox on Linux."""
    name = next((word for mark, word in BROWSERS if re.search(mark, line)), "A browser")
    system = next((word for mark, word in SYSTEMS if re.search(mark, line)), "")
    return f"{name} on {system}" if system else name


@register.filter
def ago(at: datetime | None, now: datetime) -> str:
    """Say how long ago an instant was, in one unit: 18 minutes ago."""
    if at is None:
        return "never"
    span = (now - at).total_seconds()
    return "just now" if span < 60 else f"{timesince(at, now, depth=1)} ago".replace("\xa0", " ")

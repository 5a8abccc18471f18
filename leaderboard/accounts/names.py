"""Which user names are allowed: plain ASCII, so that none can look like another's."""

from django.core.validators import MinLengthValidator, RegexValidator

VALIDATORS = [
    MinLengthValidator(2, "A user name has at least 2 characters."),
    RegexValidator(
        r"\A[A-Za-z][A-Za-z0-9_-]*\Z",
        "A user name starts with a letter and holds letters a to z, digits, - and _ only.",
    ),
]

"""Settings of Holdout: production by default, loosened only by the environment.

Every variable is listed in the README's configuration table.
"""

from datetime import timedelta
from pathlib import Path

from csp.constants import NONE, SELF

from leaderboard import env

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = env.data_folder(BASE_DIR)
SECRET_KEY = env.secret_key(DATA_DIR)
DEBUG = env.flag("DEBUG")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
# `up` and `demo` serve plain HTTP on the loopback address and say so with this variable.
HTTPS = env.flag("HTTPS", default=True)
# Where mails point; never the Host header, which whoever asks for the mail can write.
SITE_URL = env.site_url(ALLOWED_HOSTS, HTTPS)

INSTALLED_APPS = [
    "leaderboard.accounts",
    "leaderboard.audit",
    "leaderboard.competitions",
    "leaderboard.teams",
    "leaderboard.submissions",
    "leaderboard.standings",
    "leaderboard.hosting",
    "leaderboard.api",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "django_htmx",
    "csp",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "leaderboard.accounts.caching.keep_private",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

DATABASES = {"default": env.database(DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Rate limits of sign-in must hold across web processes and without Redis.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        # Past this many entries some are dropped, used or not: counters of calls would be lost.
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    }
}

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["leaderboard.accounts.backend.Backend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in (
        ("UserAttributeSimilarityValidator", {}),
        ("MinimumLengthValidator", {"min_length": 10}),
        ("CommonPasswordValidator", {}),
        ("NumericPasswordValidator", {}),
    )
]
ACCOUNT_ADAPTER = "leaderboard.accounts.adapter.Adapter"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = env.text("EMAIL_VERIFICATION", "mandatory")
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_USERNAME_VALIDATORS = "leaderboard.accounts.names.VALIDATORS"
# One address a person: a new one takes the old one's place once it is confirmed.
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
# In the browser that signed up only: a link that somebody else opens signs nobody in.
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
# For a new e-mail address as for a second factor the password is asked for again.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
# Whoever takes over a signed-in browser must not be able to do so unnoticed.
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
# By address where it says ip: a class room may share one. Wrong passwords also by name and address.
ACCOUNT_RATE_LIMITS = {
    "signup": f"{env.number('SIGN_UPS_A_MINUTE', 20, least=1)}/m/ip",
    "login": f"{env.number('SIGN_INS_A_MINUTE', 60, least=1)}/m/ip",
    "login_failed": "30/m/ip,5/300s/key",
    # One confirming mail a minute to an address.
    "confirm_email": "1/60s/key",
}
MFA_FORMS = {
    "authenticate": "leaderboard.accounts.forms.SecondFactor",
    "reauthenticate": "leaderboard.accounts.forms.SecondFactorAgain",
    "activate_totp": "leaderboard.accounts.forms.ActivateApp",
}
MFA_ADAPTER = "leaderboard.accounts.factors.Adapter"
MFA_TOTP_ISSUER = "Holdout"
# A clock half a minute off is common.
MFA_TOTP_TOLERANCE = 1
# A second factor is no reason to be shut in with an old e-mail address.
MFA_ALLOW_UNVERIFIED_EMAIL = True
SOCIALACCOUNT_FORMS = {"signup": "leaderboard.accounts.forms.SignUpWith"}
SOCIALACCOUNT_ADAPTER = "leaderboard.accounts.linking.Adapter"
# A new person always chooses a user name; a known one is found by a verified e-mail address.
SOCIALACCOUNT_AUTO_SIGNUP = False
SOCIALACCOUNT_EMAIL_AUTHENTICATION = True
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"APPS": env.openid_providers()}}
EMAIL_HOST = env.text("EMAIL_HOST")
EMAIL_PORT = env.number("EMAIL_PORT", 587, least=1)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = env.text("EMAIL_HOST_PASSWORD")
EMAIL_USE_TLS = env.flag("EMAIL_USE_TLS", default=True)
EMAIL_TIMEOUT = 10
# Mails go into the outbox; a worker sends them, without a mail server into its own log.
EMAIL_BACKEND = "leaderboard.accounts.outbox.Backend"
MAIL_BACKEND = env.text(
    "MAIL_BACKEND",
    f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend",
)
DEFAULT_FROM_EMAIL = env.text("DEFAULT_FROM_EMAIL", "holdout@localhost")

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
# `up` and `demo` serve static files straight from their folders, without collectstatic.
STATIC_FROM_SOURCE = env.flag("STATIC_FROM_SOURCE")
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = STATIC_FROM_SOURCE
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if STATIC_FROM_SOURCE
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

# The file store: uploads, answer keys and noise keys lie apart, so that each can be owned apart.
UPLOADS_DIR = DATA_DIR / "uploads"
DOWNLOADS_DIR = DATA_DIR / "downloads"
ANSWERS_DIR = DATA_DIR / "answers"
KEYS_DIR = DATA_DIR / "keys"
# Only the form for submissions takes files; every other form lets them go by.
FILE_UPLOAD_HANDLERS = ["leaderboard.submissions.receiving.NoFile"]
FILE_UPLOAD_PERMISSIONS = 0o600
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
# Calls of the API, for a person with all tokens together, or an address without one.
API_CALLS_A_MINUTE = env.number("API_CALLS_A_MINUTE", 600, least=1)

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
BEHIND_PROXY = env.flag("BEHIND_PROXY")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "font-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# Limits derive from one another: hard limit < lease < visibility timeout (checked at start-up).
SCORING_HARD_LIMIT = env.number("SCORING_HARD_LIMIT", 25, least=1)
SCORING_LEASE = env.number("SCORING_LEASE", 40, least=2)
SCORING_ATTEMPTS = 3
SWEEP_EVERY = env.number("SWEEP_EVERY", 10, least=1)
VISIBILITY_TIMEOUT = env.number("VISIBILITY_TIMEOUT", 120, least=3)

CELERY_BROKER_URL = env.broker_url()
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": VISIBILITY_TIMEOUT,
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    # A web process must answer within a moment when Redis does not.
    "socket_connect_timeout": 1,
    "socket_timeout": 30,
}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Mails of a site without a mail server are written as they are, not as lines of the log.
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_TASK_TIME_LIMIT = SCORING_HARD_LIMIT
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "submissions.sweep", "schedule": timedelta(seconds=SWEEP_EVERY)},
    "mail": {"task": "accounts.send_mail", "schedule": timedelta(seconds=SWEEP_EVERY)},
    "forget-mail": {"task": "accounts.forget_mail", "schedule": timedelta(hours=6)},
    "uploads": {"task": "api.sweep", "schedule": timedelta(minutes=10)},
    "notices": {"task": "competitions.sweep", "schedule": timedelta(seconds=SWEEP_EVERY)},
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "leaderboard.accounts.redacting.Formatter",
            "fmt": "%(asctime)s %(levelname)s %(name)s %(message)s",
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env.text("LOG_LEVEL", "INFO")},
}

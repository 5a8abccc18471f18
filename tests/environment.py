"""The environment of the tests, set before Django reads it (pytest loads this module first)."""

import atexit
import os
import shutil
import tempfile


def _prepare() -> None:
    if "HOLDOUT_TESTS" in os.environ:
        # A worker of the same run: it shares the folder that the first process made.
        return
    folder = tempfile.mkdtemp(prefix="holdout-tests-")
    owner = os.getpid()
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(folder, ignore_errors=True))
    os.environ.update(
        HOLDOUT_TESTS="1",
        HOLDOUT_DATA=folder,
        HTTPS="0",
        STATIC_FROM_SOURCE="1",
        EMAIL_VERIFICATION="none",
        MAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend",
        SECRET_KEY="only-for-tests-" + "x" * 50,
        # Nothing listens there: a test that wants a Redis asks for one.
        REDIS_URL=f"unix://{folder}/no-redis.sock",
        OPENBLAS_NUM_THREADS="1",
    )


_prepare()

"""Run the kaggle command against a Holdout site: HOLDOUT_URL says which.

    pip install kaggle six
    HOLDOUT_URL=https://holdout.example.org KAGGLE_API_TOKEN=... \\
        python holdout_kaggle.py competitions submit the-competition -f file.csv -m "a note"

The client itself is unchanged; it is only told another address than its own.
"""

import os
import sys

from kagglesdk import kaggle_env

if not os.environ.get("HOLDOUT_URL"):
    sys.exit("Set HOLDOUT_URL to the address of the site, such as https://holdout.example.org")

# Before the client itself is imported: it signs in while it is.
os.environ["KAGGLE_API_ENVIRONMENT"] = "LOCALHOST"
kaggle_env._env_to_endpoint[kaggle_env.KaggleEnv.LOCAL] = os.environ["HOLDOUT_URL"].rstrip("/")
sys.argv[0] = "kaggle"

from kaggle.cli import main  # noqa: E402

main()

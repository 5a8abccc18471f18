"""What the worker does for host pages: simulate what settings would mean."""

from celery import shared_task

from leaderboard.hosting import foreseeing
from leaderboard.submissions import ringing
from scoring import release
from scoring.study.curves import curves
from scoring.study.outlook import outlook


@shared_task(name=ringing.FORESEE)
def foresee(digest: str) -> None:
    """Answer the question of this name, if somebody still waits for it and nobody answered."""
    asked = foreseeing.asked(digest)
    if asked is None or foreseeing.answer(digest) is not None:
        return
    settings = release.ReleaseSettings.from_dict(asked["settings"])
    facts = {name: asked[name] for name in ("n_public", "standard_error", "baselines")}
    seen = outlook(settings, **facts)
    foreseeing.store(
        digest,
        {
            "outlook": seen.to_dict(),
            "sentences": seen.sentences(),
            "curves": curves(settings, **facts),
        },
    )

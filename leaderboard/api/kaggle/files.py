"""Calls about a team's files: announce, submit, follow, list."""

import re

from django.http import HttpResponseRedirect
from django.urls import reverse

from leaderboard.api.kaggle import uploads, wire
from leaderboard.api.kaggle.contests import visit
from leaderboard.competitions import clock, release_settings, telling
from leaderboard.submissions import intake, listing, outcomes
from leaderboard.submissions.models import Evaluation, Status, Submission
from leaderboard.submissions.quotas import quota
from leaderboard.submissions.refusals import Refusal, instant
from leaderboard.teams import viewers
from leaderboard.teams.models import Member

# The last part of the address becomes a name on the caller's disk: these signs are plain anywhere.
NOT_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")
STATUS = {
    Status.QUEUED: "PENDING",
    Status.LEASED: "PENDING",
    Status.SCORED: "COMPLETE",
    Status.REJECTED: "ERROR",
    Status.NEEDS_ATTENTION: "ERROR",
}


def start(request, body: dict, user) -> dict:
    """Give leave to send one file: a secret address and the token to submit it by."""
    made = visit(user, body)
    size = wire.number(body, "contentLength")
    if size < 1:
        raise wire.Fault(400, "This file is empty.")
    team = viewers.team_of(user, made.competition)
    # Before the client sends the bytes: the submission itself is decided anew, under the locks.
    late = intake.refuse_sender(made.competition, team, made.now)
    counted = quota(team, made.competition, made.now, user, late=late)
    if counted.refuses:
        raise Refusal(counted.refuses, why=counted.why, at=instant(counted.resets_at))
    secret = uploads.open_ticket(made.competition, user, wire.text(body, "fileName"), size)
    return {"token": secret, "createUrl": _address(request, reverse("kaggle_put", args=[secret]))}


def _address(request, path: str) -> str:
    """Return an address that the client can reach: it comes through a proxy as `localhost`."""
    if request.get_host() == "localhost":
        return f"http://localhost{path}"
    return request.build_absolute_uri(path)


def create(request, body: dict, user) -> dict:
    """Submit the file that was sent."""
    made = visit(user, body)
    competition = made.competition
    team = viewers.team_of(user, competition)
    note = wire.text(body, "submissionDescription")
    try:
        sent = uploads.submit(wire.text(body, "blobFileTokens"), competition, team, user, note)
    except uploads.Gone as gone:
        raise wire.Fault(404, "This upload is unknown or expired. Submit the file again.") from gone
    message = f"File {sent.number} of {sent.team.name} was accepted. {_what_follows(sent)}"
    return {"message": message, "ref": sent.pk}


def _what_follows(sent: Submission) -> str:
    """Say which score a file just accepted can get, by the rule that judges it."""
    if sent.late:
        return "It came after the reveal: it gets a private score and ranks nowhere."
    judged = sent.evaluations.select_related("release_settings").earliest("pk")
    rule = release_settings.rule(judged.release_settings).rule
    if rule == "sealed":
        return "It is checked now; no file gets a score before the close."
    if rule in telling.UNPROTECTED:
        return "Its public score appears as soon as it is scored."
    return (
        "A public score appears only if the file is clearly above the team's best; the page says "
        "how each file did."
    )


def limits(request, body: dict, user) -> dict:
    """Return how many files the team sent and how many it may still send today."""
    made = visit(user, body)
    team = viewers.team_of(user, made.competition)
    if team is None:
        return {"numToday": 0, "numTotal": 0, "numAllowedNow": 0, "limitedByTotal": False}
    counted = quota(team, made.competition, made.now, user, late=made.sees_final)
    sent = Submission.objects.filter(team=team).count()
    return {
        "numToday": counted.used,
        "numTotal": counted.total_used if counted.total_limit else sent,
        "numAllowedNow": counted.left,
        "limitedByTotal": counted.total_left == counted.left,
    }


def one(request, body: dict, user) -> dict:
    """Return one file of the caller's team."""
    found = own(user, wire.number(body, "ref") or wire.number(body, "submissionId"))
    state = found.submission.competition.state(clock.now())
    return _told(request, found, listing.published(found.team, state))


def many(request, body: dict, user) -> dict:
    """List the team's files, the latest first."""
    made = visit(user, body)
    team = viewers.team_of(user, made.competition)
    if team is None:
        raise wire.Fault(403, "Join this competition to have submissions.")
    standing = listing.published(team, made.state)
    rows = listing.evaluations(team)
    group = body.get("group")
    if group == "SUBMISSION_GROUP_SUCCESSFUL":
        rows = rows.filter(status=Status.SCORED)
    elif group == "SUBMISSION_GROUP_SELECTED":
        rows = rows.filter(submission__final_choice__isnull=False)
    wanted, size = wire.page(body)
    here = rows[(wanted - 1) * size : wanted * size]
    return {
        "submissions": [_told(request, row, standing) for row in here],
        "nextPageToken": wire.next_page(wanted, size, rows.count()),
    }


def download(request, body: dict, user) -> HttpResponseRedirect:
    """Send the client on to the bytes of an own file."""
    found = own(user, wire.number(body, "submissionId"))
    sent = found.submission
    name = NOT_PLAIN.sub("-", sent.original_name).lstrip("._-") or f"file-{sent.number}"
    return HttpResponseRedirect(reverse("kaggle_submission_file", args=[sent.pk, name]))


def own(user, ref: int) -> Evaluation:
    """Return a file of a team that the caller is in; an unknown and a foreign one look alike."""
    submission = Submission.objects.filter(pk=ref).select_related("team").first()
    member = submission and Member.objects.filter(team=submission.team_id, user=user).exists()
    found = listing.evaluations(submission.team).filter(submission=submission) if member else None
    if not found:
        raise wire.Fault(404, f"You have no submission {ref}.")
    return found[0]


def _plain(score: str) -> str:
    """A printed score as a program reads it."""
    return score.replace("\N{MINUS SIGN}", "-").replace(",", "").replace("\N{EN DASH}", "")


def _private(evaluation: Evaluation, told: outcomes.Told, standing) -> str:
    """The private score of a late file, or of the final file that the final page tells it of."""
    if told.late:
        return told.score if told.final else ""
    if standing is None or standing.submission_id != evaluation.submission_id:
        return ""
    competition = evaluation.submission.competition
    at_close = release_settings.in_force(competition, competition.closes_at)
    return outcomes.private_text(release_settings.rule(at_close), standing.score)


def _told(request, evaluation: Evaluation, standing) -> dict:
    submission = evaluation.submission
    told = outcomes.describe(evaluation)
    status = STATUS[Status(evaluation.status)]
    return {
        "ref": submission.pk,
        "totalBytes": submission.size,
        "date": wire.instant(submission.accepted_at),
        "description": submission.note,
        "fileName": submission.original_name,
        "publicScore": _plain(told.score) if told.units is not None else "",
        "privateScore": _plain(_private(evaluation, told, standing)),
        "status": status,
        "errorDescription": told.headline if status == "ERROR" else "",
        "submittedBy": submission.user.username if submission.user else "",
        "teamName": evaluation.team.name,
        "url": request.build_absolute_uri(
            reverse("submission", args=[submission.competition.slug, submission.uuid])
        ),
    }

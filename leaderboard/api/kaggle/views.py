"""The doors of the client: one for each service, one for bytes in each direction."""

from django.conf import settings
from django.http import Http404, HttpResponse, UnreadablePostError
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from leaderboard.accounts import tokens
from leaderboard.api.calls import RATE
from leaderboard.api.kaggle import archives, contests, files, uploads, wire
from leaderboard.competitions import sending
from leaderboard.submissions import receiving
from leaderboard.submissions.refusals import Refusal

# Method -> (act, whether somebody must have signed in).
METHODS = {
    "ListCompetitions": (contests.list_competitions, False),
    "ListCompetitionPages": (contests.list_pages, False),
    "ListDataFiles": (contests.list_files, False),
    "DownloadDataFile": (contests.download_file, False),
    "DownloadDataFiles": (contests.download_files, False),
    "GetLeaderboard": (contests.leaderboard, False),
    "DownloadLeaderboard": (contests.download_leaderboard, False),
    "ListTeamPublicSubmissions": (contests.team_scores, False),
    "StartSubmissionUpload": (files.start, True),
    "CreateSubmission": (files.create, True),
    "GetSubmissionLimits": (files.limits, True),
    "GetSubmission": (files.one, True),
    "ListSubmissions": (files.many, True),
    "DownloadSubmission": (files.download, True),
}


@csrf_exempt
@require_POST
def competitions(request, method: str):
    """Answer a call to the competitions service."""

    def act():
        if method not in METHODS:
            raise wire.Fault(404, f"Holdout does not know the call {method[:60]}.")
        doing, signed_in = METHODS[method]
        request.user = wire.somebody(request) if signed_in else wire.caller(request)
        # The same count as of the calls under /api/v1: it is the same person.
        if not RATE.allow_request(request):
            raise wire.Fault(429, "Too many calls this minute. Wait and try again.")
        return doing(request, wire.asked(request), request.user)

    return wire.answered(request, act)


@csrf_exempt
@require_POST
def introspect(request):
    """Say whose token it is; the client asks before every command."""

    def act():
        user = tokens.owner(wire.text(wire.asked(request), "token"))
        return {"active": user is not None, "username": user.username if user else None}

    return wire.answered(request, act)


@csrf_exempt
@require_http_methods(["PUT"])
def put(request, secret: str):
    """Take the bytes of an announced file; the address itself is the right to send them."""
    size = receiving.stated_length(request)
    if size is None:
        return wire.error(411, "Say how long the file is: send a Content-Length.")
    try:
        # The stream and not `request.body`, which stops at a few MB.
        uploads.receive(secret, request, size)
    except uploads.Gone:
        return wire.error(404, "This address is unknown, used or expired. Submit the file again.")
    except uploads.WrongSize:
        return wire.error(400, "The file has another size than was announced. Submit it again.")
    except UnreadablePostError:
        return wire.error(400, "The file broke off on its way. Submit it again.")
    except Refusal as refusal:
        return wire.error(refusal.status, refusal.sentence)
    return HttpResponse(status=201)


@require_safe
def data_file(request, slug: str, name: str):
    """Send one data file to somebody who may download it."""

    def act():
        made = contests.downloading(wire.caller(request), {"competitionName": slug})
        file = made.competition.files.filter(name=name).first()
        if file is None:
            raise Http404
        return sending.data_file(request, file, made.competition.opens_at)

    return wire.answered(request, act)


@require_safe
def data_files(request, slug: str):
    """Send all data files in one archive to somebody who may download them."""

    def act():
        made = contests.downloading(wire.caller(request), {"competitionName": slug})
        path, tag = archives.archive(made.competition)
        return sending.stored(
            request,
            settings.DOWNLOADS_DIR,
            path,
            name=f"{slug}.zip",
            tag=tag,
            at=made.competition.opens_at,
        )

    return wire.answered(request, act)


@require_safe
def submission_file(request, ref: int, name: str):
    """Send the bytes of a file to a member of the team that sent it."""

    def act():
        sent = files.own(wire.somebody(request), ref).submission
        try:
            return sending.stored(
                request,
                settings.UPLOADS_DIR,
                sent.path,
                name=sent.original_name,
                tag=sent.sha256,
                at=sent.accepted_at,
            )
        except FileNotFoundError as gone:
            raise Http404 from gone

    return wire.answered(request, act)

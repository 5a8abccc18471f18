"""Going to an OpenID Connect provider and coming back."""

import logging

from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.openid_connect import views as openid_views
from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe
from requests import RequestException

logger = logging.getLogger(__name__)
# What a provider that is down, or answers nonsense, brings about on our side.
NO_SENSE = (RequestException, KeyError, ValueError)


@require_http_methods(["GET", "HEAD", "POST"])
def leave(request, provider_id):
    """Send a browser to a provider, by a page that goes on by itself.

    A redirect in answer to a form is held to the policy's form-action, which is this site; the
    address of a provider may lie on any other, and pass through more of them.
    """
    answer = _guarded(request, provider_id, openid_views.login)
    if answer.status_code != 302 or not answer["Location"].startswith(("https://", "http://")):
        return answer
    provider = get_adapter().get_provider(request, provider_id)
    return render(
        request,
        "socialaccount/login_redirect.html",
        {"provider": provider, "redirect_to": answer["Location"]},
    )


@require_safe
def come_back(request, provider_id):
    """Take up a browser that a provider sent back."""
    return _guarded(request, provider_id, openid_views.callback)


def _guarded(request, provider_id, view):
    """Call a view of the library; a provider that fails is told to the person, and logged."""
    try:
        provider = get_adapter().get_provider(request, provider_id)
    except SocialApp.DoesNotExist:
        raise Http404 from None
    try:
        return view(request, provider_id)
    except NO_SENSE as error:
        logger.warning("The OpenID Connect provider %s failed: %r", provider_id, error)
        return render_authentication_error(request, provider, exception=error)

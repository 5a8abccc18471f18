"""The page on which a person deletes the account."""

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from leaderboard.accounts.models import User
from leaderboard.hosting import deletion


class Confirm(forms.Form):
    """The user name typed, so that nobody deletes an account by one wrong click."""

    user_name = forms.CharField(
        max_length=60, error_messages={"required": "Type your user name to confirm."}
    )

    def __init__(self, *args, user: User, **kwargs):
        super().__init__(*args, **kwargs)
        self.user = user
        field = self.fields["user_name"]
        field.label = f"Type {user.username} to confirm"
        field.widget.attrs |= {"autocomplete": "off", "spellcheck": "false"}

    def clean_user_name(self):
        if self.cleaned_data["user_name"].strip() != self.user.username:
            raise forms.ValidationError(f"This is not {self.user.username}.")
        return self.cleaned_data["user_name"]


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@reauthentication_required
def delete_account(request):
    """Say what will be deleted and what stays; delete the account once its name is typed.

    The password, or another proof of the person, was asked for within the last minutes.
    """
    user = request.user
    held = deletion.obstacles(user)
    form = Confirm(request.POST or None, user=user)
    if request.method == "POST" and not held and form.is_valid():
        try:
            deletion.delete(User.objects.get(pk=user.pk))
        except deletion.OnlyHost as refused:
            held = refused.competitions
        else:
            logout(request)
            messages.success(request, "Your account was deleted.", extra_tags="good")
            return redirect("home")
    found = deletion.places(user)
    context = {
        "form": form,
        "obstacles": held,
        "alone": [place for place in found if place.alone],
        "shared": [place for place in found if not place.alone],
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "accounts/delete.html", context, status=status)

"""Addresses of accounts; the names are those the sign-in library looks for."""

from allauth.account import views as account_views
from django.urls import path, re_path

from leaderboard.accounts import views

urlpatterns = [
    path("signin/", views.SignIn.as_view(), name="account_login"),
    path("signup/", views.SignUp.as_view(), name="account_signup"),
    path("signout/", views.SignOut.as_view(), name="account_logout"),
    path("account/", views.account, name="account"),
    path("account/password/", views.ChangePassword.as_view(), name="account_change_password"),
    path("account/email/", views.ChangeEmail.as_view(), name="account_email"),
    path("account/inactive/", account_views.account_inactive, name="account_inactive"),
    path(
        "account/confirm/",
        account_views.email_verification_sent,
        name="account_email_verification_sent",
    ),
    re_path(
        r"^account/confirm/(?P<key>[-:\w]+)/$",
        account_views.confirm_email,
        name="account_confirm_email",
    ),
    path("password/reset/", views.AskForReset.as_view(), name="account_reset_password"),
    path(
        "password/reset/sent/",
        account_views.password_reset_done,
        name="account_reset_password_done",
    ),
    path(
        "password/reset/done/",
        account_views.password_reset_from_key_done,
        name="account_reset_password_from_key_done",
    ),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        views.ResetPassword.as_view(),
        name="account_reset_password_from_key",
    ),
]

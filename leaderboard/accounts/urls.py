"""Addresses of accounts; the names are those the sign-in library looks for."""

from allauth.account import views as account_views
from allauth.mfa.base import views as mfa_views
from allauth.mfa.recovery_codes import views as code_views
from allauth.mfa.totp import views as totp_views
from allauth.socialaccount import views as social_views
from django.urls import path, re_path

from leaderboard.accounts import pages, providers, views

entrance = [
    path("signin/", views.SignIn.as_view(), name="account_login"),
    path("signin/code/", mfa_views.authenticate, name="mfa_authenticate"),
    path("signin/with/<slug:provider_id>/", providers.leave, name="openid_connect_login"),
    path(
        "signin/with/<slug:provider_id>/callback/",
        providers.come_back,
        name="openid_connect_callback",
    ),
    path("signin/cancelled/", social_views.login_cancelled, name="socialaccount_login_cancelled"),
    path("signin/failed/", social_views.login_error, name="socialaccount_login_error"),
    path("signup/", views.SignUp.as_view(), name="account_signup"),
    path("signup/with/", social_views.signup, name="socialaccount_signup"),
    path("signout/", views.SignOut.as_view(), name="account_logout"),
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
own_pages = [
    path("account/", pages.account, name="account"),
    path("account/mail/", pages.choose_mail, name="account_mail"),
    path("account/browsers/", pages.sign_out_browsers, name="account_browsers"),
    path("account/tokens/new/", pages.new_token, name="account_token_new"),
    path("account/tokens/<int:token>/revoke/", pages.revoke_token, name="account_token_revoke"),
    path("account/password/", views.ChangePassword.as_view(), name="account_change_password"),
    path("account/password/set/", views.SetPassword.as_view(), name="account_set_password"),
    path("account/email/", views.ChangeEmail.as_view(), name="account_email"),
    path("account/inactive/", account_views.account_inactive, name="account_inactive"),
    path("account/connections/", social_views.connections, name="socialaccount_connections"),
    path(
        "account/confirm/",
        account_views.email_verification_sent,
        name="account_email_verification_sent",
    ),
    path("account/confirm/again/", views.confirm_again, name="account_confirm_again"),
    re_path(
        r"^account/confirm/(?P<key>[-:\w]+)/$",
        account_views.confirm_email,
        name="account_confirm_email",
    ),
    path("account/again/", views.SignInAgain.as_view(), name="account_reauthenticate"),
    path("account/again/code/", mfa_views.reauthenticate, name="mfa_reauthenticate"),
    path(
        "account/again/mail/",
        views.AskForCode.as_view(),
        name="account_request_reauthentication_code",
    ),
    path(
        "account/again/mail/code/",
        views.MailedCode.as_view(),
        name="account_confirm_reauthentication_code",
    ),
]
second_factor = [
    path("account/second-factor/", mfa_views.index, name="mfa_index"),
    path("account/second-factor/app/", pages.ActivateApp.as_view(), name="mfa_activate_totp"),
    path(
        "account/second-factor/app/remove/", totp_views.deactivate_totp, name="mfa_deactivate_totp"
    ),
    path(
        "account/second-factor/codes/",
        code_views.view_recovery_codes,
        name="mfa_view_recovery_codes",
    ),
    path(
        "account/second-factor/codes/new/",
        code_views.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path(
        "account/second-factor/codes/download/",
        code_views.download_recovery_codes,
        name="mfa_download_recovery_codes",
    ),
]
urlpatterns = entrance + own_pages + second_factor

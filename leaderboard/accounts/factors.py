"""The second factor: its secrets are kept encrypted, its QR code is drawn without a script."""

import base64
import hashlib
from dataclasses import dataclass

import qrcode
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings

# Signs of light around the code, without which cameras do not find it.
QUIET_ZONE = 4


class Adapter(DefaultMFAAdapter):
    """Secrets of authenticator apps and recovery codes, encrypted by a key made of SECRET_KEY.

    A copy of the database alone then gives nobody a second factor. Old keys stay readable through
    SECRET_KEY_FALLBACKS.
    """

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": (
            "This code is wrong or no longer valid. Wait for the next one and try again."
        ),
        "cannot_generate_recovery_codes": "Recovery codes need an authenticator app first.",
    }

    def encrypt(self, text):
        return _fernet().encrypt(text.encode()).decode("ascii")

    def decrypt(self, encrypted_text):
        return _fernet().decrypt(encrypted_text.encode()).decode()

    def get_totp_label(self, user):
        # The user name: whoever sees the app on a screen need not learn the e-mail address.
        return f"{self.get_totp_issuer()}:{user.username}"


@dataclass(frozen=True)
class QrCode:
    """A QR code as the path of an SVG: one unit for each of its squares."""

    size: int
    path: str


def qr_code(text: str) -> QrCode:
    """Return a text as a QR code with its quiet zone."""
    code = qrcode.QRCode(border=QUIET_ZONE, error_correction=qrcode.constants.ERROR_CORRECT_M)
    code.add_data(text)
    rows = code.get_matrix()
    squares = [
        f"M{x} {y}h1v1h-1z" for y, row in enumerate(rows) for x, dark in enumerate(row) if dark
    ]
    return QrCode(len(rows), "".join(squares))


def _fernet() -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(_key(key)) for key in keys])


def _key(secret: str) -> bytes:
    made = hashlib.sha256(b"holdout-second-factor-1:" + secret.encode()).digest()
    return base64.urlsafe_b64encode(made)

"""A small real OpenID Connect provider on 127.0.0.1: authorization code, PKCE, signed ID token."""

import base64
import hashlib
import json
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "holdout", "a-client-secret"


class Provider:
    """Signs in whoever `person` says; a test may change it between two sign-ins."""

    def __init__(self):
        self.person = {"sub": "1", "email": "", "email_verified": False}
        self.codes: dict[str, dict] = {}
        self.tokens: dict[str, dict] = {}
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.broken = False
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
        self.server.provider = self
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def authorize(self, address: str) -> str:
        """Do what a person does at the provider; returns where the browser is sent back to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe()
        self.codes[code] = asked | {"person": dict(self.person)}
        back = urlsplit(asked["redirect_uri"])
        return f"{back.path}?code={code}&state={asked['state']}"

    def exchange(self, sent: dict) -> dict:
        """Answer the site's question for a token."""
        asked = self.codes.pop(sent["code"])
        assert sent["client_secret"] == SECRET
        seen = hashlib.sha256(sent["code_verifier"].encode()).digest()
        assert base64.urlsafe_b64encode(seen).decode().rstrip("=") == asked["code_challenge"]
        token = secrets.token_urlsafe()
        self.tokens[token] = asked["person"]
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 60, **asked["person"]}
        signed = jwt.encode(claims, self.key, algorithm="RS256", headers={"kid": "one"})
        return {"access_token": token, "token_type": "Bearer", "id_token": signed}


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        provider = self.server.provider
        if provider.broken:
            self.answer({}, 500)
        elif self.path == "/.well-known/openid-configuration":
            self.answer(
                {
                    "issuer": provider.url,
                    "authorization_endpoint": f"{provider.url}/authorize",
                    "token_endpoint": f"{provider.url}/token",
                    "userinfo_endpoint": f"{provider.url}/userinfo",
                    "jwks_uri": f"{provider.url}/keys",
                    "token_endpoint_auth_methods_supported": ["client_secret_post"],
                }
            )
        else:
            self.answer(provider.tokens[self.headers["Authorization"].removeprefix("Bearer ")])

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.answer(self.server.provider.exchange({k: v[0] for k, v in parse_qs(body).items()}))

    def answer(self, body: dict, status: int = 200) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *details) -> None:
        """Say nothing: the test's output is for the test."""

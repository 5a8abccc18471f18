"""A person at a running site: a browser's cookies and forms without the browser."""

import http.cookiejar
import io
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@dataclass(frozen=True)
class Answer:
    """What the site answered, at the end of all redirects."""

    status: int
    url: str
    body: bytes
    headers: dict[str, str]

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")

    @property
    def path(self) -> str:
        return urllib.parse.urlsplit(self.url).path


class Person:
    """Somebody who visits the site with cookies of their own."""

    def __init__(self, site_url: str):
        self.site_url = site_url
        jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))

    def get(self, path: str) -> Answer:
        return self._open(urllib.request.Request(self.site_url + path))

    def post(self, path: str, page: str = "", files: dict | None = None, **fields: str) -> Answer:
        """Send a form as the page that holds it does: with its token."""
        token = TOKEN.search(self.get(page or path).text)
        assert token, f"no form on {page or path}"
        fields["csrfmiddlewaretoken"] = token[1]
        if files:
            kind, body = _multipart(fields, files)
        else:
            kind = "application/x-www-form-urlencoded"
            body = urllib.parse.urlencode(fields, doseq=True).encode()
        headers = {"Content-Type": kind, "Referer": self.site_url + path}
        return self._open(urllib.request.Request(self.site_url + path, body, headers))

    def sign_up(self, name: str) -> Answer:
        """Make an account and be signed in."""
        return self.post(
            "/signup/",
            username=name,
            email=f"{name}@example.org",
            password1="a-long-enough-passphrase",
            one_account="on",
        )

    def sign_in(self, name: str, password: str) -> Answer:
        return self.post("/signin/", login=name, password=password)

    def upload(self, slug: str, name: str, content: bytes, note: str = "") -> Answer:
        """Send a file through the form of the submit page."""
        place = f"/c/{slug}/submit/"
        token = re.search(r'name="form_token" value="([^"]+)"', self.get(place).text)
        fields = {"note": note, "form_token": token[1] if token else ""}
        return self.post(place, files={"file": (name, content)}, **fields)

    def outcome(self, path: str, seconds: float = 30) -> Answer:
        """Wait on a submission's page until it is final, and return it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.get(f"{path}status/").status == 286:
                return self.get(path)
            time.sleep(0.1)
        raise AssertionError(f"{path} is not final after {seconds} s")

    def _open(self, request: urllib.request.Request) -> Answer:
        try:
            answer = self.opener.open(request, timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return Answer(answer.status, answer.url, answer.read(), dict(answer.headers))


def _multipart(fields: dict[str, str], files: dict) -> tuple[str, bytes]:
    border, body = uuid.uuid4().hex, io.BytesIO()
    for name, value in fields.items():
        body.write(f'--{border}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode())
        body.write(f"{value}\r\n".encode())
    for name, (file, content) in files.items():
        body.write(
            f'--{border}\r\nContent-Disposition: form-data; name="{name}"; filename="{file}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n".encode()
        )
        body.write(content + b"\r\n")
    body.write(f"--{border}--\r\n".encode())
    return f"multipart/form-data; boundary={border}", body.getvalue()

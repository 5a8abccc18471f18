"""A participant at the other end of a wire: signs in, joins, sends a file, reads a page."""

import http.cookiejar
import json
import re
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable


class Client:
    """One person's browser, without the browser."""

    def __init__(self, url: str):
        self.url = url
        jar = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))

    def get(self, path: str) -> str:
        with self._opener.open(self.url + path, timeout=30) as answer:
            return answer.read().decode()

    def post(self, path: str, page: str, **fields: str) -> int:
        """Send the form of a page; returns the status of where it led."""
        body = urllib.parse.urlencode(
            {"csrfmiddlewaretoken": _hidden(self.get(page), "csrfmiddlewaretoken"), **fields}
        )
        request = urllib.request.Request(
            self.url + path, body.encode(), {"Referer": self.url + page}
        )
        with self._opener.open(request, timeout=30) as answer:
            return answer.status

    def sign_in(self, name: str, password: str = "") -> "Client":
        self.post("/signin/", "/signin/", login=name, password=password or name)
        return self

    def send(self, slug: str, content: bytes) -> tuple[int, dict]:
        """Send a file; returns the status and what was answered as JSON."""
        return self.prepared(slug, content)()

    def prepared(self, slug: str, content: bytes) -> Callable[[], tuple[int, dict]]:
        """Open the form, and return the call that sends the file with it."""
        path = f"/c/{slug}/submit/"
        page = self.get(path)
        boundary = uuid.uuid4().hex
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
            f"{_hidden(page, name)}\r\n"
            for name in ("csrfmiddlewaretoken", "form_token")
        ]
        head = (
            f"--{boundary}\r\nContent-Disposition: form-data; "
            'name="file"; filename="file.csv"\r\nContent-Type: text/csv\r\n\r\n'
        )
        body = "".join([*parts, head]).encode() + content + f"\r\n--{boundary}--\r\n".encode()
        headers = {
            "Content-Type": f"multipart/form-data; boundary={boundary}",
            "Accept": "application/json",
            "Referer": self.url + path,
        }

        def post() -> tuple[int, dict]:
            request = urllib.request.Request(self.url + path, body, headers)
            try:
                with self._opener.open(request, timeout=60) as answer:
                    return answer.status, json.loads(answer.read())
            except urllib.error.HTTPError as error:
                with error:
                    return error.code, json.loads(error.read())

        return post


def _hidden(page: str, name: str) -> str:
    """The value of a hidden field of a page's form."""
    return re.search(rf'name="{name}" value="([^"]+)"', page).group(1)

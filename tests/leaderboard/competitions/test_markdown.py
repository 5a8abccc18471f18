"""Organisers' texts become HTML in which nothing runs."""

from html.parser import HTMLParser

import pytest

from leaderboard.competitions import markdown


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](https://evil.example/x.png)",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:x)",
        "<javascript:alert(1)>",
        '<a href="javascript:alert(1)">x</a>',
        "<svg><a xlink:href='javascript:alert(1)'>x</a></svg>",
        "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
        '[x](https://a.example "onmouseover=alert(1)")',
        "<style>body{display:none}</style>",
        "<iframe src=https://evil.example></iframe>",
        '<p style="position:fixed">x</p>',
        "`<script>alert(1)</script>`",
        "```\n<script>alert(1)</script>\n```",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
    ],
)
def test_nothing_runs(text):
    found = Found(markdown.render(text))
    assert not found.tags - markdown.TAGS
    assert not {name for name in found.names if name.startswith("on")} | (found.names & {"style"})
    assert all(link.startswith(("https://", "http://", "mailto:", "/")) for link in found.links)


class Found(HTMLParser):
    """The tags, attributes and links that a browser would see."""

    def __init__(self, html: str):
        super().__init__()
        self.tags, self.names, self.links = set(), set(), []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}
        self.links += [value for name, value in attrs if name in ("href", "src")]


def test_a_quoted_handler_stays_a_title():
    html = markdown.render('[x](https://a.example "onmouseover=alert(1)")')
    assert 'title="onmouseover=alert(1)"' in html


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n## Two", ["h2", "h3"]),
        ("## One\n### Two", ["h2", "h3"]),
        ("#### Deep", ["h2"]),
        ("###### A\n# B", ["h6", "h2"]),
    ],
)
def test_headings_begin_at_the_second_level(text, expected):
    html = markdown.render(text)
    assert [part[:2] for part in html.split("<")[1:] if part[0] == "h"] == expected


def test_links_say_who_they_trust():
    html = markdown.render("[x](https://a.example) [y](/c/penguins/data/)")
    assert html.count('rel="nofollow noopener noreferrer"') == 2
    assert 'href="/c/penguins/data/"' in html


def test_tables_and_code_scroll_by_keyboard():
    html = markdown.render("| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx\n```")
    assert '<div class="scroll" tabindex="0"><table>' in html
    assert '<pre tabindex="0"><code>x' in html


def test_empty_text_is_nothing():
    assert markdown.render("") == ""

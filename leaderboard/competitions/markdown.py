"""Organisers' texts: Markdown to HTML that is safe to put into a page."""

import re
from html import unescape

import nh3
from django.utils.html import strip_tags
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

# The page has the h1: whatever level an organiser begins with becomes this one, or a later one.
FIRST = 2
TAGS = {
    *("h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "em", "strong", "s", "code", "pre"),
    *("blockquote", "ul", "ol", "li", "a", "div", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {
    "a": {"href", "title"},
    "ol": {"start"},
    "pre": {"tabindex"},
    # A wide table scrolls by itself, also by keyboard, and the page does not.
    "div": {"class", "tabindex"},
}
SCHEMES = {"http", "https", "mailto"}
BLOCK_END = re.compile("</(?:p|li|h[1-6]|tr|pre)>|<br>")

_parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def render(text: str, first: int = FIRST) -> SafeString:
    """Return an organiser's Markdown as sanitised HTML, its highest heading of level `first`.

    Raw HTML is shown as text, images are left out (the policy would block them), links carry
    rel="nofollow noopener noreferrer". Sanitised after all transforms.
    """
    tokens = _parser.parse(text or "")
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    shift = first - min((int(token.tag[1]) for token in headings), default=first)
    for token in headings:
        token.tag = f"h{min(int(token.tag[1]) + shift, 6)}"
    html = _parser.renderer.render(_scrolling(tokens), _parser.options, {})
    # A block of code can be wider than a phone: it must be reachable by keyboard to scroll.
    html = html.replace("<pre>", '<pre tabindex="0">')
    clean = nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        url_schemes=SCHEMES,
        link_rel="nofollow noopener noreferrer",
    )
    return mark_safe(clean)  # noqa: S308 - sanitised the line before


def plain(text: str) -> str:
    """Return an organiser's Markdown as plain text: a line for each paragraph and item."""
    lines = unescape(strip_tags(BLOCK_END.sub("\n", render(text)))).splitlines()
    return "\n".join(line for line in map(str.strip, lines) if line)


def _scrolling(tokens: list[Token]) -> list[Token]:
    """Wrap every table in an element that scrolls."""
    made = []
    for token in tokens:
        if token.type == "table_open":
            made.append(_raw('<div class="scroll" tabindex="0">'))
        made.append(token)
        if token.type == "table_close":
            made.append(_raw("</div>"))
    return made


def _raw(html: str) -> Token:
    return Token("html_block", "", 0, content=html)

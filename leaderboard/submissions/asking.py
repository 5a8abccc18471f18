"""What a reader asks of the list of files: read out of an address, and written into one."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import QueryDict

QUERY_LENGTH = 60
LARGEST_PAGE = 10_000_000
SORTS = {
    "": "Latest first",
    "oldest": "Oldest first",
    "score": "Best score first",
    "own": "Best own score first",
    "name": "By file name",
}


@dataclass(frozen=True)
class Asked:
    """Which files, found how, in which order, and which page of them."""

    show: str = ""
    query: str = ""
    sort: str = ""
    page: int = 1
    # Files sent after the reveal, which are listed apart.
    late: bool = False

    @property
    def address(self) -> str:
        """The query of the address that asks for this; a question mark alone for the defaults."""
        given = {
            "set": "late" if self.late else "",
            "show": self.show,
            "q": self.query,
            "sort": self.sort,
            "page": self.page if self.page > 1 else "",
        }
        return "?" + urlencode({name: value for name, value in given.items() if value})

    @property
    def narrowed(self) -> bool:
        """Whether files are left out."""
        return bool(self.show or self.query)

    def at_page(self, number: int) -> str:
        """The address of another page of the same files."""
        return replace(self, page=number).address


def read(given: QueryDict) -> Asked:
    """Return what an address asks for; what makes no sense counts as not asked."""
    page, sort = given.get("page", ""), given.get("sort", "")
    number = int(page) if page.isascii() and page.isdigit() and len(page) < 8 else 1
    return Asked(
        show=given.get("show", ""),
        query=" ".join(given.get("q", "").replace("\0", "")[:QUERY_LENGTH].split()),
        sort=sort if sort in SORTS else "",
        page=min(max(number, 1), LARGEST_PAGE),
        late=given.get("set") == "late",
    )


def read_back(text: str) -> Asked:
    """Return what `Asked.address` wrote, as a form brings it back."""
    return read(QueryDict(text.removeprefix("?")[:1000]))

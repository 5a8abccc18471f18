"""How a call is declared: its address, who may, what it answers, and every way it can fail."""

from collections.abc import Callable
from typing import Annotated, Any

from ninja import Path, Router, Schema
from pydantic import ConfigDict, Field

from leaderboard.api.auth import PUBLIC, SIGNED_IN, Rate
from leaderboard.api.schemas import Error

LARGEST_PAGE = 1_000_000
PAGE_SIZE, LARGEST_PAGE_SIZE = 25, 100
RATE = Rate()

Slug = Annotated[
    str,
    Path(
        pattern="^[-a-zA-Z0-9_]+$",
        max_length=60,
        description="the competition's name in its address",
        example="penguin-sex",
    ),
]


class Paging(Schema):
    """Which page of a list."""

    model_config = ConfigDict(extra="forbid")

    page: int = Field(1, ge=1, le=LARGEST_PAGE, description="from 1; past the end it is empty")
    page_size: int = Field(PAGE_SIZE, ge=1, le=LARGEST_PAGE_SIZE, description="at most 100")

    def cut(self, rows) -> list:
        """Return the page's part of a list or queryset."""
        return list(rows[(self.page - 1) * self.page_size : self.page * self.page_size])

    def told(self, total: int) -> dict:
        """Return what an answer says of its page."""
        pages = max(-(-total // self.page_size), 1)
        return {"page": self.page, "page_size": self.page_size, "pages": pages, "total": total}


def call(
    router: Router,
    method: str,
    path: str,
    name: str,
    *,
    answers: Any,
    summary: str,
    status: int = 200,
    public: bool = False,
    fails: tuple[int, ...] = (),
    extra: dict | None = None,
) -> Callable[[Callable], Callable]:
    """Declare a call under a URL name; the view's docstring is its description.

    `public` calls answer without a token too. `fails` are statuses beside those of every call.
    """
    always = {400, 422, 429, 500, 401}
    if "{" in path:
        always.add(404)
    refusals = dict.fromkeys(sorted({*always, *fails}), Error)
    return router.api_operation(
        [method],
        path,
        url_name=name,
        # Distinct in the description, where one address has several methods.
        operation_id=f"{name.removeprefix('api_')}_{method.lower()}",
        auth=PUBLIC if public else SIGNED_IN,
        throttle=RATE,
        response={status: answers, **refusals},
        summary=summary,
        openapi_extra={**(extra or {}), **({"x-public": True} if public else {})},
    )


def form(*, fields: dict, required: list[str]) -> dict:
    """Describe a multipart body that the call reads itself, after it has looked at its size."""
    schema = {
        "type": "object",
        "properties": fields,
        "required": required,
        "additionalProperties": False,
    }
    return {
        "requestBody": {"content": {"multipart/form-data": {"schema": schema}}, "required": True}
    }

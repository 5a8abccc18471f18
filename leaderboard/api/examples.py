"""Examples of every call for people: a line of curl each, made from the description alone."""

import shlex
from dataclasses import dataclass

VALUES = {"name": "train.csv", "uuid": "0b7c1c1e-2f0a-4c58-9a5e-6f1d2f0c9b11"}


@dataclass(frozen=True)
class Parameter:
    """What may stand in the address behind the question mark, or in a header or body."""

    name: str
    kind: str
    text: str
    required: bool


@dataclass(frozen=True)
class Call:
    """A call as the page shows it."""

    key: str
    method: str
    path: str
    summary: str
    text: str
    public: bool
    parameters: list[Parameter]
    statuses: list[tuple[str, str]]
    curl: str
    answer: list[Parameter]


@dataclass(frozen=True)
class Group:
    """Calls about one subject."""

    name: str
    text: str
    calls: list[Call]

    @property
    def key(self) -> str:
        return self.name.lower()


def groups(description: dict, base: str, slug: str) -> list[Group]:
    """Return all calls of a description by subject, with `slug` as the example's competition."""
    calls: dict[str, list[Call]] = {}
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            made = _call(description, base, slug, method.upper(), path, operation)
            calls.setdefault(operation["tags"][0], []).append(made)
    return [
        Group(tag["name"], tag["description"], calls.get(tag["name"], []))
        for tag in description["tags"]
    ]


def _call(description, base, slug, method: str, path: str, operation: dict) -> Call:
    named = [one for one in operation["parameters"] if one["in"] != "path"]
    content = operation.get("requestBody", {}).get("content", {})
    fields = [field for body in content.values() for field in _fields(description, body["schema"])]
    return Call(
        key=operation["operationId"],
        method=method,
        path=path,
        summary=operation["summary"],
        text=operation["description"],
        public={} in operation["security"],
        parameters=[
            Parameter(
                one["name"],
                _kind(description, one["schema"]) + (", header" if one["in"] == "header" else ""),
                one.get("description", ""),
                one["required"],
            )
            for one in named
        ]
        + fields,
        statuses=[(status, told["description"]) for status, told in operation["responses"].items()],
        curl=_curl(description, base, slug, method, path, operation),
        answer=_answer(description, operation),
    )


def _curl(description, base, slug, method: str, path: str, operation: dict) -> str:
    """Return the line that makes the call from a shell, with the token in a variable."""
    address = path
    for name, value in {"slug": slug, **VALUES}.items():
        address = address.replace("{" + name + "}", value)
    parts = ["curl"]
    if method not in ("GET", "POST") or (method == "POST" and "requestBody" not in operation):
        parts += ["-X", method]
    if {} not in operation["security"]:
        parts += ["-H", '"Authorization: Bearer $TOKEN"']
    if any(one["name"] == "Idempotency-Key" for one in operation["parameters"]):
        parts += ["-H", shlex.quote("Idempotency-Key: run-7")]
    for kind, body in operation.get("requestBody", {}).get("content", {}).items():
        if kind == "multipart/form-data":
            fields = body["schema"]["properties"]
            parts += ["-F", "file=@submission.csv"]
            parts += ["-F", shlex.quote("note=second model")] if "note" in fields else []
        else:
            example = _example(description, body["schema"])
            parts += [
                "-H",
                shlex.quote("Content-Type: application/json"),
                "-d",
                shlex.quote(example),
            ]
    saved = "application/octet-stream" in operation["responses"].get("200", {}).get("content", {})
    return " ".join([*parts, *(["-OJ"] if saved else []), base + address])


def _example(description: dict, schema: dict) -> str:
    """Return a body with all fields of a schema."""
    given = {"accept_rules": "true", "note": '"second model"', "own_score": "0.81"}
    names = _resolved(description, schema)["properties"]
    return "{" + ", ".join(f'"{name}": {given[name]}' for name in names) + "}"


def _answer(description: dict, operation: dict) -> list[Parameter]:
    """Return the fields of the answer; of a choice of answers those of the first."""
    told = next(told for status, told in operation["responses"].items() if status.startswith("2"))
    schema = told.get("content", {}).get("application/json", {}).get("schema")
    return _fields(description, schema) if schema else []


def _fields(description: dict, schema: dict) -> list[Parameter]:
    whole = _resolved(description, schema)
    whole = _resolved(description, whole["anyOf"][0]) if "anyOf" in whole else whole
    required = whole.get("required", [])
    return [
        Parameter(name, _kind(description, field), field.get("description", ""), name in required)
        for name, field in whole.get("properties", {}).items()
    ]


def _resolved(description: dict, schema: dict) -> dict:
    if "$ref" not in schema:
        return schema
    return description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]


def _kind(description: dict, schema: dict) -> str:
    """Say in a word or two what a value is."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(description, one) for one in schema["anyOf"]))
    if "allOf" in schema:
        return _kind(description, schema["allOf"][0])
    whole = _resolved(description, schema)
    if "enum" in whole or "const" in whole:
        values = whole.get("enum", [whole.get("const")])
        return " | ".join(str(value) for value in values if value != "").lower()
    if whole.get("type") == "array":
        return f"list of {_kind(description, whole['items'])}"
    if whole.get("format") in ("uuid", "date-time", "binary"):
        return {"uuid": "uuid", "date-time": "instant", "binary": "file"}[whole["format"]]
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    return whole.get("type", "anything")

"""The OpenAPI document, generated from the endpoints and the objects they answer with."""

from http import HTTPStatus
from typing import Any

from pydantic import TypeAdapter

from handlers.api.documents import ProblemDocument
from handlers.api.endpoints import ENDPOINTS, ID, LONGEST, NAME, Endpoint, Parameter
from handlers.version import VERSION

Json = dict[str, Any]
PREFIX = "/api/v1"
REF = "#/components/schemas/{model}"
_MEANING = {
    304: "Unchanged since the ETag of If-None-Match",
    400: "A parameter is wrong",
    401: "The token is missing or wrong",
    404: "Unknown, or your token may not read it",
    405: "Only GET and HEAD are possible",
    429: "Too many requests",
    503: "The records cannot be read now",
}


def document(url: str) -> Json:
    """The whole document; `url` is the public address."""
    kinds = [*dict.fromkeys(one.answers for one in ENDPOINTS), ProblemDocument]
    by_kind, schemas = TypeAdapter.json_schemas(
        [(kind.__name__, "serialization", TypeAdapter(kind)) for kind in kinds], ref_template=REF
    )
    refs: dict[type, Json] = {kind: by_kind[kind.__name__, "serialization"] for kind in kinds}
    paths = {"/".join((PREFIX, *one.path)): {"get": _operation(one, refs)} for one in ENDPOINTS}
    paths[PREFIX + "/openapi.json"] = {"get": _own(refs)}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tailback",
            "version": VERSION,
            "description": "Read only. Times are ISO 8601 in UTC, durations end in _seconds, unknown is null.",
        },
        "servers": [{"url": url}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {"schemas": schemas["$defs"], "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(one: Endpoint, refs: dict[type, Json]) -> Json:
    named = [part[1:-1] for part in one.path if part in {NAME, ID}]
    path = [
        {"name": name, "in": "path", "required": True, "description": "Percent-encoded",
         "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST}}
        for name in named
    ]  # fmt: skip
    return {
        "operationId": one.operation,
        "summary": one.about,
        "parameters": [*path, *map(_parameter, one.parameters)],
        "responses": {
            "200": _answer("The object", refs[one.answers], "application/json"),
            **_refusals(refs[ProblemDocument], *_MEANING),
        },
    }


def _own(refs: dict[type, Json]) -> Json:
    return {
        "operationId": "openapi",
        "summary": "This document; needs no token",
        "security": [],
        "responses": {
            "200": _answer("The document", {"type": "object"}, "application/json"),
            **_refusals(refs[ProblemDocument], 304, 400, 404, 405),
        },
    }


def _parameter(one: Parameter) -> Json:
    parameter = {"name": one.name, "in": "query", "description": one.about, "schema": one.schema}
    return {**parameter, "required": True} if one.required else parameter


def _refusals(problem: Json, *statuses: int) -> Json:
    return {
        str(status): {"description": _MEANING[status]}
        if status == HTTPStatus.NOT_MODIFIED
        else _answer(_MEANING[status], problem, "application/problem+json")
        for status in statuses
    }


def _answer(about: str, schema: Json, kind: str) -> Json:
    return {"description": about, "content": {kind: {"schema": schema}}}

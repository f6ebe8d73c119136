"""The description of the API, written from the same tables as its routes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

from possilog.explorer.operations import Described
from possilog.explorer.wishes import parameters_of, schema_of

__all__ = ["describe"]

_ERROR = {
    "type": "object",
    "properties": {
        "error": {"type": "string", "description": "What is wrong, in one sentence."},
        "line": {"type": "integer"},
        "column": {"type": "integer"},
        "found": {"type": "string"},
        "expected": {"type": "string"},
    },
    "required": ["error"],
}

_REFUSED = {
    "400": "What was sent is no JSON, or not what is asked for.",
    "404": "There is no such thing.",
    "409": "Somebody else was faster.",
    "413": "The request is too long.",
    "415": "The request is not JSON.",
    "422": "It cannot be done as it was asked for.",
    "503": "It took too long, and was ended.",
}


def describe(operations: Iterable[Described], *, needs_token: bool = False) -> dict[str, Any]:
    """The whole description."""
    paths: dict[str, Any] = {}
    for one in operations:
        paths.setdefault(f"/api{one.path}", {})[one.method.lower()] = _operation(one)
    security: list[dict[str, Any]] = [{"token": []}] if needs_token else []
    schemes = {"token": {"type": "http", "scheme": "bearer"}} if needs_token else {}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "possilog explore",
            "version": version("possilog"),
            "description": "Ask, question and correct a theory. Objects are those of the library's `as_json`.",
        },
        "paths": paths,
        "components": {"schemas": {"Error": _ERROR}, "securitySchemes": schemes},
        "security": security,
    }


def _operation(one: Described) -> dict[str, Any]:
    in_path = set(re.findall(r"{(\w+)}", one.path))
    found: dict[str, Any] = {
        "operationId": one.name,
        "summary": one.about,
        "responses": {
            "200": {"description": one.returns, "content": {one.kind: {"schema": _answer(one)}}},
            **{status: _refusal(about) for status, about in _REFUSED.items()},
        },
    }
    if one.method == "GET":
        found["parameters"] = [_placed(parameter, in_path) for parameter in parameters_of(one.asks)]
    else:
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema_of(one.asks)}}}
    return found


def _answer(one: Described) -> dict[str, Any]:
    return {"type": "object" if one.kind == "application/json" else "string"}


def _placed(parameter: dict[str, Any], in_path: set[str]) -> dict[str, Any]:
    if parameter["name"] not in in_path:
        return parameter
    schema = {name: value for name, value in parameter["schema"].items() if name != "default"}
    return parameter | {"in": "path", "required": True, "schema": schema}


def _refusal(about: str) -> dict[str, Any]:
    return {
        "description": about,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }

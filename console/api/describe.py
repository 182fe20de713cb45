"""What OpenAPI says about bodies and refusals, which FastAPI cannot see since it does not read them."""

from __future__ import annotations

from typing import Any

from console.api.problem import MEDIA_TYPE

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
INTEGER: Json = {"type": "integer"}
PROBLEM: Json = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "description": "ends with the kind, which scripts may compare"},
        "title": TEXT,
        "status": INTEGER,
        "detail": {"type": "string", "description": "a sentence for a person"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "position": {"type": ["integer", "null"]},
                    "pointer": TEXT,
                    "parameter": TEXT,
                    "message": TEXT,
                },
            },
        },
        "decided_by": {"type": "string", "description": "409: who was first"},
        "decided_at": {"type": "string", "format": "date-time"},
        "stale": {"type": "boolean", "description": "409: what was seen is no longer what is there"},
        "error_id": {"type": "string", "description": "500: leads to the log"},
    },
}
_WORDS = {
    400: "Cannot be read",
    401: "Nobody is signed in",
    403: "The role lacks the permission",
    404: "There is no such object, or it is not visible to you",
    409: "Someone was first, or what was seen has changed",
    413: "The body is too large",
    415: "The body is not JSON",
    422: "Readable, but wrong",
    429: "Too many calls; see Retry-After",
}


def refusals(*statuses: int) -> dict[int | str, Json]:
    """The `responses` of a route: 401 and 429 always, and the given ones."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        status: {"description": _WORDS[status], "content": content}
        for status in sorted({401, 429, *statuses})
    }


def body(properties: dict[str, Json], required: list[str], **more: Any) -> Json:
    """`openapi_extra` of a route that reads a JSON object without unknown keys."""
    schema = {"type": "object", "properties": properties, "required": required, **more}
    schema["additionalProperties"] = False
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def _decision(kind: str, properties: dict[str, Json], *required: str) -> Json:
    return {
        "type": "object",
        "properties": {"type": {"const": kind}, **properties},
        "required": ["type", *required],
    }


_EDITED: Json = {
    "type": "object",
    "properties": {"name": TEXT, "args": {"type": "object"}},
    "required": ["name", "args"],
}
DECISION: Json = {
    "oneOf": [
        _decision("approve", {}),
        _decision("edit", {"edited_action": _EDITED}, "edited_action"),
        _decision("reject", {"message": TEXT}),
        _decision("respond", {"message": TEXT}, "message"),
    ]
}

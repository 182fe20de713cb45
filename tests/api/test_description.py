"""The API describes itself, bodies included, and its page needs nothing from elsewhere."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fastapi import FastAPI

from console.api import sessions, threads
from console.api.problem import MEDIA_TYPE
from console.api.reviews import VERDICT
from tests.api.conftest import client_of


@pytest.fixture
async def description(api: FastAPI) -> dict[str, Any]:
    async with client_of(api) as client:
        found: dict[str, Any] = (await client.get("/api/v1/openapi.json")).json()
    return found


def schema_of(description: dict[str, Any], path: str) -> dict[str, Any]:
    body: dict[str, Any] = description["paths"][path]["post"]["requestBody"]
    return dict(body["content"]["application/json"]["schema"])


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("/v1/session", sessions.CREDENTIALS),
        ("/v1/reviews/{review_id}/decisions", VERDICT),
        ("/v1/threads", threads.START),
        ("/v1/threads/{ref}/messages", threads.SAY),
    ],
)
async def test_bodies_are_described_as_they_are_read(
    description: dict[str, Any], path: str, shape: dict[str, Any]
) -> None:
    schema = schema_of(description, path)
    assert set(schema["properties"]) == set(shape)
    assert set(schema["required"]) == {name for name, field in shape.items() if field.required}
    assert schema["additionalProperties"] is False


async def test_addresses_are_complete_with_the_server_entry(description: dict[str, Any]) -> None:
    assert description["servers"] == [{"url": "/api"}]


async def test_every_refusal_is_described_as_a_problem(description: dict[str, Any]) -> None:
    for path, methods in description["paths"].items():
        for method, route in methods.items():
            refusals = {code: answer for code, answer in route["responses"].items() if int(code) >= 400}
            assert "401" in refusals, (method, path)
            media_types = {code: list(answer["content"]) for code, answer in refusals.items()}
            assert media_types == {code: [MEDIA_TYPE] for code in refusals}, (method, path)
    assert "Problem" in description["components"]["schemas"]


async def test_no_reference_leads_nowhere(description: dict[str, Any]) -> None:
    named = set(re.findall(r"'#/components/schemas/([^']+)'", str(description)))
    assert named <= set(description["components"]["schemas"])


async def test_both_ways_to_sign_a_call_are_described(description: dict[str, Any]) -> None:
    assert description["paths"]["/v1/reviews"]["get"]["security"] == [{"session": []}, {"token": []}]
    assert "security" not in description["paths"]["/v1/session"]["post"]


async def test_the_page_loads_only_our_own_files_and_no_inline_script(api: FastAPI) -> None:
    async with client_of(api) as client:
        page = await client.get("/api/v1/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert all(address.startswith("/") for address in re.findall(r'(?:src|href)="([^"]+)"', page.text))
    assert re.findall(r"<script(?![^>]*\ssrc=)", page.text) == []

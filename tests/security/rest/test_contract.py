"""What the API says of itself is what it does, for everyone: no 500, and no answer that is not described."""

from __future__ import annotations

import os
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from console.api.app import make_rest
from console.services import accounts
from tests.api.conftest import CAST, World, client_of
from tests.security.rest.test_ids import column, of_sam

# Calls as each of the cast. CONTRACT=3000 calls at length.
EXAMPLES = int(os.environ.get("CONTRACT", "16"))
BASE = "http://console.test/api"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
SCHEMA = schemathesis.openapi.from_dict(make_rest().openapi())
OPERATIONS = [found.ok() for found in SCHEMA.get_all_operations()]
# As described, and with something that the description forbids.
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
cases = st.tuples(st.sampled_from(OPERATIONS), st.sampled_from(MODES)).flatmap(
    lambda chosen: chosen[0].as_strategy(generation_mode=chosen[1])
)


def test_every_route_is_called() -> None:
    paths = make_rest().openapi()["paths"]
    described = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    assert {(each.method.upper(), each.path) for each in OPERATIONS} == described


def test_every_route_with_a_body_says_that_it_may_be_refused_for_it() -> None:
    found = {
        (method, path): {"400", "413", "415", "422"} - set(route["responses"])
        for path, methods in make_rest().openapi()["paths"].items()
        for method, route in methods.items()
        if "requestBody" in route
    }
    assert len(found) > 10
    assert {route: lacking for route, lacking in found.items() if lacking} == {}


@pytest.mark.parametrize("by", ["token", "cookie"])
@pytest.mark.parametrize("who", ["nobody", *CAST])
@settings(
    max_examples=EXAMPLES // 2,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(case=cases, known=st.booleans())
async def test_every_call_is_answered_as_described(
    world: World, who: str, by: str, case: Any, known: bool
) -> None:
    """Half of the ids are of objects that there are."""
    if known and case.path_parameters:
        session(world, "sam")
        ids = {**of_sam(world), "user_id": column(world, "SELECT id FROM user WHERE name = 'mallory'")[0]}
        case.path_parameters = {name: ids[name] for name in case.path_parameters}
    given_ = case.as_transport_kwargs(base_url=BASE)
    given_.pop("cookies", None)
    if isinstance(given_.get("data"), str | bytes):
        given_["content"] = given_.pop("data")
    headers = {
        name: value for name, value in given_.pop("headers").items() if name.lower() != "authorization"
    }
    async with client_of(world.app) as client:
        await signed(client, world, who, by)
        answer = await client.request(**given_, headers=headers)
    case.validate_response(answer, checks=CHECKS)


async def signed(client: Any, world: World, who: str, by: str) -> None:
    if who == "nobody":
        return
    if by == "token":
        client.headers["authorization"] = f"Bearer {world.tokens[who]}"
    else:
        client.cookies.set(accounts.COOKIE, session(world, who))
        client.headers["sec-fetch-site"] = "same-origin"


def session(world: World, who: str) -> str:
    """Signing in takes a while, since it hashes: once for a world, unless a call has ended it."""
    kept: dict[str, str] = world.__dict__.setdefault("sessions", {})
    if accounts.actor_of_session(world.deps, kept.get(who)) is None:
        kept[who] = accounts.sign_in(world.deps, who, accounts.DEMO_PASSWORD, "192.0.2.1").token
    return kept[who]

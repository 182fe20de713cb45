"""Signing in through a provider: who one becomes, with which role, and what the log says of it."""

from __future__ import annotations

from http.cookies import SimpleCookie

import pytest

from console.domain.access import Role
from console.services import accounts, oidc
from console.services.people import disable_user
from console.services.tokens import actor_of_token, create_token
from console.settings import Settings
from tests.oidc.conftest import OIDC, OWN, World, begin, failure, finish, next_of, walk
from tests.oidc.fake import ISSUER


def cookie(header: str, name: str) -> dict[str, object]:
    morsel = SimpleCookie(header)[name]
    return {key: value for key, value in morsel.items() if value}


async def test_the_first_sign_in_makes_an_account_and_says_so_in_the_log(world: World) -> None:
    async with world.browser() as browser:
        answer = await walk(world, browser)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert (await browser.get("/api/v1/reviews")).status_code == 200
    assert world.people() == {"sam": "supervisor", "rosa": "supervisor"}
    added, login = world.log("user_added", "login")[1:]
    assert (added.actor, added.body["via"], added.body["user"]) == ("identity provider", "web", "rosa")
    assert {"issuer": ISSUER, "subject": "s-1", "role": "supervisor"}.items() <= added.body.items()
    assert (login.actor, login.body["address"]) == ("rosa", "192.0.2.1")


async def test_the_second_sign_in_is_the_same_person_under_whatever_name(world: World) -> None:
    async with world.browser() as browser:
        await walk(world, browser)
    world.fake.claims = {"preferred_username": "renamed"}
    async with world.browser() as browser:
        await walk(world, browser)
    assert set(world.people()) == {"sam", "rosa"}
    assert [row.actor for row in world.log("login")] == ["rosa", "rosa"]


async def test_the_cookies_are_kept_from_scripts_and_foreign_sites(world: World) -> None:
    async with world.browser() as browser:
        started = await browser.get("/auth/oidc/start", headers=OWN)
        kept = cookie(started.headers["set-cookie"], oidc.COOKIE)
        assert kept == {
            "path": "/auth/oidc",
            "httponly": True,
            "samesite": "lax",
            "secure": True,
            "max-age": "600",
        }
        ended = await finish(browser, world.fake.authorize(started.headers["location"]))
    session, dropped = ended.headers.get_list("set-cookie")
    assert cookie(session, accounts.COOKIE) == {
        "path": "/",
        "httponly": True,
        "samesite": "strict",
        "secure": True,
    }
    assert cookie(dropped, oidc.COOKIE)["max-age"] == "0"


async def test_what_is_asked_for_is_bound_to_this_sign_in(world: World) -> None:
    async with world.browser() as browser:
        await begin(world, browser)
        first = dict(world.fake.asked)
        await begin(world, browser)
    assert {
        "response_type": "code",
        "client_id": "review-console",
        "redirect_uri": "https://console.test/auth/oidc/callback",
        "scope": "openid profile email",
        "code_challenge_method": "S256",
    }.items() <= first.items()
    bound = ("state", "nonce", "code_challenge")
    assert all(len(first[name]) == 43 for name in bound)
    assert len({first[name] for name in bound} | {world.fake.asked[name] for name in bound}) == 6


async def test_the_answer_goes_by_a_page_of_ours_so_that_strict_cookies_come_along(world: World) -> None:
    async with world.browser() as browser:
        state = await begin(world, browser)
        page = await browser.get("/auth/oidc/callback", params={"code": '"><script>', "state": state})
        assert page.status_code == 200
        assert page.headers["content-type"].startswith("text/html")
        assert next_of(page).startswith("/auth/oidc/finish?code=%22%3E%3Cscript%3E&state=")
        assert "<script" not in page.text
        assert "set-cookie" not in page.headers


async def test_signing_in_ends_the_session_that_the_browser_brought(world: World) -> None:
    async with world.browser() as browser:
        await browser.post("/auth/login", data={"username": "sam", "password": "demo"}, headers=OWN)
        before = browser.cookies[accounts.COOKIE]
        await walk(world, browser)
        assert browser.cookies[accounts.COOKIE] != before
    assert accounts.actor_of_session(world.deps, before) is None


@pytest.mark.parametrize(
    ("groups", "role"),
    [
        (["review-quality"], "qa"),
        # The order of the settings decides, not the provider's.
        (["review-team", "review-leads"], "admin"),
        ("review-team", "supervisor"),
        (["strangers"], "none"),
        ([], "none"),
        (None, "none"),
        ({"review-leads": True}, "none"),
        ([["review-leads"], 7, None], "none"),
        ("review-leads review-team", "none"),
    ],
)
async def test_the_claim_decides_the_role(world: World, groups: object, role: str) -> None:
    world.fake.claims = {"groups": groups}
    async with world.browser() as browser:
        assert (await walk(world, browser)).headers["location"] == "/"
        allowed = (await browser.get("/api/v1/reviews")).status_code
    assert world.people()["rosa"] == role
    assert allowed == (403 if role == "none" else 200)


async def test_a_role_by_path_in_the_claims(world: World) -> None:
    world.deps.settings = Settings(oidc={**OIDC, "claim": "/realm_access/roles"})
    from console.services import provider

    provider.of(world.deps.settings.oidc).settings = world.deps.settings.oidc
    world.fake.claims = {"groups": None, "realm_access": {"roles": ["review-quality"]}}
    async with world.browser() as browser:
        await walk(world, browser)
    assert world.people()["rosa"] == "qa"


async def test_groups_that_the_id_token_leaves_out_are_asked_for(world: World) -> None:
    world.fake.claims = {"groups": None}
    world.fake.about = {"groups": ["review-quality"], "preferred_username": "other"}
    async with world.browser() as browser:
        await walk(world, browser)
    assert world.people() == {"sam": "supervisor", "rosa": "qa"}


async def test_groups_of_somebody_else_are_refused(world: World) -> None:
    world.fake.claims = {"groups": None}
    world.fake.about = {"sub": "s-2", "groups": ["review-leads"]}
    async with world.browser() as browser:
        assert failure(await walk(world, browser)) == "sign-on"
    assert set(world.people()) == {"sam"}


async def test_a_changed_claim_changes_the_role_and_ends_what_was_given_under_the_old(world: World) -> None:
    async with world.browser() as first, world.browser() as second:
        await walk(world, first)
        _, token = create_token(world.deps, accounts.OPERATOR, "rosa", "script")
        world.fake.claims = {"groups": ["review-quality"]}
        await walk(world, second)
        assert (await first.get("/api/v1/reviews")).status_code == 401
        assert (await second.get("/api/v1/reviews")).status_code == 200
    assert actor_of_token(world.deps, token) is None
    (changed,) = world.log("role_changed")
    assert (changed.actor, changed.body["user"], changed.body["role"]) == ("identity provider", "rosa", "qa")


async def test_an_unchanged_claim_leaves_other_sessions_alone(world: World) -> None:
    async with world.browser() as first, world.browser() as second:
        await walk(world, first)
        await walk(world, second)
        assert (await first.get("/api/v1/reviews")).status_code == 200
    assert world.log("role_changed") == []


@pytest.mark.parametrize("wish", ["sam", "SAM", " sam\u200b", "ｓａｍ"])
async def test_a_local_account_of_that_name_is_not_taken_over(world: World, wish: str) -> None:
    world.fake.claims = {"preferred_username": wish, "groups": ["review-leads"]}
    async with world.browser() as browser:
        await walk(world, browser)
        (login,) = world.log("login")
    assert login.actor.lower() == "sam@login.example"
    assert world.people()["sam"] == "supervisor"
    assert accounts.sign_in(world.deps, "sam", "demo", "").actor.role == Role.SUPERVISOR


async def test_two_people_with_one_name_are_two(world: World) -> None:
    for subject in ("s-1", "s-2", "s-3"):
        world.fake.claims = {"sub": subject}
        async with world.browser() as browser:
            await walk(world, browser)
    names = sorted(set(world.people()) - {"sam"})
    assert names[:2] == ["rosa", "rosa@login.example"]
    assert names[2].startswith("rosa@login.example#")


@pytest.mark.parametrize("wish", ["operator", "Nobody", "policy"])
async def test_nobody_is_called_as_the_log_calls_what_is_no_person(world: World, wish: str) -> None:
    world.fake.claims = {"preferred_username": wish}
    async with world.browser() as browser:
        await walk(world, browser)
    assert f"{wish}@login.example" in world.people()


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"preferred_username": None, "email": "rosa@a.example", "email_verified": True}, "rosa@a.example"),
        ({"preferred_username": None, "email": "rosa@a.example"}, "s-1"),
        ({"preferred_username": ["rosa"]}, "s-1"),
        ({"preferred_username": "ro\n\u202esa"}, "ro sa"),
        ({"preferred_username": "r" * 300}, "r" * 64),
        ({"preferred_username": "\u200b"}, "person"),
    ],
)
async def test_a_name_is_what_a_person_can_read(world: World, claims: dict[str, object], name: str) -> None:
    world.fake.claims = claims
    async with world.browser() as browser:
        await walk(world, browser)
    assert name in world.people()


async def test_the_account_has_no_password_that_anybody_knows(world: World) -> None:
    async with world.browser() as browser:
        await walk(world, browser)
        for guess in ("", "demo", "rosa"):
            answer = await browser.post(
                "/auth/login", data={"username": "rosa", "password": guess}, headers=OWN
            )
            assert failure(answer) == "1"


async def test_a_person_disabled_here_stays_out_whatever_the_provider_says(world: World) -> None:
    async with world.browser() as browser:
        await walk(world, browser)
        disable_user(world.deps, accounts.OPERATOR, "rosa")
        assert failure(await walk(world, browser)) == "sign-on"
        assert (await browser.get("/api/v1/reviews")).status_code == 401

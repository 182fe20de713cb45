"""What a person would send to make each event do what it is for; the same is then sent as everyone else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from console.domain.review import ThreadStatus
from tests.security.firing import IDLE, Range

Given = dict[str, Any]
TEXT = "Look up order A-2048"
# What an argument is when nothing better is known: the event is then let through, and does little.
PLAIN: Given = {
    "key": "x",
    "position": 0,
    "kind": "approve",
    "form": {},
    "value": True,
    "var_name": "role",
    "vars": {},
    "hashes": [],
    "opened": True,
}


@dataclass(frozen=True)
class Act:
    """`first` are events sent before, `world` what has to be the case; payloads may use what is drawn."""

    payload: Callable[[Given], Given]
    first: tuple[tuple[str, Callable[[Given], Given]], ...] = ()
    world: Callable[[Range], None] | None = None
    path: str = "/"


def fixed(**payload: Any) -> Callable[[Given], Given]:
    return lambda drawn: payload


def keyed(**more: Any) -> Callable[[Given], Given]:
    return lambda drawn: {"key": drawn["key"], **more}


def doubted(**more: Any) -> Callable[[Given], Given]:
    return lambda drawn: {"key": drawn["doubt"], **more}


def of_user(name: str, **more: Any) -> Callable[[Given], Given]:
    return lambda drawn: {"user_id": drawn["users"][name], **more}


ACTS: dict[str, Act] = {
    "admin.add": Act(fixed(form={"name": "new", "role": "qa", "password": "a long enough one"})),
    "admin.change_role": Act(of_user("sue", role="qa")),
    "admin.choose_role": Act(fixed(role="qa")),
    "admin.disable": Act(of_user("sue")),
    "admin.enable": Act(of_user("sue"), first=(("admin.disable", of_user("sue")),)),
    "admin.make_token": Act(
        lambda drawn: {"form": {"user": drawn["users"]["sue"], "label": "x", "scope": "read", "days": "30"}}
    ),
    "admin.revoke": Act(lambda drawn: {"token_id": drawn["token"]}),
    "admin.sign_out": Act(of_user("sue")),
    "audit.last": Act(fixed(hours=24)),
    "audit.pick": Act(fixed(name="kind", value="denied")),
    "check.start": Act(fixed(way="fast")),
    "claim.give_back": Act(keyed(), first=(("claim.take", keyed()),)),
    "claim.take": Act(keyed()),
    "desk.show": Act(fixed(pane="chat")),
    "edit.take": Act(
        keyed(slot="0", turn=0, op="set", pointer="/amount", text="5"),
        first=(("review.choose", keyed(position=0, kind="edit")),),
    ),
    "review.choose": Act(keyed(position=0, kind="reject")),
    "review.pick": Act(lambda drawn: {"review_id": drawn["review_id"]}),
    "review.submit": Act(
        keyed(),
        first=tuple(("review.choose", keyed(position=at, kind="reject")) for at in (0, 1)),
    ),
    "review.word_for_agent": Act(keyed(position=0, text=TEXT)),
    "thread.retry": Act(fixed(), world=lambda there: there.stand(ThreadStatus.FAILED)),
    "thread.say": Act(fixed(form={"text": TEXT}), path=f"/threads/{IDLE}"),
    "thread.start": Act(fixed(form={"text": TEXT})),
    "thread.start_with": Act(fixed(words=TEXT)),
    "ways_out.choose": Act(doubted(choice="give_up"), world=lambda there: there.stand(ThreadStatus.STUCK)),
    "ways_out.close": Act(keyed(), first=(("ways_out.say_why", keyed(text="why")),)),
    "ways_out.close_alarm": Act(
        lambda drawn: {"review_id": drawn["alarm"]},
        first=(("ways_out.say_why_over", lambda drawn: {"review_id": drawn["alarm"], "text": "why"}),),
        world=Range.alarm,
    ),
    "ways_out.repair": Act(keyed(), world=lambda there: there.stand(ThreadStatus.POISONED)),
    "ways_out.settle": Act(
        doubted(),
        first=(
            ("ways_out.choose", doubted(choice="give_up")),
            ("ways_out.say_how", doubted(text="asked")),
        ),
        world=lambda there: there.stand(ThreadStatus.STUCK),
    ),
    "written.answer": Act(keyed(text="1")),
    "written.answer_as": Act(keyed(look="json")),
    "written.discard": Act(keyed(), first=(("review.choose", keyed(position=0, kind="reject")),)),
}


def act(name: str, takes: list[str]) -> Act:
    return ACTS.get(name) or Act(lambda drawn: {each: PLAIN.get(each, "x") for each in takes})

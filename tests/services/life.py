"""A review's life as a state machine: what people, workers and strangers do in any order, and what follows.

The model is plain Python. The console is the real one: its services, its store in a real file, its worker's
own steps; only the agent is scripted.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule, run_state_machine_as_test

from console.services import observe
from tests.services.life_model import UNSURE, has
from tests.services.life_people import People
from tests.services.scripted import MOMENTS, Died
from tests.services.stage import SOURCE
from tests.services.world import rows


class Life(People):
    # Strangers, past the console

    @precondition(lambda self: self.undisturbed(0) is not None)
    @rule(at=st.integers(0, 9), what=st.sampled_from(["moved", "otherwise", "poisoned"]))
    def is_disturbed(self, at: int, what: str) -> None:
        talk = self.undisturbed(at)
        if talk is None:
            return
        source = self.stage.source
        act = {"moved": source.move_on, "otherwise": source.ask_otherwise, "poisoned": source.poison}[what]
        act(talk.thread_id)
        talk.done_to, talk.seen = what, False
        self.did(f"{what} while {talk.status}")

    @has("decided", done_to="", died="", work="resume")
    @rule(at=st.integers(0, 9))
    def flips(self, at: int) -> None:
        """The agent's own gate will run what was rejected."""
        talk = self.one(at, "decided", done_to="", died="", work="resume")
        if talk is None or "reject" not in talk.words:
            return
        self.stage.source.flipped.add(talk.thread_id)
        talk.flips = True
        self.did("flips")

    @precondition(lambda self: any(each.done_to for each in self.talks))
    @rule()
    def sweeps(self) -> None:
        for talk in self.talks:
            observe.observe(self.stage.deps, SOURCE, talk.thread_id)
            if talk.status == "open" and talk.done_to and not talk.work:
                self.see(talk)
        self.did("sweeps")

    # Workers

    @precondition(lambda self: any(each.work for each in self.talks))
    @rule()
    def works(self) -> None:
        self.stage.lapse()
        self.stage.hand.all()
        self.work_all()
        self.did("works")

    @has("decided", done_to="", died="", work="resume", flips=False)
    @rule(at=st.integers(0, 9), moment=st.sampled_from(MOMENTS))
    def dies(self, at: int, moment: str) -> None:
        talk = self.one(at, "decided", done_to="", died="", work="resume", flips=False)
        if talk is None:
            return
        self.stage.lapse()
        job = self.stage.hand.take(SOURCE, talk.thread_id)
        assert job is not None
        self.stage.source.die_at = moment
        try:
            self.stage.hand.work(job)
        except Died:
            talk.died, talk.status = moment, "resuming"
            self.did(f"dies: {moment}")
        else:
            assert not talk.runs, moment
            assert moment in UNSURE, moment
            self.stage.source.die_at = ""
            self.end(talk)

    @has("decided", work="resume")
    @rule(at=st.integers(0, 9))
    def wakes_up_late(self, at: int) -> None:
        """It takes a row, sleeps past its lease, and goes on when another has done the work."""
        talk = self.one(at, "decided", work="resume")
        if talk is None:
            return
        self.stage.lapse()
        job = self.stage.hand.take(SOURCE, talk.thread_id)
        assert job is not None
        self.stage.lapse()
        self.stage.hand.all()
        self.work_all()
        before = self.stage.contents()
        self.stage.hand.work(job)
        assert self.stage.contents() == before, "a late worker changed something"
        self.did("wakes_up_late")

    # What holds after every step

    @invariant()
    def the_console_is_where_the_model_is(self) -> None:
        wanted = {**self.past, **{each.review: each.status for each in self.talks}}
        found = dict(rows(self.stage.folder / "console.db", "SELECT id, status FROM review"))
        # A poisoned pause that was repaired asks anew under another id.
        assert {key: value for key, value in found.items() if key in wanted} == wanted
        assert set(found) == set(wanted), "there are reviews that nobody knows"

    @invariant()
    def the_tables_agree(self) -> None:
        assert self.stage.broken() == []

    @invariant()
    def what_was_to_happen_did_once(self) -> None:
        times = Counter(args for _, args in self.stage.source.happened)
        assert all(times[args] == count == 1 for args, count in self.expected.items())


RULES = (
    *("begins", "decides", "is_too_late", "decides_on_what_is_closed", "decides_wrongly"),
    *("decides_on_what_was", "decides_on_what_moved", "decides_on_what_is_poisoned", "cancels", "speaks"),
    *("speaks_into_what_waits", "resolves: ran", "resolves: not_run", "resolves: give_up", "repairs"),
    *("closes_the_alarm", "flips", "sweeps", "works", "wakes_up_late", "ends settled", "ends mismatch"),
    *(f"dies: {moment}" for moment in MOMENTS),
    *(
        f"{what} while {status}"
        for what in ("moved", "otherwise", "poisoned")
        for status in ("open", "decided")
    ),
)


def live(tables: Path, runs: int, steps: int) -> None:
    """The same runs each time, so that the suite does not fail now and then. A failure is printed as found:
    making it shorter would take longer than the suite."""
    Life.tables = tables
    Life.happened.clear()
    chosen = settings(
        max_examples=runs,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Life, settings=chosen)  # type: ignore[no-untyped-call]

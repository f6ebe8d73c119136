"""Who answers, and for how long: the processes of the explorer, and the one that learns again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from possilog.errors import PossilogError
from possilog.explorer import desk as desks
from possilog.explorer.answering import Order, Reply
from possilog.explorer.desk import Desk, OutOfPatience
from possilog.explorer.position import Position
from possilog.explorer.relearning import Relearning
from possilog.logic import parse_theory
from possilog.progress import Step

# Processes that answer


class Helper:
    """Stands for a process: it answers when it is let, and says what it was asked."""

    def __init__(self, prepare: object) -> None:
        self.revision, self.since, self.is_alive = -1, time.monotonic(), True
        self.asked, self.ended = 0, False
        ALL.append(self)

    def ask(self, order: Order, seconds: float) -> Reply | None:
        """Once it is let, or at once; none where that is not in time, or an error, where one is asked for."""
        self.asked += 1
        if order.operation == "gone":
            raise EOFError
        if order.asked is not None and not order.asked.wait(seconds):
            return None
        return Reply(200, "", b"", (order.position is not None, self))

    def end(self) -> None:
        """It is over."""
        self.ended = True


ALL: list[Helper] = []


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    ALL.clear()
    monkeypatch.setattr(desks, "_Helper", Helper)
    monkeypatch.setattr(desks, "LONG", 0.1)
    monkeypatch.setattr(desks, "IDLE", 0.1)
    made = Desk(lambda: pytest.fail("the helper is another one"), size=2, seconds=60)
    yield made
    made.close()


def ask(desk: Desk, let: Event | None = None, revision: int = 1, limit: float | None = None, what: str = "") -> Any:
    return desk.answer(Order(what, let), Position(revision, parse_theory("")), limit)


async def until(done: Callable[[], bool]) -> None:
    """The machine may be busy."""
    while not done():
        await asyncio.sleep(0.01)


def test_the_process_that_answered_last_answers_next_and_knows_where_it_stands(desk: Desk) -> None:
    async def go() -> list[Reply]:
        return [await ask(desk, revision=revision) for revision in (2, 2, 3, 3, 1)]

    told = [reply.value[0] for reply in asyncio.run(go())]
    assert told == [True, False, True, False, True] and len(ALL) == 1


def test_who_takes_too_long_is_ended_and_who_was_ended_is_told(desk: Desk) -> None:
    async def go() -> None:
        with pytest.raises(OutOfPatience, match=r"more than 0\.02 seconds"):
            await ask(desk, Event(), limit=0.02)
        await ask(desk)
        with pytest.raises(PossilogError, match="was ended, perhaps because memory"):
            await ask(desk, what="gone")
        (await ask(desk)).value[1].is_alive = False
        await ask(desk)
        desk.seconds = 0.02
        with pytest.raises(OutOfPatience):
            await ask(desk, Event())
        await until(lambda: all(helper.ended for helper in ALL))

    asyncio.run(go())
    assert len(ALL) == 4


def test_as_many_as_usual_answer_at_once_and_others_wait(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desks, "LONG", 60)
    let = Event()

    async def go() -> set[Helper]:
        asked = [asyncio.create_task(ask(desk, let)) for _ in range(6)]
        await asyncio.sleep(0.05)
        let.set()
        return {(await one).value[1] for one in asked}

    assert asyncio.run(go()) == set(ALL) and len(ALL) == 2
    assert not any(helper.ended for helper in ALL)


def test_where_all_are_busy_for_long_others_are_begun_and_go_again(desk: Desk) -> None:
    let = Event()

    async def go() -> None:
        long = [asyncio.create_task(ask(desk, let)) for _ in range(2)]
        await asyncio.sleep(0)
        waiting = asyncio.create_task(ask(desk))
        await asyncio.sleep(0)
        assert len(ALL) == 2  # the next is begun when they have been busy for a while
        await waiting
        await ask(desk)  # takes the one that is there
        assert len(ALL) == 3
        let.set()
        await asyncio.gather(*long)
        await until(lambda: sum(helper.ended for helper in ALL) == 1)
        await asyncio.sleep(0.2)
        assert sum(helper.ended for helper in ALL) == 1

    asyncio.run(go())


def test_there_are_never_more_than_the_most(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desks, "MOST", 3)
    let = Event()

    async def go() -> None:
        long = [asyncio.create_task(ask(desk, let)) for _ in range(2)]
        await asyncio.sleep(0.2)
        long.append(asyncio.create_task(ask(desk, let)))  # all are busy for long: it begins one at once
        await asyncio.sleep(0)
        assert len(ALL) == 3
        await asyncio.sleep(0.2)
        waiting = [asyncio.create_task(ask(desk)) for _ in range(2)]
        await asyncio.sleep(0.3)
        assert len(ALL) == 3 and not any(one.done() for one in waiting)
        let.set()
        await asyncio.gather(*long, *waiting)

    asyncio.run(go())
    assert len(ALL) == 3


def test_who_waited_for_one_that_is_ended_gets_another(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desks, "LONG", 60)
    desk.size = 1

    async def go() -> None:
        first = asyncio.create_task(ask(desk, Event(), limit=0.1))
        await asyncio.sleep(0)
        gone, second = asyncio.create_task(ask(desk)), asyncio.create_task(ask(desk))
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(OutOfPatience):
            await first
        reply = await second
        assert reply.value[1] is ALL[1] and len(ALL) == 2
        with pytest.raises(asyncio.CancelledError):
            await gone
        assert (await ask(desk)).value[1] is ALL[1]

    asyncio.run(go())


def test_nobody_answers_any_more_when_it_is_closed(desk: Desk) -> None:
    let = Event()

    async def go() -> None:
        await ask(desk)
        busy = asyncio.create_task(ask(desk, let))
        await until(lambda: ALL[0].asked == 2)
        desk.close()
        let.set()
        await busy

    asyncio.run(go())
    assert ALL and all(helper.ended for helper in ALL) and not desk._idle


@pytest.mark.parametrize("failing", [0, 1, 4, 5])
@pytest.mark.parametrize("duplex", [True, False])
def test_a_process_is_begun_again_where_that_fails_and_never_outlives_this_one(
    failing: int, duplex: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []
    ends: list[Any] = []

    def pipe(both: bool) -> Any:
        assert both is duplex
        ends.append(Pipe(both))
        return ends[-1]

    def process(**given: Any) -> Any:
        def start() -> None:
            made.append(given)
            if len(made) <= failing:
                raise OSError

        return SimpleNamespace(start=start)

    monkeypatch.setattr(desks, "_context", lambda: SimpleNamespace(Pipe=pipe, Process=process))
    monkeypatch.setattr(desks, "PAUSE", 0)
    if failing < desks.TRIES:
        assert desks.begun(print, 1, 2, duplex=duplex)[1] is ends[-1][0] and not ends[-1][0].closed
    else:
        with pytest.raises(PossilogError, match="no process could be begun"):
            desks.begun(print, 1, 2, duplex=duplex)
    assert all(away.closed for _, away in ends) and sum(not home.closed for home, _ in ends) == (failing < desks.TRIES)
    assert [(one["target"], one["args"][1:], one["daemon"]) for one in made] == [(print, (1, 2), True)] * len(ends)
    assert len(ends) == min(failing + 1, desks.TRIES)


# Learning again


@pytest.mark.parametrize(
    ("state", "step", "share"),
    [
        ("learning", Step("begin"), 0.0),
        ("learning", Step("hard rules"), 0.0),
        ("learning", Step("hard rules", 1, 4), 1 / 24),
        ("learning", Step("candidates", 2, 4), 1 / 4),
        ("learning", Step("weights", 9, 4), 1.0),
        ("failed", Step("weights", 0, None), 5 / 6),
        ("cancelled", Step("candidates"), 1 / 6),
        ("done", Step("candidates"), 1.0),
    ],
)
def test_how_far_it_is(state: str, step: Step, share: float) -> None:
    found = Relearning(state, step, began=time.monotonic() - 3, took=7)
    said = found.as_json
    assert (found.share, said["share"]) == (share, round(share, 3))
    assert said["seconds"] == pytest.approx(3 if state == "learning" else 7, abs=0.5)
    assert (said["state"], said["phase"], said["rules"]) == (state, step.phase, None)


def test_what_a_process_tells_is_kept_while_it_is_the_one() -> None:
    def listened(told: list[object], state: str = "learning", other: bool = False) -> tuple[Relearning, int]:
        away, home = Pipe()
        calls: list[int] = []
        process = SimpleNamespace(join=lambda: None)
        found = Relearning(state, began=time.monotonic() - 2, _process=None if other else process)
        for one in told:
            away.send(one)
        away.close()
        found._listen(home, process, lambda: calls.append(1))
        assert home.closed
        return found, len(calls)

    theory, step = parse_theory("0.9 :: flies(X) :- bird(X). 0.7 :: swims(X) :- duck(X)."), Step("weights", 1, 2)
    found, calls = listened([step, theory])
    assert (found.state, found.theory, found.step, calls) == ("done", theory, step, 1)
    assert found.took == pytest.approx(2, abs=0.5) and (found.as_json["rules"], found.as_json["error"]) == (2, None)
    found, calls = listened([step, "no facts"])
    assert (found.state, found.as_json["error"], found.theory, calls) == ("failed", "no facts", None, 1)
    found, calls = listened([step])
    assert (found.state, calls) == ("failed", 1) and "was ended" in found.error
    for state, other in (("cancelled", False), ("idle", False), ("zero", False), ("learning", True)):
        found, calls = listened([theory], state, other)
        assert (found.state, found.theory, calls) == (state, None, 0)


@pytest.mark.parametrize("state", ["idle", "done", "failed", "cancelled"])
def test_only_what_is_being_learned_is_cancelled(state: str) -> None:
    killed: list[int] = []
    process = SimpleNamespace(kill=lambda: killed.append(1))
    with pytest.raises(PossilogError, match="nothing is being learned"):
        Relearning(state, _process=process).cancel()
    Relearning(state, _process=process).close()
    assert not killed
    found = Relearning("learning", began=time.monotonic() - 2, _process=process)
    found.close()
    assert (found.state, killed) == ("cancelled", [1]) and found.took == pytest.approx(2, abs=0.5)

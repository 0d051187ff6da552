"""What follows an answer: it is begun at once, waited for at the end, and its failure is logged, not lost."""

import asyncio

import pytest

from handlers.slack_app.background import Afterwards


async def test_work_is_begun_at_once_and_waited_for() -> None:
    """The request goes on while it is under way; the end of the process waits for it."""
    afterwards, gate, done = Afterwards(), asyncio.Event(), []

    async def work() -> None:
        await gate.wait()
        done.append(True)

    afterwards.do(work())
    assert done == []
    gate.set()
    await afterwards.finished()
    assert done == [True]


async def test_the_end_does_not_wait_for_ever() -> None:
    """A Slack that hangs does not keep a process from stopping."""
    afterwards = Afterwards()
    afterwards.do(asyncio.Event().wait())  # type: ignore[arg-type]  # its result is of no interest
    await afterwards.finished(0.01)


async def test_what_fails_is_logged(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody awaits it, so nobody else would say so."""
    afterwards = Afterwards()

    async def work() -> None:
        raise ValueError("no such thing")

    afterwards.do(work())
    await afterwards.finished()
    await asyncio.sleep(0)
    assert "no such thing" in capsys.readouterr().out

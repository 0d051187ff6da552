"""`kill -9` at a named point: before, between and after an effect and its record, as events on the wires."""

from collections.abc import Callable

from tests.faults.frames import Request
from tests.faults.system import System
from tests.faults.wires import Wire


def posts(request: Request) -> bool:
    return request.name == "POST /api/chat.postMessage"


def silences(request: Request) -> bool:
    return request.name == "POST /api/v2/silences"


def scales(request: Request) -> bool:
    return request.name.startswith("PUT /pools/")


async def kill_before(system: System, wire: Wire, match: Callable[[Request], bool], *, late: bool = False) -> str:
    """The intent is written, the request is held before its first byte: kill; `late` lets it arrive all the same."""
    held = wire.hold(match)
    who = (await held.waits()).who
    system.processes[who].kill()
    held.release() if late else held.drop()
    return who


async def kill_between(system: System, wire: Wire, match: Callable[[Request], bool]) -> str:
    """The other side has done it, its answer is held: kill."""
    held = wire.hold(match, reply=True)
    who = (await held.waits()).who
    system.processes[who].kill()
    held.drop()
    return who


async def kill_after(system: System, wire: Wire, match: Callable[[Request], bool]) -> str:
    """The answer has arrived, the commit that records it is held: kill."""
    held = wire.hold(match, reply=True)
    who = (await held.waits()).who
    commit = system.to_redis.hold(lambda request: request.who == who and request.name == "commit")
    held.release()
    await commit.waits()
    system.processes[who].kill()
    commit.drop()
    return who

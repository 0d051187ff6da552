"""Scripts of faults, call by call."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from bot.playground.slack.wire import Json


class SlackFaultKind(Enum):
    """The fault of a call. Those of `BEFORE` prevent any effect."""

    ERROR = "error"
    RATE_LIMIT = "rate_limit"
    STATUS = "status"
    REFUSE = "refuse"
    SLOW = "slow"
    GARBAGE = "garbage"
    DROP_REPLY = "drop_reply"


BEFORE = frozenset({SlackFaultKind.ERROR, SlackFaultKind.RATE_LIMIT, SlackFaultKind.STATUS, SlackFaultKind.REFUSE})


@dataclass(slots=True)
class Hold:
    """Stops a call until `release`; `reached` is set when a call waits here."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    _go: asyncio.Event = field(default_factory=asyncio.Event)

    def release(self) -> None:
        """Lets the waiting call, and later ones, go on."""
        self._go.set()

    async def wait(self) -> None:
        """Announces the call and waits."""
        self.reached.set()
        await self._go.wait()


@dataclass(slots=True)
class SlackFault:
    """One line of a script. `times_left` `None` means for ever; `skip` calls pass before the first is hit."""

    method: str
    kind: SlackFaultKind
    times_left: int | None = 1
    skip: int = 0
    where: Callable[[Json], bool] | None = None
    code: str = ""
    retry_after: str | None = None
    status: int = 200
    body: bytes = b""
    delay_seconds: float = 0.0
    hold_before: Hold | None = None
    hold_after: Hold | None = None


class Faults:
    """The script. The first line that fits a call is used up by it; a call meets at most one line."""

    def __init__(self) -> None:
        self.script: list[SlackFault] = []
        self.history_lag_seconds = 0.0

    def clear(self) -> None:
        """Ends all faults and the history lag."""
        self.script.clear()
        self.history_lag_seconds = 0.0

    def error(self, method: str, code: str, times: int | None = 1, **more: object) -> SlackFault:
        """Answers `{"ok": false, "error": code}` without doing anything."""
        return self._add(SlackFault(method, SlackFaultKind.ERROR, times, code=code), more)

    def rate_limit(self, method: str, retry_after: str | None = "1", **more: object) -> SlackFault:
        """Answers 429 with this raw `Retry-After` value, or without the header (`None`)."""
        return self._add(SlackFault(method, SlackFaultKind.RATE_LIMIT, retry_after=retry_after), more)

    def status(self, method: str, status: int, body: bytes = b"", times: int | None = 1, **more: object) -> SlackFault:
        """Answers an HTTP status such as 503 without doing anything."""
        return self._add(SlackFault(method, SlackFaultKind.STATUS, times, status=status, body=body), more)

    def refuse(self, method: str, **more: object) -> SlackFault:
        """Closes the connection before anything is stored."""
        return self._add(SlackFault(method, SlackFaultKind.REFUSE), more)

    def slow(self, method: str, seconds: float, times: int | None = 1, **more: object) -> SlackFault:
        """Does the call, but only after this time (real seconds)."""
        return self._add(SlackFault(method, SlackFaultKind.SLOW, times, delay_seconds=seconds), more)

    def garbage(self, method: str, body: bytes = b"<html>", status: int = 200, **more: object) -> SlackFault:
        """Does the call and answers with a body that is no JSON; with status 500 it is 'stored, then 5xx'."""
        return self._add(SlackFault(method, SlackFaultKind.GARBAGE, status=status, body=body), more)

    def drop_reply(self, method: str, **more: object) -> SlackFault:
        """Does the call and closes the connection without an answer."""
        return self._add(SlackFault(method, SlackFaultKind.DROP_REPLY), more)

    def hold(self, method: str, after_effect: bool = False, **more: object) -> Hold:
        """Stops the call before, or after, it has its effect, until the returned hold is released."""
        hold = Hold()
        fault = SlackFault(method, SlackFaultKind.SLOW)
        if after_effect:
            fault.hold_after = hold
        else:
            fault.hold_before = hold
        self._add(fault, more)
        return hold

    def take(self, method: str, args: Json) -> SlackFault | None:
        """The line that this call meets, used up once."""
        for fault in self.script:
            if fault.method not in (method, "*") or (fault.where is not None and not fault.where(args)):
                continue
            if fault.skip > 0:
                fault.skip -= 1
                continue
            if fault.times_left is not None:
                fault.times_left -= 1
                if fault.times_left <= 0:
                    self.script.remove(fault)
            return fault
        return None

    def _add(self, fault: SlackFault, more: dict[str, object]) -> SlackFault:
        channel = more.pop("channel", None)
        if channel is not None:
            fault.where = lambda args: args.get("channel") == channel
        for name in ("where", "skip"):
            if name in more:
                setattr(fault, name, more.pop(name))
        if more:
            raise TypeError(f"a fault knows channel, where and skip, not {', '.join(sorted(more))}")
        self.script.append(fault)
        return fault

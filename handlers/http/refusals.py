"""Logs what is refused: the first of a minute in full, then its number, so that a stranger cannot fill the disk."""

import asyncio
from collections.abc import Callable

import structlog

PERIOD_SECONDS = 60.0

Later = Callable[[float, Callable[[], None]], object]
"""Calls a function after so many seconds."""


class Refusals:
    """One per process. Lines are alike when their event and their facts are; the facts are few fixed words of ours."""

    def __init__(self, later: Later | None = None) -> None:
        self._later = later
        self._left_out: dict[tuple[str, tuple[tuple[str, str], ...]], int] = {}
        """By line: how often it was left out in the period that runs."""

    def log(self, event: str, address: str = "", **facts: str) -> None:
        """Log the line with the address, or count it if the same was logged less than a minute ago."""
        line = (event, tuple(sorted(facts.items())))
        if line in self._left_out:
            self._left_out[line] += 1
            return
        self._left_out[line] = 0
        structlog.get_logger().warning(event, **facts, **({"address": address} if address else {}))
        later = self._later or asyncio.get_running_loop().call_later
        later(PERIOD_SECONDS, lambda: self._ended(line))

    def _ended(self, line: tuple[str, tuple[tuple[str, str], ...]]) -> None:
        event, facts = line
        if times := self._left_out.pop(line):
            structlog.get_logger().warning(event, **dict(facts), left_out=times, within_seconds=PERIOD_SECONDS)

"""Ports of the loopback interface for what tests start: a run gives each of them out once."""

import contextlib
import os
import secrets
import socket
from collections.abc import Iterator

LOWEST, HIGHEST = 22_000, 32_000
"""Above those that the demo chooses from, and below those of outgoing connections, so that neither takes one."""


def share(worker: str, workers: int) -> Iterator[int]:
    """The ports of one xdist worker, `gw0` the first, from some place on: another run on this machine has another."""
    size = (HIGHEST - LOWEST) // workers
    lowest, begin = LOWEST + size * int(worker.removeprefix("gw")), secrets.randbelow(size)
    yield from (lowest + (begin + number) % size for number in range(size))


_OURS = share(os.environ.get("PYTEST_XDIST_WORKER", "gw0"), int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def free_port() -> int:
    """A port that nobody listens on now, and that no other call of this run gives: a server may come back to its own.

    Raises AssertionError when all are used up.
    """
    for port in _OURS:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("this run has used up its ports")

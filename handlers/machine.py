"""What this machine provides: its clocks, its environment, and random ids."""

import os
import secrets
import time
from dataclasses import dataclass


@dataclass(slots=True)
class RealClock:
    """Implements `bot.ports.Clock`, by the monotonic clock: jumps of the wall clock have no effect (RT-3)."""

    offset: float

    def now(self) -> float:
        """Epoch seconds."""
        return time.monotonic() + self.offset

    def rate(self) -> float:
        """A second is a second."""
        return 1.0

    def ahead(self) -> float:
        """It follows the server's clock."""
        return 0.0

    def follow(self, epoch_seconds: float) -> None:
        """Follow another clock from now on."""
        self.offset = epoch_seconds - time.monotonic()


def now() -> float:
    """Epoch seconds."""
    return time.time()


def monotonic() -> float:
    """Seconds that never jump."""
    return time.monotonic()


def new_id(prefix: str) -> str:
    """An opaque, unguessable id."""
    return prefix + secrets.token_hex(8)


def variables() -> dict[str, str]:
    """The environment of this process."""
    return dict(os.environ)

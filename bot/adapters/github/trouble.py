"""Why something of GitHub is not known, and what to do about it."""

from typing import NamedTuple

from bot.ports import Unreachable


class Trouble(NamedTuple):
    """A reason with its remedy; false when there is none."""

    why: str = ""
    remedy: str = ""

    def __bool__(self) -> bool:
        return bool(self.why)


NO_TROUBLE = Trouble()


def trouble_of(error: Unreachable) -> Trouble:
    """What an error says."""
    return Trouble(error.what, error.remedy)

"""Why GitHub data is unknown, and the remedy."""

from typing import NamedTuple

from bot.ports import Unreachable


class Trouble(NamedTuple):
    """A reason with its remedy; false if there is none."""

    why: str = ""
    remedy: str = ""

    def __bool__(self) -> bool:
        return bool(self.why)


NO_TROUBLE = Trouble()


def trouble_of(error: Unreachable) -> Trouble:
    return Trouble(error.what, error.remedy)

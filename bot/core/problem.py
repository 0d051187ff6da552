"""Something that is wrong, and what to do about it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, with its remedy."""

    what: str
    remedy: str = ""
    area: str = ""
    """The part of an installation that `tailback check` reports it under; empty: whoever asks knows."""

    def __str__(self) -> str:
        return f"{self.what}; {self.remedy}" if self.remedy else self.what

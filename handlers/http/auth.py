"""What came of asking whether a webhook's sender is known: go on, or the answer that ends it here."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Proof:
    """`status` 0: the sender is known, read what it sent."""

    status: int = 0
    words: str = ""
    """The sentence of a refusal; with 200, what became of it."""
    why: str = ""
    """For the log alone: never anything that was sent."""


GOOD = Proof()

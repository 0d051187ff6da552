"""The record of what a dialog showed."""

from dataclasses import dataclass

from bot.core.alert import Matcher


@dataclass(frozen=True, slots=True)
class Shown:
    """What a dialog showed one person; kept for as long as the dialog stays good."""

    id: str
    matchers: tuple[Matcher, ...] = ()
    """The matchers of the silence."""
    texts: tuple[str, ...] = ()
    """Title and text of the issue."""

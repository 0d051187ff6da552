"""Entries about an action that needs no class of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class ActionNoted:
    """How far an action has come that needs no class of its own; its sentences are in `bot/views/words/timeline.py`."""

    action: str
    step: str
    """One of those that it declares."""
    values: Mapping[str, str] = field(default_factory=dict)
    """What the sentence names."""
    kind: Literal["action"] = "action"

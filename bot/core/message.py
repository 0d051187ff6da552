"""What a person reads in Slack, as a value: made in `views`, carried to the wire, never read back."""

from collections.abc import Mapping
from dataclasses import dataclass

Block = Mapping[str, object]
"""One Block Kit block, exactly as Slack reads it: made in `views`, carried to the wire, never read back."""


@dataclass(frozen=True, slots=True)
class Message:
    """What a person reads: `text` is complete by itself (notifications, screen readers), `blocks` say the same."""

    text: str
    blocks: tuple[Block, ...] = ()

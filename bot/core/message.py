"""A Slack message as a value: made in `views`, posted by adapters, never parsed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Block = Mapping[str, object]
"""One Block Kit block as JSON; made in `views`, never parsed."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message: `text` is complete by itself (notifications, screen readers), `blocks` say the same."""

    text: str
    blocks: tuple[Block, ...] = ()
    encoded: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """Each block as JSON; empty if nobody needed it yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRecord:
    """A record that keeps one Slack message up to date: what Slack confirmed, and how the last attempts went."""

    ts: str | None = None
    shown: str = ""
    """Digest of the last rendering that Slack confirmed."""
    shown_at: float = 0.0
    """Epoch seconds."""
    plain: bool = False
    """Slack refused the full rendering, so the minimal one is used."""
    failures: int = 0
    retry_at: float = 0.0
    """Nothing is sent before; epoch seconds."""
    trouble: str = ""


EDIT_LANE = "edit"
"""The rate lane of edits, which Slack limits for the whole workspace."""


def post_lane(channel: str) -> str:
    return f"post:{channel}"


OPEN = "0"
"""Index value of a token or channel that is usable again."""
SHUT = -1.0

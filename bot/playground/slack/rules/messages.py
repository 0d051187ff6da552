"""Validates messages, metadata and views like Slack, with its error codes."""

from bot.playground.slack.rules import blocks
from bot.playground.slack.wire import Json, SlackError, compact, text

TEXT_CUT = 40_000
UPDATE_TEXT = 4_000
BLOCKS_TOTAL = 13_000
_METADATA_TOTAL = 8_000


def blocks_of(args: Json, refused: frozenset[str]) -> list[Json] | None:
    """The valid blocks of a message, or `None` when the argument is absent.

    Raises SlackError: `invalid_blocks`, `msg_blocks_too_long` (slackapi/bolt-js#2509).
    """
    given = args.get("blocks")
    if not isinstance(given, list):
        return None
    problems = blocks.check_blocks(given, "message", refused)
    if problems:
        raise SlackError("invalid_blocks", response_metadata={"messages": problems}, errors=problems)
    if len(compact(given)) > BLOCKS_TOTAL:
        raise SlackError("msg_blocks_too_long")
    return given


def metadata_of(args: Json) -> Json | None:
    """The valid metadata of a message, `{}` to clear it, or `None` when absent.

    Raises SlackError: `invalid_metadata_schema`, `metadata_too_large`.
    """
    metadata = args.get("metadata")
    if not isinstance(metadata, dict):
        return None
    if not metadata:
        return {}
    if not text(metadata, "event_type") or not isinstance(metadata.get("event_payload"), dict):
        raise SlackError("invalid_metadata_schema")
    if len(compact(metadata)) > _METADATA_TOTAL:
        raise SlackError("metadata_too_large")
    return metadata


def thread_of(args: Json) -> str | None:
    """The parent that the message replies to: a `ts` as a string, since a number loses digits.

    Raises SlackError: `invalid_arguments` for a number.
    """
    value = args.get("thread_ts")
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise SlackError(
            "invalid_arguments",
            response_metadata={"messages": ["[ERROR] must provide a string [json-pointer:/thread_ts]"]},
        )
    return value


def check_view(view: Json, refused: frozenset[str]) -> None:
    """A modal or App Home. Raises SlackError: `invalid_arguments` with every problem."""
    problems, kind, shown = blocks.check_view(view), view.get("type"), view.get("blocks")
    if isinstance(shown, list) and kind in ("modal", "home"):
        problems += blocks.check_blocks(shown, str(kind), refused)
    if problems:
        raise SlackError("invalid_arguments", response_metadata={"messages": problems})

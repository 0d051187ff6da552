"""A statement as an id with values, for records and programs; `bot/views/words/` has the words."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Value = int | float | str | bool | tuple[str | int | float | None, ...] | None


@dataclass(frozen=True, slots=True)
class Statement:
    """An observation, a reason or a summary; equal ids and values mean the same."""

    id: str
    values: Mapping[str, Value] = field(default_factory=dict)


def statement(name: str, /, **values: Value) -> Statement:
    """`statement("arrivals", per_minute=4.7, usual=2.0)`."""
    return Statement(name, values)

"""Open modals, App Home, and their input."""

from dataclasses import dataclass, field

from bot.playground.slack.wire import Json, SlackError, rows, table, text


@dataclass(slots=True)
class OpenView:
    """A modal on a person's screen, or their App Home. `values` is `view.state.values`."""

    id: str
    user: str
    content: Json
    hash: str
    values: Json = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


_STATELESS = frozenset({"button", "overflow", ""})


def elements_of(block: Json) -> list[Json]:
    """The interactive elements of a block."""
    found = rows(block, "elements") if block.get("type") in ("actions", "context_actions") else []
    found += [one for child in rows(block, "child_blocks") for one in elements_of(child)]
    return found + [table(block, key) for key in ("element", "accessory") if isinstance(block.get(key), dict)]


def state_key(kind: str) -> str:
    """The field of an element's state that holds the choice or text."""
    return "selected_option" if kind in {"static_select", "radio_buttons"} else "value"


def initial_values(blocks: list[Json]) -> Json:
    """`state.values` of blocks that nobody has touched yet."""
    values: Json = {}
    for block in blocks:
        for element in elements_of(block):
            kind = text(element, "type")
            if kind in _STATELESS:
                continue
            key = state_key(kind)
            of_block = table(values, text(block, "block_id"))
            of_block[text(element, "action_id")] = {"type": kind, key: element.get("initial_option")}
            values[text(block, "block_id")] = of_block
    return values


def merged(values: Json, given: Json) -> Json:
    """State values, overridden by a person's input."""
    result: Json = {block_id: dict(table(values, block_id)) for block_id in values}
    for block_id in given:
        result[block_id] = {**table(result, block_id), **table(given, block_id)}
    return result


class Views:
    """All open modals in the order of opening, and each person's App Home."""

    def __init__(self) -> None:
        self.modals: dict[str, OpenView] = {}
        self.homes: dict[str, OpenView] = {}

    def of(self, user: str) -> list[OpenView]:
        """The open modals of a person, newest last."""
        return [view for view in self.modals.values() if view.user == user]

    def get(self, view_id: str) -> OpenView:
        """An open modal or a Home by its id. Raises SlackError: `not_found`."""
        found = self.modals.get(view_id)
        if found is None:
            found = next((home for home in self.homes.values() if home.id == view_id), None)
        if found is None:
            raise SlackError("not_found")
        return found

    def close(self, view_id: str) -> None:
        """Takes a modal off the screen."""
        self.modals.pop(view_id, None)

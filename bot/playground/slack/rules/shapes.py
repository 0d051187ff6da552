"""The blocks and elements of Block Kit that Tailback uses: their keys, and how long their texts may be.

Source: docs.slack.dev/reference/block-kit. Everything else is refused, so a new use has to be written down here first.
"""

from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat, model_validator
from pydantic_core import PydanticCustomError

from bot.playground.slack.wire import rows, text

T = TypeVar("T", bound="_Plain | _Mrkdwn")
MOST_CELL_CHARACTERS = 10_000


def wrong(what: str) -> PydanticCustomError:
    """A problem in Slack's own words."""
    return PydanticCustomError("slack", "{what}", {"what": what})


def upto(longest: int, shortest: int = 0) -> Any:
    """Limits for the length of a string or list."""
    return Field(min_length=shortest, max_length=longest)


def most(characters: int) -> AfterValidator:
    """A limit for the characters of a text object."""

    def check(value: T) -> T:
        if len(value.text) > characters:
            raise wrong(f"must be less than {characters + 1} characters")
        return value

    return AfterValidator(check)


Id = Annotated[str, upto(255)]
Label = Annotated[str, upto(20, 1)]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Plain(_Shape):
    type: Literal["plain_text"]
    text: Annotated[str, Field(min_length=1)]


class _Mrkdwn(_Shape):
    type: Literal["mrkdwn"]
    text: Annotated[str, Field(min_length=1)]
    verbatim: bool = False


AnyText = Annotated[_Plain | _Mrkdwn, Field(discriminator="type")]


class _Option(_Shape):
    text: Annotated[_Plain, most(75)]
    value: Annotated[str, upto(75)]


class _Button(_Shape):
    type: Literal["button"]
    action_id: Annotated[str, upto(255, 1)]
    text: Annotated[_Plain, most(75)]
    value: Annotated[str, upto(2000)] = ""
    style: Literal["primary"] = "primary"
    accessibility_label: Annotated[str, upto(75)] = ""


class _Described(_Option):
    description: Annotated[_Plain, most(75)] | None = None


class _Overflow(_Shape):
    type: Literal["overflow"]
    action_id: Annotated[str, upto(255, 1)]
    options: Annotated[list[_Option], upto(5, 1)]


class _Select(_Shape):
    type: Literal["static_select", "radio_buttons"]
    action_id: Annotated[str, upto(255, 1)]
    options: Annotated[list[_Described], upto(100, 1)]
    initial_option: _Described | None = None

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.type == "radio_buttons" and len(self.options) > 10:
            raise wrong("no more than 10 items allowed")
        if self.initial_option not in (None, *self.options):
            raise wrong("initial_option must be one of the provided options")
        return self


class _TextInput(_Shape):
    type: Literal["plain_text_input"]
    action_id: Annotated[str, upto(255, 1)]
    placeholder: Annotated[_Plain, most(150)] | None = None
    max_length: Annotated[int, Field(ge=1, le=3000)] = 3000


class _NumberInput(_Shape):
    type: Literal["number_input"]
    action_id: Annotated[str, upto(255, 1)]
    is_decimal_allowed: Literal[False]


class _Block(_Shape):
    type: str
    block_id: Id = ""


class _Section(_Block):
    text: Annotated[AnyText, most(3000)]
    accessory: _Button | None = None


class _Header(_Block):
    text: Annotated[_Plain, most(150)]


class _Context(_Block):
    elements: Annotated[list[Annotated[AnyText, most(3000)]], upto(10, 1)]


class _Actions(_Block):
    elements: Annotated[list[Annotated[_Button | _Overflow, Field(discriminator="type")]], upto(25, 1)]

    @model_validator(mode="after")
    def _told_apart(self) -> Self:
        ids = [one.action_id for one in self.elements if one.action_id]
        if len(set(ids)) < len(ids):
            raise wrong("an `action_id` already exists in this block")
        return self


class _Input(_Block):
    label: Annotated[_Plain, most(2000)]
    element: Annotated[_Select | _TextInput | _NumberInput, Field(discriminator="type")]
    hint: Annotated[_Plain, most(2000)] | None = None
    optional: bool = False


class _RawText(_Shape):
    type: Literal["raw_text"]
    text: Annotated[str, Field(min_length=1)]


class _RichText(_Shape):
    type: Literal["rich_text"]
    elements: list[dict[str, Any]]


Cell = Annotated[_RawText | _RichText, Field(discriminator="type")]


def _characters(cell: _RawText | dict[str, Any]) -> int:
    if isinstance(cell, _RawText):
        return len(cell.text)
    return len(text(cell, "text")) + sum(map(_characters, rows(cell, "elements")))


class _Table(_Block):
    rows: Annotated[list[Annotated[list[Cell], upto(20, 1)]], upto(100, 1)]
    column_settings: Annotated[list[dict[str, Any]], upto(20)] = []

    @model_validator(mode="after")
    def _short(self) -> Self:
        cells = [cell if isinstance(cell, _RawText) else cell.model_dump() for row in self.rows for cell in row]
        if sum(map(_characters, cells)) > MOST_CELL_CHARACTERS:
            raise wrong(f"cells hold more than {MOST_CELL_CHARACTERS} characters together")
        return self


class _Point(_Shape):
    label: Label
    value: FiniteFloat


class _Series(_Shape):
    name: Label
    data: Annotated[list[_Point], upto(20, 1)]


class _Axes(_Shape):
    categories: Annotated[list[Label], upto(20, 1)]
    x_label: Annotated[str, upto(50)] = ""
    y_label: Annotated[str, upto(50)] = ""


class _LineChart(_Shape):
    type: Literal["line"]
    series: Annotated[list[_Series], upto(12, 1)]
    axis_config: _Axes

    @model_validator(mode="after")
    def _covered(self) -> Self:
        categories, names = self.axis_config.categories, [one.name for one in self.series]
        if len(set(categories)) < len(categories) or len(set(names)) < len(names):
            raise wrong("categories and names of series must be unique")
        if any([point.label for point in one.data] != categories for one in self.series):
            raise wrong("each series must have one value for every category")
        return self


class _Chart(_Block):
    title: Annotated[str, upto(50, 1)]
    chart: _LineChart


class _Container(_Block):
    title: Annotated[_Plain, most(150)]
    child_blocks: Annotated[list[dict[str, Any]], upto(10, 1)]
    is_collapsible: bool = False
    default_collapsed: bool = False


class _Task(_Shape):
    task_id: Id
    title: str
    status: Literal["pending", "in_progress", "complete", "error"] = "pending"


class _Plan(_Block):
    title: str
    tasks: Annotated[list[_Task], upto(50, 1)]

    @model_validator(mode="after")
    def _told_apart(self) -> Self:
        if len({one.task_id for one in self.tasks}) < len(self.tasks):
            raise wrong("a task_id already exists")
        return self


class _Choice(_Shape):
    text: Annotated[_Plain, most(75)]
    value: Annotated[str, upto(2000, 1)]
    accessibility_label: Annotated[str, upto(75)] = ""


class _Feedback(_Shape):
    type: Literal["feedback_buttons"]
    action_id: Annotated[str, upto(255, 1)]
    positive_button: _Choice
    negative_button: _Choice


class _ContextActions(_Block):
    elements: Annotated[list[_Feedback], upto(5, 1)]


class ViewFrame(_Shape):
    """A modal or App Home without its blocks."""

    type: Literal["modal", "home"]
    title: Annotated[_Plain, most(24)] | None = None
    submit: Annotated[_Plain, most(24)] | None = None
    close: Annotated[_Plain, most(24)] | None = None
    private_metadata: Annotated[str, upto(3000)] = ""
    callback_id: Id = ""
    blocks: list[Any]


BLOCKS: dict[str, type[_Block]] = {
    "section": _Section, "header": _Header, "divider": _Block, "context": _Context, "actions": _Actions,
    "input": _Input, "table": _Table, "data_visualization": _Chart, "container": _Container, "plan": _Plan,
    "context_actions": _ContextActions,
}  # fmt: skip
TAGS = frozenset({
    "plain_text", "mrkdwn", "button", "overflow", "static_select", "radio_buttons", "plain_text_input", "number_input",
    "raw_text", "rich_text",
})  # fmt: skip
"""Types that pydantic adds to the place of a problem."""

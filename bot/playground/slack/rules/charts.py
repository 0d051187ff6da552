"""The blocks that show figures: table and data_visualization, with their limits."""

import math

from bot.playground.slack.rules.shapes import Problems, items_of, say
from bot.playground.slack.wire import Json, rows, table, text

_COLUMNS = 20
_MOST_CHARS = 10_000
_CELLS = frozenset({"raw_text", "raw_number", "rich_text"})


def check_table(block: Json, pointer: str, problems: Problems) -> None:
    """1 to 100 rows of at most 20 cells."""
    _check_rows(block, 1, 100, pointer, problems)
    items_of(block, "column_settings", (0, _COLUMNS), pointer, problems)


def check_tables_together(blocks: list[Json], problems: Problems) -> None:
    """One table per message, and the characters of all its cells."""
    tables = [block for block in blocks if block.get("type") == "table"]
    if len(tables) > 1:
        say(problems, "/blocks", "only_one_table_allowed")
    for block in tables:
        if sum(len(word) for row in _lists(block.get("rows")) for cell in row for word in _words(cell)) > _MOST_CHARS:
            say(problems, "/blocks", f"cells hold more than {_MOST_CHARS} characters together")


def _lists(value: object) -> list[list[object]]:
    return [one for one in value if isinstance(one, list)] if isinstance(value, list) else []


def _words(cell: object) -> list[str]:
    """The texts of a cell, wherever they stand in it."""
    if not isinstance(cell, dict):
        return []
    own = [text(cell, "text")]
    return own + [word for part in rows(cell, "elements") for word in _words(part)]


def _check_rows(block: Json, least: int, most: int, pointer: str, problems: Problems) -> list[int]:
    value = block.get("rows")
    if not isinstance(value, list):
        say(problems, f"{pointer}/rows", "must provide an array")
        return []
    if not least <= len(value) <= most:
        say(problems, f"{pointer}/rows", f"from {least} to {most} rows allowed")
    lengths = []
    for index, row in enumerate(value):
        if not isinstance(row, list) or not 1 <= len(row) <= _COLUMNS:
            say(problems, f"{pointer}/rows/{index}", f"from 1 to {_COLUMNS} cells allowed")
            continue
        lengths.append(len(row))
        for column, cell in enumerate(row):
            _check_cell(cell, f"{pointer}/rows/{index}/{column}", problems)
    return lengths


def _check_cell(cell: object, pointer: str, problems: Problems) -> None:
    kind = cell.get("type") if isinstance(cell, dict) else None
    if not isinstance(cell, dict) or kind not in _CELLS:
        say(problems, f"{pointer}/type", f"unsupported type: {kind}")
    elif kind == "raw_text" and not text(cell, "text"):
        say(problems, f"{pointer}/text", "must be more than 0 characters")
    elif kind == "raw_number" and not isinstance(cell.get("value"), int | float):
        say(problems, f"{pointer}/value", "must provide a number")
    elif kind == "raw_number" and not text(cell, "text"):
        say(problems, f"{pointer}/text", "must be more than 0 characters")


def check_data_visualization(block: Json, pointer: str, problems: Problems) -> None:
    """A line chart whose series cover the categories exactly; the product draws no other."""
    if not 1 <= len(text(block, "title")) <= 50:
        say(problems, f"{pointer}/title", "must be from 1 to 50 characters")
    chart = table(block, "chart")
    at = f"{pointer}/chart"
    kind = chart.get("type")
    if kind == "line":
        _check_series(chart, at, problems)
    else:
        say(problems, f"{at}/type", f"unsupported type: {kind}")


def _check_series(chart: Json, at: str, problems: Problems) -> None:
    axes = chart.get("axis_config")
    categories = axes.get("categories") if isinstance(axes, dict) else None
    if not isinstance(categories, list) or not categories:
        say(problems, at, "missing required field: axis_config")
        return
    if len(set(map(str, categories))) != len(categories) or any(not 1 <= len(str(c)) <= 20 for c in categories):
        say(problems, f"{at}/axis_config/categories", "must be unique, from 1 to 20 characters")
    if "series" not in chart:
        say(problems, at, "missing required field: series")
    names = []
    for index, series in enumerate(items_of(chart, "series", (1, 12), at, problems)):
        names.append(text(series, "name"))
        if not 1 <= len(names[-1]) <= 20:
            say(problems, f"{at}/series/{index}/name", "must be from 1 to 20 characters")
        _check_points(series, "data", f"{at}/series/{index}", 20, problems)
        if [point.get("label") for point in rows(series, "data")] != categories:
            say(problems, f"{at}/series/{index}/data", "must have one value for every category")
    if len(set(names)) != len(names):
        say(problems, f"{at}/series", "names must be unique")


def _check_points(holder: Json, key: str, pointer: str, most: int, problems: Problems) -> None:
    if key not in holder:
        say(problems, pointer, f"missing required field: {key}")
    for index, point in enumerate(items_of(holder, key, (1, most), pointer, problems)):
        if not 1 <= len(text(point, "label")) <= 20:
            say(problems, f"{pointer}/{key}/{index}/label", "must be from 1 to 20 characters")
        value = point.get("value")
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            say(problems, f"{pointer}/{key}/{index}/value", "must provide a number")

"""The blocks that show figures: table, data_table and data_visualization, with their limits."""

from bot.playground.slack.rules.shapes import Problems, items_of, say
from bot.playground.slack.wire import Json, table, text

_COLUMNS = 20
_CELLS = frozenset({"raw_text", "raw_number", "rich_text"})


def check_table(block: Json, pointer: str, problems: Problems) -> None:
    """1 to 100 rows of at most 20 cells."""
    _check_rows(block, 1, 100, pointer, problems)
    items_of(block, "column_settings", (0, _COLUMNS), pointer, problems)


def check_data_table(block: Json, pointer: str, problems: Problems) -> None:
    """2 to 101 rows, the header first, all of the same length."""
    lengths = _check_rows(block, 2, 101, pointer, problems)
    if len(set(lengths)) > 1:
        say(problems, f"{pointer}/rows", "all rows must have the same number of cells")
    if not block.get("caption"):
        say(problems, f"{pointer}/caption", "must be more than 0 characters")


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


def check_data_visualization(block: Json, pointer: str, problems: Problems) -> None:
    """A line, bar or area chart of 1 to 6 series with at most 20 points, or a pie; labels of at most 20 characters."""
    chart = table(block, "chart")
    at = f"{pointer}/chart"
    kind = chart.get("type")
    if kind == "pie":
        _check_points(chart, "segments", at, problems)
    elif kind in ("line", "bar", "area"):
        if "series" not in chart:
            say(problems, at, "missing required field: series")
        for index, series in enumerate(items_of(chart, "series", (1, 6), at, problems)):
            if not text(series, "name"):
                say(problems, f"{at}/series/{index}", "missing required field: name")
            _check_points(series, "data", f"{at}/series/{index}", problems)
    else:
        say(problems, f"{at}/type", f"unsupported type: {kind}")


def _check_points(holder: Json, key: str, pointer: str, problems: Problems) -> None:
    if key not in holder:
        say(problems, pointer, f"missing required field: {key}")
    for index, point in enumerate(items_of(holder, key, (1, 20), pointer, problems)):
        if not 1 <= len(text(point, "label")) <= 20:
            say(problems, f"{pointer}/{key}/{index}/label", "must be from 1 to 20 characters")
        if not isinstance(point.get("value"), int | float):
            say(problems, f"{pointer}/{key}/{index}/value", "must provide a number")

"""What is wrong with a setting, and what to do, from the errors of pydantic."""

import re
from collections.abc import Sequence
from dataclasses import replace
from ipaddress import ip_network
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bot.core.external import Problem
from bot.settings import WrongSetting

_WORDS = {
    "extra_forbidden": ("there is no such setting", "check its spelling in docs/reference/settings.md"),
    "missing": ("is required", "add it"),
    "int_": ("is not a whole number", "write digits only, without quotes"),
    "float_": ("is not a number", "write one, for example 0.34"),
    "bool_": ("is neither true nor false", "write one of them"),
    "too_short": ("has too few entries", "write {min_length} or more"),
    "too_long": ("has too many entries", "write at most {max_length}"),
    "string_too_short": ("is empty", "write a value, or remove the line if the setting is optional"),
    "string_too_long": ("is too long", "write at most {max_length} characters"),
    "string_pattern": ("has the wrong form", "it must match the pattern {pattern}"),
    "string_": ("is not a text", "write one in quotes"),
    "list_": ("is not a list", 'write one in brackets: ["…"]'),
    "tuple_": ("is not a list", 'write one in brackets: ["…"]'),
    "dict_": ("is not a table", 'write names and values, for example {{ team = "infra" }}'),
    "model_": ("is not a table", "write it under a heading in brackets"),
    "literal_": ("is not known", "write {expected}"),
    "greater_than_equal": ("is too small", "write {ge} or more"),
    "greater_than": ("is too small", "write more than {gt}"),
    "less_than_equal": ("is too large", "write {le} or less"),
    "less_than": ("is too large", "write less than {lt}"),
}
"""Pydantic's error type, or its prefix → the problem and the remedy."""
_TWICE = re.compile(r"\((?P<names>'[^)]*)\)[^(]* \((?P<place>at line \d+)")
"""How tomllib tells of a second table: `Cannot declare ('pool', 'a') twice (at line 3, column 12)`."""


def named(given: str) -> str:
    """The name of a table; raises WrongSetting if it is blank."""
    if not given.strip():
        raise WrongSetting("has no name", "write one between the quotes, or delete the table")
    return given


def proxies(given: str) -> str:
    """Addresses and networks of proxies whose `X-Forwarded-For` is believed; raises WrongSetting for anything else."""
    for one in filter(None, (part.strip() for part in given.split(","))):
        try:
            ip_network(one)
        except ValueError:
            raise WrongSetting(
                "holds something other than addresses and networks",
                "write those of your proxies, for example 127.0.0.1 or 10.0.0.0/8, with commas between",
            ) from None
    return given.strip()


def in_table(place: str, error: ValidationError, table: type[BaseModel], *, whole: bool = False) -> list[Problem]:
    """The problems of a table, or of the whole file, with the full key; never the value, it may be a secret."""
    found = []
    for facts in error.errors():
        problem = problem_of(f"{place}: {key}" if (key := _key(facts["loc"])) else place, facts)
        found.append(replace(problem, remedy=_nearer(table, facts, whole=whole) or problem.remedy))
    return found


def _nearer(table: Any, facts: ErrorDetails, *, whole: bool) -> str:
    """A better remedy than the usual one: the name that was meant, or the heading."""
    *above, name = facts["loc"] or ("",)
    if facts["type"] in {"list_type", "dict_type"} and whole and not above:
        return f"write its heading as {f'[[{name}]]' if facts['type'] == 'list_type' else f'[{name}.NAME]'}"
    if facts["type"] != "extra_forbidden":
        return ""
    for part in above:
        fields = getattr(table, "model_fields", {})
        table = fields[part].annotation if part in fields else get_args(table)[-1]
    from difflib import get_close_matches

    known = next((list(kind.model_fields) for kind in (table, *get_args(table)) if hasattr(kind, "model_fields")), [])
    return f"did you mean {near[0]}?" if (near := get_close_matches(str(name), known, 1)) else ""


def _key(parts: Sequence[int | str]) -> str:
    """`route no. 1.channel`: people count from one. A table's name that is wrong is shown as its heading."""
    if parts and parts[-1] == "[key]":
        return f'[{parts[0]}."{parts[1]}"]'
    return ".".join(f"no. {part + 1}" if isinstance(part, int) else part for part in parts).replace(".no. ", " no. ")


def problem_of(place: str, facts: ErrorDetails) -> Problem:
    """What is wrong at the place and what to do, in words of our own."""
    for kind, words in _WORDS.items():
        if facts["type"].startswith(kind):
            what, remedy = (text.format_map(facts.get("ctx", {})) for text in words)
            return Problem(what, remedy, place=place)
    wrong = facts.get("ctx", {}).get("error")
    if isinstance(wrong, WrongSetting):
        return Problem(wrong.what, wrong.remedy, place=place)
    return Problem(facts["msg"].removeprefix("Value error, "), place=place)


def toml_problem(error: Exception, path: str) -> Problem:
    """A file that is no TOML. A table that is there twice is named as the file writes it, not as Python does."""
    found = _TWICE.search(str(error))
    if found is None:
        return Problem(f"is not valid TOML ({error})", "correct that line", place=path)
    names = re.findall(r"'([^']*)'", found["names"])
    table = ".".join(name if re.fullmatch(r"[\w-]+", name) else f'"{name}"' for name in names)
    return Problem(f"the table [{table}] is there twice ({found['place']})", "merge the two into one", place=path)

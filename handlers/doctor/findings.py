"""The findings of `tailback check`: values, one line each for people, JSON for programs."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.core.external import Problem
from bot.core.words import count, listed
from bot.ports import Failure, Refused, Unreachable

LATER = "check again in a minute; if it fails again, look at that server's log"
REMEDIES = {
    Failure.CREDENTIALS: "check the token that {place} names, and its permissions",
    Failure.UNCONNECTED: "check that the server runs, that this machine can reach it, and the url in {place}",
    Failure.LATER: LATER,
    Failure.UNKNOWN: LATER,
    Failure.PLACE: "correct the url in {place}",
}
"""Of other failures, the remedy is to correct the place."""

ENDS = frozenset(".?")
MOST_ALIKE = 5
"""Pools with a line each although they answer alike."""


class Level(StrEnum):
    """Severity of a finding; always written out, never by colour alone."""

    OK = "ok"
    WARNING = "warning"
    """Tailback runs, but something is missing or weaker than it could be."""
    PROBLEM = "problem"
    """Tailback does not start, or does not work."""


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One finding: the subject, the result, the remedy."""

    area: str
    """What it is about: configuration, environment, host, slack, redis, metrics, scaler, pager, ..."""
    state: Level
    text: str
    remedy: str = ""
    """Empty if in order."""
    unanswered: bool = False
    """Nothing at that address was reached."""
    pool: str = ""
    """The pool that it is about, which its text and remedy name; empty for anything else."""
    many: str = ""
    """What is in order, where many pools share a line: their own figures are left out."""


def ok(area: str, text: str, many: str = "") -> CheckFinding:
    return CheckFinding(area, Level.OK, text, many=many)


def warning(area: str, text: str, remedy: str) -> CheckFinding:
    return CheckFinding(area, Level.WARNING, text, remedy)


def problem(area: str, text: str, remedy: str) -> CheckFinding:
    return CheckFinding(area, Level.PROBLEM, text, remedy)


def of_problem(found: Problem, remedy: str) -> CheckFinding:
    """A problem of an area; `remedy` is for one without its own."""
    return problem(found.area, found.placed, found.remedy or remedy)


def of_error(area: str, error: Unreachable | Refused, remedy: str) -> CheckFinding:
    """A system that does not answer, or refuses; `remedy` is for an error without its own."""
    what = f"{error.system}: {error.what}" if isinstance(error, Unreachable) else error.what
    missed = isinstance(error, Unreachable) and error.failure is Failure.UNCONNECTED
    return replace(problem(area, what, error.remedy or remedy), unanswered=missed)


def usual_remedy(error: Unreachable, place: str) -> str:
    """The remedy of an error that has none of its own."""
    return REMEDIES.get(error.failure, "correct {place}").format(place=place)


def failed(findings: Iterable[CheckFinding]) -> bool:
    """Whether `tailback check` exits with 1."""
    return any(finding.state is Level.PROBLEM for finding in findings)


def for_people(findings: Sequence[CheckFinding]) -> str:
    """One line per finding, the worst last, because people read the end first; then the total.

    Many pools that answer alike share a line.
    """
    order, lines = list(Level), []
    for one in sorted(_together(findings), key=lambda finding: order.index(finding.state)):
        to_do = f" To do: {_sentence(one.remedy)}" if one.remedy else ""
        lines.append(" ".join(f"{one.state:<8} {one.area:<13} {_sentence(one.text)}{to_do}".splitlines()))
    numbers = {state: sum(finding.state is state for finding in findings) for state in Level}
    total = (
        f"{count(numbers[Level.PROBLEM], 'problem')}, {count(numbers[Level.WARNING], 'warning')}, "
        f"{numbers[Level.OK]:,} in order."
    )
    return "\n".join([*lines, total])


def _together(findings: Iterable[CheckFinding]) -> list[CheckFinding]:
    groups: dict[tuple[object, ...], list[CheckFinding]] = {}
    for number, one in enumerate(findings):
        words = (one.text.replace(one.pool, ""), one.remedy.replace(one.pool, "")) if one.pool else (number,)
        groups.setdefault((one.area, one.state, *((one.many,) if one.many else words)), []).append(one)
    return [line for some in groups.values() for line in ([_one_line(some)] if len(some) > MOST_ALIKE else some)]


def _one_line(some: Sequence[CheckFinding]) -> CheckFinding:
    first, names = some[0], listed(one.pool for one in some)
    text = f"{names}: {first.many}" if first.many else first.text.replace(first.pool, names)
    also = "; the others likewise" if first.pool in first.remedy else ""
    return replace(first, text=text, remedy=f"{first.remedy}{also}")


def for_machines(findings: Sequence[CheckFinding]) -> str:
    """`{"ok": …, "findings": [{"area", "state", "text", "remedy"}]}`."""
    fields = ("area", "state", "text", "remedy")
    rows = [{name: getattr(finding, name) for name in fields} for finding in findings]
    return json.dumps({"ok": not failed(findings), "findings": rows}, indent=2)


def _sentence(text: str) -> str:
    return text if text[-1:] in ENDS else f"{text}."

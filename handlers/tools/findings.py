"""What `tailback check` found: values, one line each for people, JSON for machines."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum

from bot.core.words import count


class Level(StrEnum):
    """How a finding stands; said in words, never by colour alone."""

    OK = "ok"
    WARNING = "warning"
    """Tailback runs, and something of it is missing or weaker than it could be."""
    PROBLEM = "problem"
    """Tailback does not start, or does not do its job."""


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One line of the doctor: what was looked at, how it stands, and what to do."""

    area: str
    """configuration, environment, slack, redis, clock, metrics, scaler or alertmanager."""
    state: Level
    text: str
    remedy: str = ""
    """Empty when all is well."""


def ok(area: str, text: str) -> CheckFinding:
    """All is well."""
    return CheckFinding(area, Level.OK, text)


def warning(area: str, text: str, remedy: str) -> CheckFinding:
    """It works, but."""
    return CheckFinding(area, Level.WARNING, text, remedy)


def problem(area: str, text: str, remedy: str) -> CheckFinding:
    """It does not work."""
    return CheckFinding(area, Level.PROBLEM, text, remedy)


def from_sentence(area: str, sentence: str, remedy: str, state: Level = Level.PROBLEM) -> CheckFinding:
    """A finding of a sentence that has its own remedy after the first semicolon; `remedy` is for one without."""
    text, found, told = sentence.partition("; ")
    return CheckFinding(area, state, text, told) if found else CheckFinding(area, state, sentence, remedy)


def failed(findings: Iterable[CheckFinding]) -> bool:
    """Whether `tailback check` exits with 1."""
    return any(finding.state is Level.PROBLEM for finding in findings)


def for_people(findings: Sequence[CheckFinding]) -> str:
    """One line for each, the worst last, where the eye is when the command ends; then the sum."""
    order = list(Level)
    lines = [_line(finding) for finding in sorted(findings, key=lambda finding: order.index(finding.state))]
    numbers = {state: sum(finding.state is state for finding in findings) for state in Level}
    total = (
        f"{count(numbers[Level.PROBLEM], 'problem')}, {count(numbers[Level.WARNING], 'warning')}, "
        f"{numbers[Level.OK]:,} in order."
    )
    return "\n".join([*lines, total])


def for_machines(findings: Sequence[CheckFinding]) -> str:
    """`{"ok": …, "findings": [{"area", "state", "text", "remedy"}]}`."""
    rows = [asdict(finding) for finding in findings]
    return json.dumps({"ok": not failed(findings), "findings": rows}, indent=2)


def _line(finding: CheckFinding) -> str:
    said = f"{finding.state:<8} {finding.area:<13} {_sentence(finding.text)}"
    line = f"{said} To do: {_sentence(finding.remedy)}" if finding.remedy else said
    return " ".join(line.splitlines())


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."

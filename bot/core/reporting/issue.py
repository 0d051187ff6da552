"""The GitHub issue of an incident: its parts, and the marker by which it is found again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from enum import StrEnum

from bot.core.durations import zone
from bot.core.incident.details.requests import IssueNoted, IssueStep
from bot.core.incident.incident import Incident

_MARK = "<!-- tailback incident"


class IssuePart(StrEnum):
    """The parts of an issue; `[issues] headings` names and orders them."""

    STATUS = "status"
    ALERT = "alert"
    TIMELINE = "timeline"
    IMPACT = "impact"
    CAUSE = "cause"
    MITIGATION = "mitigation"
    EFFECT = "effect"
    """What worked; without a heading of its own it follows what was tried."""
    FOLLOW_UP = "follow_up"


class Naming(StrEnum):
    """How an issue names people."""

    ROLES = "roles"
    """Responder A, Responder B, ..."""
    NAMES = "names"


SEV = "pytorch"
"""The preset of PyTorch's `ci: sev` issues."""


@dataclass(frozen=True, slots=True)
class IssueForm:
    preset: str
    zone: tzinfo
    """Of the timeline."""
    zone_name: str
    headings: Mapping[IssuePart, str] = field(default_factory=dict)
    """The parts to write, in order; empty: all of the preset."""


@dataclass(frozen=True, slots=True)
class FiledIssue:
    name: str
    """OWNER/NAME#12."""
    url: str
    labels: tuple[str, ...] = ()


NO_HEADINGS: Mapping[IssuePart, str] = {}


def form_of(preset: str, zone_name: str = "", headings: Mapping[IssuePart, str] = NO_HEADINGS) -> IssueForm:
    """The form of a preset; its own time zone unless `zone_name` names one, UTC where no zone data is installed."""
    pacific = preset == SEV and not zone_name
    name = zone_name or ("America/Los_Angeles" if pacific else "UTC")
    try:
        return IssueForm(preset, zone(name), "Pacific" if pacific else name, headings)
    except ValueError:
        return IssueForm(preset, UTC, "UTC", headings)


def marker(incident_id: str) -> str:
    """The last line of an incident's issue; GitHub does not show it."""
    return f"{_MARK} {incident_id} -->"


def is_own(body: str) -> bool:
    """Whether the last line of an issue's text is such a marker; text further up may have been written by anybody."""
    return body.rstrip().rpartition("\n")[2].startswith(_MARK)


def issue_of(incident: Incident) -> IssueNoted | None:
    """The issue that was filed; None if none was."""
    steps = [one.details for one in incident.log.timeline if isinstance(one.details, IssueNoted)]
    return next((one for one in steps if one.step is IssueStep.FILED), None)


def being_filed(incident: Incident) -> bool:
    return any(
        isinstance(one.details, IssueNoted) and one.details.step is IssueStep.ASKED and not one.answered
        for one in incident.log.timeline
    )

"""What is wrong with this process and its dependencies right now."""

from dataclasses import dataclass


@dataclass(slots=True)
class Health:
    """One sentence per dependency, for /readyz and the log; an empty text means that it works. Never stored."""

    redis: str = ""
    slack: str = ""
    slack_refused_at: float | None = None
    """When (epoch seconds) Slack refused the token: from then on one call in 10 s, of all processes, tries it."""
    socket_mode: str = ""
    records: str = ""
    """Says that records were lost and are being recovered; no action is done until then."""
    charts: str = ""
    """Why the last chart could not be shown: the log says it once, not for every reply."""

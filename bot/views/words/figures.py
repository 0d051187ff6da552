"""The names of figures, for sentences about unknown ones."""

FIGURES = {
    "api_remaining": "what is left of the API limit",
    "arrivals_by_source": "the sources of new jobs",
    "arrivals_per_minute": "arrivals",
    "booting": "booting runners",
    "busy": "busy runners",
    "changes": "releases and changes",
    "completions_per_minute": "completions",
    "create_failures": "failed creates",
    "create_failures_by_code": "the reasons of failed creates",
    "creates": "created machines",
    "failed": "failed runners",
    "idle": "idle runners",
    "limit": "the runner limit",
    "offline": "offline runners",
    "oldest_wait_seconds": "the oldest wait",
    "provider_up": "the CI provider's state",
    "registered": "registered runners",
    "running_longest_seconds": "the longest running job",
    "starts_per_minute": "starts",
    "usual_by_source": "the usual sources",
    "usual_offline": "how many are usually offline",
}
"""Figures that a rule may lack."""

GAPS = {
    "source": "one of its sources",
    "rates": "arrivals, starts and completions per minute",
    "runners": "busy, idle and offline",
    "webhooks": "comparison of the webhooks with GitHub",
}
"""Gaps of a source that are more than one figure."""


def gap_name(figure: str) -> str:
    """The name of a gap; for a single figure the name of its setting."""
    return GAPS.get(figure, figure)

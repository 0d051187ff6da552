"""The names of figures, for sentences about unknown ones."""

FIGURES = {
    "api_remaining": "API quota",
    "arrivals_by_source": "sources of new jobs",
    "arrivals_per_minute": "arrivals",
    "booting": "booting runners",
    "busy": "busy runners",
    "changes": "releases and changes",
    "completions_per_minute": "completions",
    "create_failures": "failed launch requests",
    "create_failures_by_code": "reasons for failed launch requests",
    "creates": "created machines",
    "failed": "failed runners",
    "idle": "idle runners",
    "limit": "runner limit",
    "offline": "offline runners",
    "oldest_wait_seconds": "longest wait",
    "provider_up": "CI provider status",
    "registered": "registered runners",
    "running_longest_seconds": "longest running job",
    "starts_per_minute": "starts",
    "usual_by_source": "usual sources",
    "usual_offline": "usual number of offline runners",
}
"""Figures that a rule may lack."""

GAPS = {
    "source": "one of the sources",
    "rates": "arrivals, starts and completions per minute",
    "runners": "busy, idle and offline runners",
    "webhooks": "comparison of the webhooks with GitHub",
}
"""Gaps of a source that are more than one figure."""


def gap_name(figure: str) -> str:
    """The name of a gap; for a single figure the name of its setting."""
    return GAPS.get(figure, figure)

"""What people outside Slack read, and what the thread says of it."""

from bot.core.incident.details.general import Paged
from bot.core.paging.page import PageAction

ENDINGS = {
    PageAction.TRIGGER: "Nobody has acknowledged it in Slack.",
    PageAction.ACKNOWLEDGE: "Acknowledged in Slack.",
    PageAction.RESOLVE: "The incident is over.",
}


def page_text(action: PageAction, headline: str) -> str:
    """The text of a page: pool, queue and wait, and why it comes."""
    return f"{headline}. {ENDINGS[action]}"


def paged_words(told: Paged) -> str:
    """`Paged oncall.`, or that the pager could not be reached."""
    if told.problem:
        return f"Could not page {told.pager}: {told.problem}. I keep trying."
    return f"Paged {told.pager}."

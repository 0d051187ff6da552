"""Reads GitHub's status page: whether GitHub reports that Actions works."""

from collections.abc import Callable

from bot.adapters.http.client import Http
from bot.adapters.http.json_answer import one_line
from bot.adapters.metrics.listing import Listed
from bot.adapters.metrics.rows import rows
from bot.sources.payload import fields

GOOD_SECONDS = 60.0
"""How long a response of the status page is valid."""
COMPONENT = "Actions"
UP = {"operational": True, "partial_outage": False, "major_outage": False}
"""A degraded service assigns some jobs late, which is neither up nor down."""


ProviderStatus = tuple[bool | None, str]
"""(whether GitHub says that Actions works, in what words); None: it does not say."""


async def assigns(http: Http, now: Callable[[], float]) -> Listed[ProviderStatus]:
    """What a page in the format of https://www.githubstatus.com/api/v2/components.json says. Raises Unreachable."""
    at, body = now(), await http.get_json()
    for one in rows(fields(body).get("components")):
        if one.get("name") == COMPONENT:
            word = one_line(str(one.get("status")), 40)
            words = f"GitHub's status page says {word.replace('_', ' ')} of {COMPONENT}"
            return Listed((UP.get(word), words), at)
    return Listed((None, f"{http.system}: its answer names no component {COMPONENT}; correct status_url"), at)

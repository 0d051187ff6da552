"""Reads GitHub's status page: whether GitHub reports that Actions works."""

from collections.abc import Callable

from bot.adapters.http.client import Http
from bot.adapters.http.json_answer import one_line
from bot.adapters.metrics.rows import rows
from bot.ports import Unreachable
from bot.sources.payload import fields

GOOD_SECONDS = 60.0
"""How long a response of the status page is valid."""
COMPONENT = "Actions"
UP = {"operational": True, "partial_outage": False, "major_outage": False}
"""A degraded service assigns some jobs late, which is neither up nor down."""


class StatusPage:
    """The component Actions of a page in the format of https://www.githubstatus.com/api/v2/components.json."""

    def __init__(self, http: Http, now: Callable[[], float]) -> None:
        self._http, self._now = http, now
        self._at = 0.0
        self._said: tuple[bool | None, str] = (None, "not asked yet")

    async def assigns(self) -> tuple[bool | None, str]:
        """Whether GitHub says that Actions works, or why that is unknown; asks at most once a minute, never raises."""
        if not 0 <= self._now() - self._at < GOOD_SECONDS:
            self._at = self._now()
            self._said = await self._asked()
        return self._said

    async def _asked(self) -> tuple[bool | None, str]:
        try:
            body = await self._http.get_json()
        except Unreachable as error:
            return None, str(error)
        for one in rows(fields(body).get("components")):
            if one.get("name") == COMPONENT:
                word = one_line(str(one.get("status")), 40)
                return UP.get(word), f"GitHub's status page says {word.replace('_', ' ')} of {COMPONENT}"
        return None, f"{self._http.system}: its answer names no component {COMPONENT}; correct status_url"

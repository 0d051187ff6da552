"""A running Tailback, asked through its API; for the commands on an engineer's machine."""

from collections.abc import Mapping
from urllib.parse import quote

from bot.adapters.http.client import Http, HttpPool, bearer
from bot.ports import Refused

PREFIX = "/api/v1"
ANSWERS = frozenset({401, 429})
"""Refusals whose sentence is told."""
SECONDS = 20.0
"""A diagnosis measures for up to 8 s."""


class TailbackApi:
    def __init__(self, pool: HttpPool, url: str, token: str) -> None:
        self._http: Http = pool.http("Tailback", url, headers=bearer(token), answers=ANSWERS, seconds=SECONDS)

    async def get(self, *path: str, **query: str | int) -> Mapping[str, object]:
        """`get("pools", "a/b", "effects", added="10")`: the object; empty parameters are left out.

        Raises Refused with the API's own sentence, and Unreachable.
        """
        names = "/".join(quote(part, safe="") for part in path)
        given = {name: str(value) for name, value in query.items() if value != ""}
        answer = await self._http.get(f"{PREFIX}/{names}", given)
        if answer.ok and isinstance(answer.body, dict):
            return answer.body
        if answer.status == 401:
            raise Refused("Tailback does not know this token; set TAILBACK_API_TOKEN to one of [api].")
        if not isinstance(answer.body, dict) or "detail" not in answer.body:
            raise Refused(f"There is no API at this address (HTTP {answer.status}); set TAILBACK_URL, and [api] there.")
        raise Refused(answer.text)

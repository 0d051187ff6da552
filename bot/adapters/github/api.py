"""Calls GitHub's REST API within its rate limits; refusals name their remedy."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import NamedTuple, Protocol, TypeVar

from bot.adapters.http.client import Http, HttpAnswer, retry_after
from bot.adapters.http.json_answer import one_line
from bot.core.words import clock, count
from bot.ports import Failure, Unreachable

A = TypeVar("A")
AT_ONCE = 6
"""GitHub asks for few requests at once."""
HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28", "User-Agent": "Tailback"}
MOVED = frozenset({301, 302, 307, 308})
"""Statuses of a renamed or transferred repository; GitHub redirects to its number."""
ANSWERS = frozenset({304, 401, 403, 429}) | MOVED
"""Statuses that are handled here: "not modified", and refusals whose headers explain them."""
DECISIONS = frozenset({404, 409, 422})
"""Statuses of a change that GitHub does not make, and whose meaning the caller knows."""
SECONDARY_SECONDS = 60.0
"""The shortest pause after a secondary limit without a time; doubles while GitHub keeps refusing."""
LONGEST_SECONDS = 900.0
LONGEST_HOUR_SECONDS = 7200.0
"""GitHub's limits are hourly, so no header makes us wait longer, even when clocks differ (C17)."""
MOST_DIGITS = 12
ID_PATH = re.compile(r"/repositories/\d{1,15}(?:/[A-Za-z0-9_-]{1,40}){1,6}")


class Keys(Protocol):
    remedy: str
    """Remedy for refused credentials."""

    async def headers(self) -> Mapping[str, str]:
        """Headers with the credentials. Raises Unreachable if none are available."""

    def refused(self) -> None:
        """GitHub refused it: stop using it."""


class Token:
    """A personal access token; the HTTP client itself sends it."""

    def __init__(self, variable: str) -> None:
        """`variable` is named when the token is refused."""
        self.remedy = f"put a valid token into {variable}"

    async def headers(self) -> Mapping[str, str]:
        return {}

    def refused(self) -> None:
        """Stays refused until somebody changes the variable."""


class Absent(Unreachable):
    """GitHub has no such object, or the credentials may not see it."""


class Trouble(NamedTuple):
    """Why data is unknown, and the remedy; false if nothing is wrong."""

    why: str = ""
    remedy: str = ""

    def __bool__(self) -> bool:
        return bool(self.why)


NO_TROUBLE = Trouble()


def trouble_of(error: Unreachable) -> Trouble:
    return Trouble(error.what, error.remedy)


class Allowance:
    def __init__(self, calls: int, part_of: "Allowance | None" = None) -> None:
        self.whole = self._left = calls
        self._part_of = part_of

    @property
    def left(self) -> int:
        return min(self._left, self._part_of.left) if self._part_of else self._left

    def share(self, part: float) -> "Allowance":
        """An allowance for a part of these calls, which counts here too."""
        return Allowance(max(1, round(self.whole * part)), self)

    def take(self) -> bool:
        """Whether another call may be made; counts it."""
        if self.left <= 0:
            return False
        self._left -= 1
        return self._part_of is None or self._part_of.take()

    def used_up(self) -> Trouble:
        whole = self._part_of.whole if self._part_of else self.whole
        return Trouble(f"the {count(whole, 'call')} of one round were used up", "raise budget")


class GitHubApi:
    """GitHub's API for one set of credentials. Every call raises Unreachable while a limit applies."""

    def __init__(self, http: Http, keys: Keys, now: Callable[[], float], reserve: int) -> None:
        """`http` accepts ANSWERS; `now`: epoch seconds; `reserve` calls per hour are left to others."""
        self._http, self._keys, self.now, self._reserve = http, keys, now, reserve
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._left: int | None = None
        self._of, self._resets_at = 0, 0.0
        self._quiet_until, self._strikes, self._why = 0.0, 0, ""

    @property
    def remaining(self) -> int | None:
        """Remaining calls of this hour; None if GitHub has not said."""
        return None if self.now() >= self._resets_at else self._left

    async def get(self, path: str, params: Mapping[str, str], etag: str = "") -> HttpAnswer:
        """GET; returns a 200, or a 304 when `etag` still matches. Anything else raises Unreachable."""
        async with self._slots:
            self._may_ask()
            headers = {**HEADERS, **await self._keys.headers(), **({"If-None-Match": etag} if etag else {})}
            answer = await self._http.get(path, params, headers)
            if answer.status in MOVED:
                self._note(answer.headers)
                answer = await self._http.get(self._led_to(path, answer), params, headers)
        self._note(answer.headers)
        if answer.status in {200, 304}:
            self._strikes = 0
            return answer
        raise self._refusal(path, answer)

    async def send(self, method: str, path: str, body: object = None) -> HttpAnswer:
        """Change something; returns any 2xx, 404, 409 or 422. Anything else raises Unreachable."""
        async with self._slots:
            self._may_ask()
            answer = await self._http.send(method, path, body, {**HEADERS, **await self._keys.headers()})
        self._note(answer.headers)
        if answer.ok or answer.status in DECISIONS:
            self._strikes = 0
            return answer
        raise self._refusal(path, answer, "change")

    def problem(self, what: str, failure: Failure = Failure.SHAPE, *, remedy: str = "") -> Unreachable:
        """The error to raise for an answer that cannot be used."""
        return self._http.problem(what, failure, remedy=remedy)

    def _led_to(self, path: str, answer: HttpAnswer) -> str:
        """The target of a moved repository's redirect; followed once, and only on the configured host."""
        address = answer.headers.get("location", "").partition("?")[0]
        new = address.removeprefix(self._http.url)
        if new == address or not ID_PATH.fullmatch(new):
            raise self._moved(path, answer)
        return new

    def _may_ask(self) -> None:
        now = self.now()
        if now < self._quiet_until:
            raise self._quiet(now)
        if self._left is not None and self._left < self._reserve and now < self._resets_at:
            words = f"{count(self._left, 'call')} of {self._of:,} left until {clock(self._resets_at)} UTC"
            kept = f"{self._reserve:,} are kept back for others"
            remedy = "use credentials of its own, or lower reserve"
            raise self._http.problem(f"{words}, and {kept}", Failure.LATER, self._resets_at - now, remedy=remedy)

    def _note(self, headers: Mapping[str, str]) -> None:
        """Store GitHub's hourly limit; responses that arrive out of order never raise it."""
        left, ends = _number(headers.get("x-ratelimit-remaining")), _number(headers.get("x-ratelimit-reset"))
        if left is None or ends is None or headers.get("x-ratelimit-resource", "core") != "core":
            return
        resets_at = min(float(ends), self.now() + LONGEST_HOUR_SECONDS)
        same = self._left is not None and resets_at == self._resets_at
        self._left = min(left, self._left) if same and self._left is not None else left
        self._of, self._resets_at = _number(headers.get("x-ratelimit-limit")) or left, resets_at

    def _refusal(self, path: str, answer: HttpAnswer, verb: str = "read") -> Unreachable:
        if answer.status == 401:
            self._keys.refused()
            words = f"refused the credentials (HTTP 401: {answer.text})"
            return self._http.problem(words, Failure.CREDENTIALS, remedy=self._keys.remedy)
        if answer.status in {403, 429}:
            return self._limited(answer) or self._forbidden(path, answer, verb)
        if answer.status in MOVED:
            return self._moved(path, answer)
        if answer.status in {404, 410}:
            what, remedy = _thing(path)
            what = f"HTTP {answer.status} for {path}: {what}"
            return Absent(self._http.system, what, remedy=remedy, failure=Failure.SHAPE)
        return self._http.problem(f"answered HTTP {answer.status} for {path}: {answer.text}", Failure.SHAPE)

    def _moved(self, path: str, answer: HttpAnswer) -> Unreachable:
        name = "/".join(path.split("/")[2:4])
        what = f"{name} has another name or another owner now, or url is not the final address"
        what = f"HTTP {answer.status} for {path}: {what}"
        return self._http.problem(what, Failure.SHAPE, remedy="correct repositories or url")

    def _limited(self, answer: HttpAnswer) -> Unreachable | None:
        """The pause for a rate limit; None if the refusal has another reason.

        The order is that of GitHub's "Rate limits for the REST API": Retry-After, the end of the hour, a minute.
        """
        now, words = self.now(), answer.text.lower()
        spent = answer.headers.get("x-ratelimit-remaining") == "0" and self._resets_at > now
        rate_limited = answer.status == 429 or "rate limit" in words or "abuse" in words
        if not (spent or rate_limited or "retry-after" in answer.headers):
            return None
        if "retry-after" in answer.headers:
            pause = retry_after(answer.headers["retry-after"])
        elif spent:
            pause = self._resets_at - now
        else:
            pause = min(SECONDARY_SECONDS * 2**self._strikes, LONGEST_SECONDS)
            self._strikes += 1
        self._quiet_until = max(self._quiet_until, now + pause)
        self._why = f"limits the rate of requests (HTTP {answer.status}: {answer.text})"
        return self._quiet(now)

    def _quiet(self, now: float) -> Unreachable:
        until = f"nothing is asked before {clock(self._quiet_until)} UTC"
        return self._http.problem(self._why, Failure.LATER, self._quiet_until - now, remedy=until)

    def _forbidden(self, path: str, answer: HttpAnswer, verb: str) -> Unreachable:
        permission = one_line(answer.headers.get("x-accepted-github-permissions", ""))
        if answer.headers.get("x-github-sso", "").startswith("required"):
            remedy = "authorise the token for the organisation's single sign-on, in the token's settings"
        elif permission:
            remedy = f"give the credentials the permission {permission}"
        else:
            remedy = "give the credentials the permissions that docs/integrations/github.md lists"
        words = f"may not {verb} {path} (HTTP {answer.status}: {answer.text})"
        return self._http.problem(words, Failure.CREDENTIALS, remedy=remedy)


async def together(calls: Iterable[Awaitable[A]]) -> list[A]:
    """All results; the first problem is raised after all of them have ended."""
    found = await asyncio.gather(*calls, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            del found  # or the problem would keep all results until the next look for garbage
            raise one
    return [one for one in found if not isinstance(one, BaseException)]


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None


def _thing(path: str) -> tuple[str, str]:
    """(possible problem, remedy): GitHub responds with 404 also if the credentials may not see it."""
    parts = path.split("/")
    if parts[1] == "enterprises":
        what = f"there is no enterprise {parts[2]}, or the credentials may not see its runners"
        own = "use a classic token of an owner of it with manage_runners:enterprise"
        return what, f"correct enterprises, or {own}"
    if parts[1] == "orgs":
        what = f"there is no organisation {parts[2]}, or the credentials may not see its runners"
        return what, "correct organizations, or give them self-hosted runners: read"
    what = f"there is no repository {'/'.join(parts[2:4])}, or the credentials may not see it"
    return what, "correct repositories, or let them read it"

"""Reads paginated lists of GitHub's REST API to the end; unchanged pages are not sent again."""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar, cast

from bot.adapters.github.api import Allowance, GitHubApi, together
from bot.adapters.github.trouble import NO_TROUBLE, Trouble
from bot.adapters.http.client import HttpAnswer
from bot.core.words import count
from bot.ports import Failure, Unreachable
from bot.sources.payload import fields

SIZES = (100, 50, 25)
SLOW_SECONDS = 10.0
"""GitHub ends answers after about ten seconds with an error, so slower pages are asked for in smaller pieces."""
FASTER = 0.7
"""A page of half the size has to take less than this share of the time, else the larger one is better."""
FAILURES = 2
KEPT_SECONDS = 120.0
"""How long a page, and a complete list, counts while newer ones fail or take long."""
KEPT_PAGES = 600
SHORT = 0.02
"""Lists change while they are read; up to this share may be missed."""
MOST_DIGITS = 9
MOST_LINK_CHARS = 4_000
"""Longest accepted Link header; GitHub's has a few hundred characters."""
LINK = re.compile(r'<[^<>]*[?&]page=(\d+)[^<>]*>;\s*rel="(next|last)"')


class Known(Protocol):
    @property
    def id(self) -> str:
        """The number, as text."""


T = TypeVar("T", bound=Known)


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    etag: str
    items: tuple[T, ...]
    total: int | None
    """The length of the whole list; None if unknown."""
    last: int
    """The number of the last page."""
    at: float = 0.0
    """When it was read (epoch seconds)."""


@dataclass(frozen=True, slots=True)
class GitHubListing(Generic[T]):
    items: tuple[T, ...]
    gap: Trouble = NO_TROUBLE
    """Why it is not whole, with a remedy; empty when it is."""
    at: float = 0.0
    """When its oldest page was read (epoch seconds)."""


class Walk:
    """One list that is being read, possibly over several rounds."""

    def __init__(self) -> None:
        self.size, self.pages = SIZES[0], 1
        self.done: dict[int, Page[Any]] = {}
        """The pages that were read since the list was last complete."""
        self.last: GitHubListing[Any] | None = None
        self._now, self._seconds = 0.0, dict[int, float]()
        self._failures = 0

    def begin(self, now: float) -> None:
        """A round begins: pages that are too old are read again."""
        self._now = now
        self.done = {number: page for number, page in self.done.items() if 0 <= now - page.at < KEPT_SECONDS}

    def recent(self) -> bool:
        return self.last is not None and 0 <= self._now - self.last.at < KEPT_SECONDS

    def took(self, number: int, page: "Page[Any]", seconds: float) -> None:
        """A page was read in so many seconds."""
        self.done[number], self.pages, self._failures = page, page.last, 0
        self._seconds[self.size] = max(seconds, 0.5 * self._seconds.get(self.size, 0.0))

    def ended(self, listing: "GitHubListing[Any]") -> None:
        """The list was read to its end; the next one may have pages of another size."""
        self.last, self.done = None if listing.gap else listing, {}
        self._resize(self._seconds.get(self.size, 0.0) > SLOW_SECONDS)

    def failed(self, problem: Unreachable) -> None:
        """A page failed twice; after two such rounds the pages become smaller."""
        self._failures += problem.failure is Failure.LATER and problem.retry_after_seconds is None
        if self._failures >= FAILURES:
            self._failures = 0
            self._resize(slow=True)

    def _resize(self, slow: bool) -> None:
        """Half the size while that makes pages faster; back to the larger one where it does not."""
        place, now = SIZES.index(self.size), self._seconds.get(self.size)
        larger = self._seconds.get(SIZES[place - 1]) if place else None
        if now is not None and larger is not None and now > FASTER * larger:
            self._move(SIZES[place - 1])
        elif slow and place + 1 < len(SIZES) and SIZES[place + 1] not in self._seconds:
            self._move(SIZES[place + 1])

    def _move(self, size: int) -> None:
        if size != self.size:
            self.pages = max(1, -(-self.pages * self.size // size))
            self.size, self.done = size, {}


class Pages(Generic[T]):
    def __init__(self, api: GitHubApi, key: str, parse: Callable[[Mapping[str, object]], T | None]) -> None:
        """`key` names the list in the response; empty if the response is the list."""
        self._api, self._key, self._parse = api, key, parse
        self._known: OrderedDict[str, Page[T]] = OrderedDict()
        self._walks: dict[str, Walk] = {}

    async def whole(self, path: str, params: Mapping[str, str], spend: Allowance) -> GitHubListing[T]:
        """The complete list. Raises Unreachable if a page cannot be read, unless a recent complete list is known.

        Every finished page counts for a while: a list that was interrupted by an error, a time limit or the end of the
        budget is continued by the next call. Pages are smaller while answers are slow.
        """
        walk = self._walks.setdefault(f"{path}?{sorted(params.items())}", Walk())
        walk.begin(self._api.now())
        try:
            listing = await self._walked(walk, path, params, spend)
        except Unreachable as problem:
            walk.failed(problem)
            if problem.failure is not Failure.LATER or problem.retry_after_seconds is not None or not walk.recent():
                raise
            return cast("GitHubListing[T]", walk.last)
        if listing.gap and not listing.at:  # the budget ended, and the next round goes on
            return cast("GitHubListing[T]", walk.last) if walk.recent() else listing
        walk.ended(listing)
        return listing

    async def _walked(self, walk: "Walk", path: str, params: Mapping[str, str], spend: Allowance) -> GitHubListing[T]:
        """Read the pages that the walk lacks: all that the last one had at once, then any further ones."""
        numbers = [number for number in range(1, walk.pages + 1) if number not in walk.done]
        if (walk.pages > 1 or not walk.done) and len(numbers) > spend.left:
            numbers = numbers[: max(spend.left, 0)]
        await together(self._page(walk, path, params, number, spend) for number in numbers)
        if walk.pages > KEPT_PAGES:
            refusal, walk.pages, walk.done = _too_long(path, walk.pages, spend), 1, {}
            return GitHubListing((), refusal)
        while 1 in walk.done and (number := len(walk.done) + 1) <= walk.pages:
            rest = [one for one in range(2, walk.pages + 1) if one not in walk.done]
            if not spend.left:
                return GitHubListing((), _too_long(path, walk.pages, spend))
            await together(self._page(walk, path, params, one, spend) for one in rest[: spend.left])
            if len(walk.done) < number:
                break
        if 1 not in walk.done:
            return GitHubListing((), spend.used_up())
        pages = [cast("Page[T]", walk.done[number]) for number in sorted(walk.done) if number <= walk.pages]
        return self._joined(path, pages)

    def _joined(self, path: str, pages: list[Page[T]]) -> GitHubListing[T]:
        items = tuple({item.id: item for page in pages for item in page.items}.values())
        total, at = pages[-1].total, min(page.at for page in pages)
        if total is None or total - len(items) <= SHORT * total:
            return GitHubListing(items, at=at)
        gap = Trouble(f"GitHub listed {len(items):,} of {total:,} entries of {path}", "look again in a minute")
        return GitHubListing(items, gap, at)

    async def _page(self, walk: "Walk", path: str, params: Mapping[str, str], number: int, spend: Allowance) -> None:
        """Read one page into the walk, unless no calls are left; a server error or a time-out is tried once more."""
        for last in (False, True):
            if not spend.take():
                return
            try:
                await self._ask(walk, path, params, number)
            except Unreachable as problem:
                if last or problem.failure is not Failure.LATER or problem.retry_after_seconds is not None:
                    raise
            else:
                return

    async def _ask(self, walk: "Walk", path: str, params: Mapping[str, str], number: int) -> None:
        asked = {**params, "per_page": str(walk.size), **({"page": str(number)} if number > 1 else {})}
        place, began = f"{path}?{sorted(asked.items())}", self._api.now()
        known = self._known.get(place)
        answer = await self._api.get(path, asked, known.etag if known else "")
        read = self._read(path, answer, number) if answer.status == 200 or known is None else known
        page = replace(read, at=began)
        self._known[place] = page
        self._known.move_to_end(place)
        while len(self._known) > KEPT_PAGES:
            self._known.popitem(last=False)
        walk.took(number, page, answer.seconds)

    def _read(self, path: str, answer: HttpAnswer, number: int) -> Page[T]:
        body = fields(answer.body)
        rows = body.get(self._key) if self._key else answer.body
        if not isinstance(rows, list):
            wrong = f"the answer to {path} has no list{f' of {self._key}' if self._key else ''}"
            raise self._api.problem(wrong, remedy="check that url is the address of GitHub's REST API")
        link = answer.headers.get("link", "")[:MOST_LINK_CHARS]
        links = {name: int(page[:MOST_DIGITS]) for page, name in LINK.findall(link)}
        total = body.get("total_count")
        return Page(
            answer.headers.get("etag", ""),
            tuple(item for row in rows if isinstance(row, dict) and (item := self._parse(row)) is not None),
            total if isinstance(total, int) else None,
            max(links.get("last", links.get("next", number)), number),
        )


def _too_long(path: str, pages: int, spend: Allowance) -> Trouble:
    gap = spend.used_up()
    return Trouble(f"{path} has {count(pages, 'page')}, and {gap.why}", gap.remedy)

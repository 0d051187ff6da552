"""Reads paginated lists of GitHub's REST API to the end; unchanged pages are not sent again."""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from bot.adapters.github.api import NO_TROUBLE, Allowance, GitHubApi, Trouble, together
from bot.adapters.http.client import HttpAnswer
from bot.adapters.http.rows import rows
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

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    etag: str
    items: Mapping[str, T]
    """By id, as text."""
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


@dataclass(slots=True)
class Walk(Generic[T]):
    """One list that is being read, possibly over several rounds."""

    path: str
    params: Mapping[str, str]
    size: int = SIZES[0]
    pages: int = 1
    done: dict[int, Page[T]] = field(default_factory=dict)
    """The pages that were read since the list was last complete."""
    last: GitHubListing[T] | None = None
    """The newest complete list."""
    seconds: dict[int, float] = field(default_factory=dict)
    """Size of a page → how long such pages took lately."""
    failures: int = 0

    def took(self, number: int, page: Page[T], seconds: float) -> None:
        """A page was read in so many seconds."""
        self.done[number], self.pages, self.failures = page, page.last, 0
        self.seconds[self.size] = max(seconds, 0.5 * self.seconds.get(self.size, 0.0))

    def ended(self, listing: GitHubListing[T]) -> None:
        """The list was read to its end; the next one may have pages of another size."""
        self.last, self.done = None if listing.gap else listing, {}
        self._resize(slow=self.seconds.get(self.size, 0.0) > SLOW_SECONDS)

    def failed(self) -> None:
        """A page failed twice; after two such rounds the pages become smaller."""
        self.failures += 1
        if self.failures >= FAILURES:
            self.failures = 0
            self._resize(slow=True)

    def _resize(self, *, slow: bool) -> None:
        """Half the size while that makes pages faster; back to the larger one where it does not."""
        place, now, size = SIZES.index(self.size), self.seconds.get(self.size), self.size
        larger = self.seconds.get(SIZES[place - 1]) if place else None
        if now is not None and larger is not None and now > FASTER * larger:
            size = SIZES[place - 1]
        elif slow and place + 1 < len(SIZES) and SIZES[place + 1] not in self.seconds:
            size = SIZES[place + 1]
        if size != self.size:
            self.pages = max(1, -(-self.pages * self.size // size))
            self.size, self.done = size, {}


class Pages(Generic[T]):
    def __init__(self, api: GitHubApi, key: str, parse: Callable[[Mapping[str, object]], T | None]) -> None:
        """`key` names the list in the response; empty if the response is the list. Rows without an id are left out."""
        self._api, self._key, self._parse = api, key, parse
        self._known: OrderedDict[str, Page[T]] = OrderedDict()
        self._walks: OrderedDict[str, Walk[T]] = OrderedDict()
        self._size = SIZES[0]
        """The size that a list had to change to last: others of this kind begin with it."""

    async def whole(self, path: str, params: Mapping[str, str], spend: Allowance) -> GitHubListing[T]:
        """The complete list. Raises Unreachable if a page cannot be read, unless a recent complete list is known.

        Every finished page counts for a while: a list that was interrupted by an error, a time limit or the end of the
        budget is continued by the next call. Pages are smaller while answers are slow.
        """
        place, now = f"{path}?{sorted(params.items())}", self._api.now()
        walk = self._walks.setdefault(place, Walk(path, params, self._size))
        self._walks.move_to_end(place)
        while len(self._walks) > KEPT_PAGES:
            self._walks.popitem(last=False)
        walk.done = {number: page for number, page in walk.done.items() if 0 <= now - page.at < KEPT_SECONDS}
        recent = walk.last if walk.last and 0 <= now - walk.last.at < KEPT_SECONDS else None
        try:
            listing = await self._walked(walk, spend)
        except Unreachable as problem:
            if not _passes(problem):
                raise
            self._resized(walk, walk.failed)
            if recent is None:
                raise
            return recent
        if listing.gap and not listing.at:  # the budget ended, and the next round goes on
            return recent or listing
        self._resized(walk, lambda: walk.ended(listing))
        return listing

    def _resized(self, walk: Walk[T], change: Callable[[], None]) -> None:
        before = walk.size
        change()
        if walk.size != before:
            self._size = walk.size

    async def _walked(self, walk: Walk[T], spend: Allowance) -> GitHubListing[T]:
        """Read the pages that the walk lacks: all that the last one had at once, then any further ones."""
        while True:
            endless = walk.pages > KEPT_PAGES
            missing = [] if endless else [number for number in range(1, walk.pages + 1) if number not in walk.done]
            if endless or (missing and not spend.left):
                gap, pages, begun = spend.used_up(), walk.pages, 1 in walk.done
                if endless:
                    walk.pages, walk.done = 1, {}
                why = f"{walk.path} has {count(pages, 'page')}, and {gap.why}" if begun else gap.why
                return GitHubListing((), Trouble(why, gap.remedy))
            if not missing:
                return _joined(walk)
            await together(self._page(walk, number, spend) for number in missing)

    async def _page(self, walk: Walk[T], number: int, spend: Allowance) -> None:
        """Read one page into the walk, unless no calls are left; a server error or a time-out is tried once more."""
        for last in (False, True):
            if not spend.take():
                return
            try:
                await self._ask(walk, number)
            except Unreachable as problem:
                if last or not _passes(problem):
                    raise
            else:
                return

    async def _ask(self, walk: Walk[T], number: int) -> None:
        params = {**walk.params, "per_page": str(walk.size), **({"page": str(number)} if number > 1 else {})}
        place, began = f"{walk.path}?{sorted(params.items())}", self._api.now()
        known = self._known.get(place)
        answer = await self._api.get(walk.path, params, known.etag if known else "")
        read = self._read(walk.path, answer, number) if answer.status == 200 or known is None else known
        self._known[place] = page = replace(read, at=began)
        self._known.move_to_end(place)
        while len(self._known) > KEPT_PAGES:
            self._known.popitem(last=False)
        walk.took(number, page, answer.seconds)

    def _read(self, path: str, answer: HttpAnswer, number: int) -> Page[T]:
        body = fields(answer.body)
        found = body.get(self._key) if self._key else answer.body
        if not isinstance(found, list):
            wrong = f"the answer to {path} has no list{f' of {self._key}' if self._key else ''}"
            raise self._api.problem(wrong, remedy="check that url is the address of GitHub's REST API")
        parsed = {str(row["id"]): self._parse(row) for row in rows(found) if "id" in row}
        link = answer.headers.get("link", "")[:MOST_LINK_CHARS]
        links = {name: int(page[:MOST_DIGITS]) for page, name in LINK.findall(link)}
        total = body.get("total_count")
        return Page(
            answer.headers.get("etag", ""),
            {name: item for name, item in parsed.items() if item is not None},
            total if isinstance(total, int) else None,
            max(links.get("last", links.get("next", number)), number),
        )


def _joined(walk: Walk[T]) -> GitHubListing[T]:
    pages = [walk.done[number] for number in range(1, walk.pages + 1)]
    items = tuple({name: item for page in pages for name, item in page.items.items()}.values())
    total, at = pages[-1].total, min(page.at for page in pages)
    if total is None or total - len(items) <= SHORT * total:
        return GitHubListing(items, at=at)
    gap = Trouble(f"GitHub listed {len(items):,} of {total:,} entries of {walk.path}", "look again in a minute")
    return GitHubListing(items, gap, at)


def _passes(problem: Unreachable) -> bool:
    """Whether it is a server error or a time-out, and no limit that says how long it applies."""
    return problem.failure is Failure.LATER and problem.retry_after_seconds is None

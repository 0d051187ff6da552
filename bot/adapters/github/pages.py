"""Reads paginated lists of GitHub's REST API to the end; unchanged pages are not sent again."""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from bot.adapters.github.api import Allowance, GitHubApi, together
from bot.adapters.github.trouble import NO_TROUBLE, Trouble
from bot.adapters.http.client import HttpAnswer
from bot.core.words import count

PER_PAGE = "100"
KEPT_PAGES = 600
SHORT = 0.02
"""Lists change while they are read; up to this share may be missed."""
MOST_DIGITS = 9
MOST_LINK_CHARS = 4_000
"""Longest accepted Link header; GitHub's has a few hundred characters."""
LINK = re.compile(r'<[^<>]*[?&]page=(\d+)[^<>]*>;\s*rel="(next|last)"')


class Known(Protocol):
    """An object with a GitHub number."""

    @property
    def id(self) -> str:
        """The number, as text."""


T = TypeVar("T", bound=Known)


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """The last version of one page."""

    etag: str
    items: tuple[T, ...]
    total: int | None
    """The length of the whole list; None if unknown."""
    last: int
    """The number of the last page."""


@dataclass(frozen=True, slots=True)
class GitHubListing(Generic[T]):
    """A list without duplicates."""

    items: tuple[T, ...]
    gap: Trouble = NO_TROUBLE
    """Why it is not whole, with a remedy; empty when it is."""


class Pages(Generic[T]):
    """Reads lists of one kind."""

    def __init__(self, api: GitHubApi, key: str, parse: Callable[[Mapping[str, object]], T | None]) -> None:
        """`key` names the list in the response; empty if the response is the list."""
        self._api, self._key, self._parse = api, key, parse
        self._known: OrderedDict[str, Page[T]] = OrderedDict()

    async def whole(self, path: str, params: Mapping[str, str], spend: Allowance) -> GitHubListing[T]:
        """The complete list. Raises Unreachable if a page cannot be read."""
        first = await self._page(path, params, 1, spend)
        if first is None:
            return GitHubListing((), spend.used_up())
        if first.last - 1 > spend.left:
            return GitHubListing(first.items, _too_long(path, first.last, spend))
        rest = await together(self._page(path, params, n, spend) for n in range(2, first.last + 1))
        pages = [first, *(page for page in rest if page is not None)]
        while len(pages) < pages[-1].last:
            page = await self._page(path, params, len(pages) + 1, spend)
            if page is None:
                return GitHubListing(first.items, spend.used_up())
            pages.append(page)
        return self._joined(path, pages)

    def _joined(self, path: str, pages: list[Page[T]]) -> GitHubListing[T]:
        items = tuple({item.id: item for page in pages for item in page.items}.values())
        total = pages[-1].total
        if total is None or total - len(items) <= SHORT * total:
            return GitHubListing(items)
        gap = Trouble(f"GitHub listed {len(items):,} of {total:,} entries of {path}", "look again in a minute")
        return GitHubListing(items, gap)

    async def _page(self, path: str, params: Mapping[str, str], number: int, spend: Allowance) -> Page[T] | None:
        """One page; None if no calls are left."""
        if not spend.take():
            return None
        asked = {**params, "per_page": PER_PAGE, **({"page": str(number)} if number > 1 else {})}
        place = f"{path}?{sorted(asked.items())}"
        known = self._known.get(place)
        answer = await self._api.get(path, asked, known.etag if known else "")
        if answer.status == 200 or known is None:
            known = self._read(path, answer, number)
        self._known[place] = known
        self._known.move_to_end(place)
        while len(self._known) > KEPT_PAGES:
            self._known.popitem(last=False)
        return known

    def _read(self, path: str, answer: HttpAnswer, number: int) -> Page[T]:
        body = answer.body if isinstance(answer.body, dict) else {}
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

"""Reads GitLab's lists to the last page: by keyset where possible, else by offset."""

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from bot.adapters.http.client import Http, HttpAnswer
from bot.adapters.metrics.rows import Row, listing, whole
from bot.ports import Failure

MOST_PAGES = 30
PAGE = 100
NEXT = re.compile(r'<([^<>]+)>\s*;\s*rel="?next"?')


async def whole_list(http: Http, path: str, params: Mapping[str, str], what: str, remedy: str) -> tuple[Row, ...]:
    """Every row of a list; `what` and `remedy` describe the list if it does not exist.

    Only the parameters of the link to the next page are used, never its host, which may differ behind a proxy. An older
    GitLab without keyset for the list (HTTP 405) is read by offset. Raises Unreachable if a page fails, or with more
    than 3,000 rows.
    """
    asked = {**params, "per_page": str(PAGE)}
    found: list[Row] = []
    for _ in range(MOST_PAGES):
        answer = await http.get(path, asked)
        if answer.status == 405 and asked.pop("pagination", ""):
            continue
        if answer.status in {400, 404}:
            raise http.problem(
                f"has no {what} for this token (HTTP {answer.status}: {answer.text})", Failure.SHAPE, remedy=remedy
            )
        page = listing(http, answer, what)
        if any(whole(row, "id") is None for row in page):
            raise http.problem(
                f"{what}: its rows have no id, as those of GitLab have", Failure.SHAPE, remedy="check url"
            )
        found += page
        after = following(answer)
        if after is None:
            return tuple(found)
        asked = {**asked, **after}
    raise http.problem(f"the {what} has more than {MOST_PAGES * PAGE:,} rows, too many to list", Failure.SHAPE)


def following(answer: HttpAnswer) -> dict[str, str] | None:
    """The parameters of the next page; None on the last."""
    found = NEXT.search(answer.headers.get("link", ""))
    return dict(parse_qsl(urlsplit(found[1]).query)) if found else None

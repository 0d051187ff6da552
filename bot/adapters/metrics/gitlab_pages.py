"""GitLab's lists, followed to their last page: by keyset where the list has it, else by offset."""

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from bot.adapters.http.client import Http, HttpAnswer
from bot.adapters.metrics.rows import Row, listing
from bot.ports import Failure

MOST_PAGES = 30
PAGE = 100
NEXT = re.compile(r'<([^<>]+)>\s*;\s*rel="?next"?')


async def whole_list(http: Http, path: str, params: Mapping[str, str], what: str, remedy: str) -> tuple[Row, ...]:
    """Every row of a list; `what` and `remedy` are for the sentence about one that is not there.

    Only the parameters of GitLab's link to the next page are taken, never its address: behind a proxy that may name
    another host. An older GitLab that has no keyset for the list (HTTP 405) is asked by offset. Raises Unreachable when
    one page cannot be had, or when there are more than 3,000 rows.
    """
    asked = {**params, "per_page": str(PAGE)}
    found: list[Row] = []
    for _ in range(MOST_PAGES):
        answer = await http.get(path, asked)
        if answer.status == 405 and asked.pop("pagination", ""):
            continue
        if answer.status in {400, 404}:
            raise http.problem(
                f"has no {what} for this token (HTTP {answer.status}: {answer.text}); {remedy}", Failure.SHAPE
            )
        found += listing(http, answer, what)
        after = following(answer)
        if after is None:
            return tuple(found)
        asked = {**asked, **after}
    raise http.problem(f"the {what} has more than {MOST_PAGES * PAGE:,} rows, too many to list", Failure.SHAPE)


def following(answer: HttpAnswer) -> dict[str, str] | None:
    """The parameters of the next page; None on the last."""
    found = NEXT.search(answer.headers.get("link", ""))
    return dict(parse_qsl(urlsplit(found[1]).query)) if found else None

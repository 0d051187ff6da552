"""GitHub's status page when it is not there, or is not what it was."""

import pytest

from bot.adapters.metrics.github import assigns
from bot.ports import Unreachable
from tests.adapters.back_end import URL, BackEnd


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (500, {}, "failed (HTTP 500"),
        (200, {"components": [{"name": "Pages"}]}, "names no component Actions; correct status_url"),
        (200, [], "names no component Actions; correct status_url"),
        (200, {"components": [{"name": "Actions"}]}, "says None of Actions"),
    ],
)
async def test_a_page_that_says_nothing_leaves_it_unknown(status: int, body: object, said: str) -> None:
    """Whether GitHub works is never guessed, and a broken status page breaks nothing else."""
    http = BackEnd().says(status, body).wire().http("GitHub's status page", URL)
    try:
        up, why = (await assigns(http, lambda: 1000.0)).value
    except Unreachable as error:
        up, why = None, str(error)
    assert up is None
    assert said in why

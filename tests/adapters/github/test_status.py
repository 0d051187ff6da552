"""GitHub's status page when it is not there, or is not what it was."""

import pytest

from bot.adapters.github.status import StatusPage
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
    page = StatusPage(BackEnd().says(status, body).wire().http("GitHub's status page", URL), lambda: 1000.0)
    up, why = await page.assigns()
    assert up is None
    assert said in why

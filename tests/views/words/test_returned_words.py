"""What is said of the queue when runners are returned."""

import pytest

from bot.core.incident.details.requests import ReturnReason, ReturnResult, RunnersReturned
from bot.views.words.scaling import returned_lines
from tests.builders import POOL


@pytest.mark.parametrize(
    ("waiting", "normal", "expected"),
    [
        (3, True, "3 jobs waiting now, as many as is normal here."),
        (69, False, "69 jobs waiting now."),
        (None, False, None),
        (0, True, None),
    ],
)
def test_as_many_as_is_normal_needs_that_number(waiting: int | None, normal: bool, expected: str | None) -> None:
    """Whatever the reason of the return."""
    details = RunnersReturned(
        ReturnResult.RETURNED, POOL, 15, 10, why=ReturnReason.DRAINED, waiting=waiting, normal=normal
    )
    assert [line for line in returned_lines(details) if "waiting" in line] == ([expected] if expected else [])

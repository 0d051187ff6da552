"""Five thousand connections through the shipped nginx: no honest alert is refused."""

from pathlib import Path

import pytest

from tests.security import floods
from tests.security.attacks import target

MOST_SECONDS = 5.0
"""An alert's sender waits at least this long; the table in docs/explanation/security.md has what was measured."""


@pytest.mark.needs("nginx", "redis-server")
@pytest.mark.parametrize("many", [False, True], ids=["from one address", "from many"])
async def test_no_honest_alert_is_refused_in_a_flood(many: bool, tmp_path: Path) -> None:
    """Of all kinds at once: idle, half a head, one byte of a body, WebSocket upgrade, unsigned posts.

    Tailback hears of the posts alone, and logs their number once a minute.
    """
    async with target(tmp_path, LOG_LEVEL="WARNING") as web:
        found = await floods.met(web, floods.plain_nginx, tuple(floods.KINDS), many=many, seconds=1.0)
        lines = (tmp_path / "web.log").read_text().count("\n")
    assert found.sent > 5
    assert found.refused == 0
    assert lines <= 2
    assert found.slowest_seconds < MOST_SECONDS

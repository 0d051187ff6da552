"""Each attack of the security table stays within what is promised (docs/explanation/security.md#limits)."""

from pathlib import Path

import pytest

from tests.security.attacks import ATTACKS, Attack, target

pytestmark = pytest.mark.needs("redis-server")


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.run.__name__)
async def test_an_attack_costs_no_more_than_promised(attack: Attack, tmp_path: Path) -> None:
    """On one web process with a real Redis, from outside."""
    async with target(tmp_path) as web:
        found = await attack.run(web)
    assert found <= attack.most, f"{attack.name}: {found:,.1f} {attack.unit}"

"""Each attack of the security table stays within what is promised (docs/explanation/security.md#limits)."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.security.attacks import ATTACKS, Attack, Target, target

pytestmark = [pytest.mark.needs("redis-server"), pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def web(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Target]:
    """One web process with a real Redis for all of them, in their order: the first finds its memory untouched."""
    async with target(tmp_path_factory.mktemp("web")) as made:
        yield made


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.run.__name__)
async def test_an_attack_costs_no_more_than_promised(attack: Attack, web: Target) -> None:
    found = await attack.run(web)
    assert found <= attack.most, f"{attack.name}: {found:,.1f} {attack.unit}"

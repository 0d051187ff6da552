"""The scaler of a pool that only people can scale."""

import pytest

from bot.adapters.scalers.none import build
from bot.ports import Capacity, Refused
from tests.adapters.back_end import BackEnd


async def test_it_refuses_with_the_way_to_do_it_by_hand() -> None:
    how = "Raise max_size in infra/macs.tf and ask #infra."
    scaler, policy = build("macos-m2", "[x]", {"kind": "none", "how": how}, BackEnd().parts())
    assert await scaler.read() == Capacity(None)
    with pytest.raises(Refused, match=r"macos-m2 cannot be scaled from here; set 24 by hand\. Raise max_size"):
        await scaler.set(24, "act-1")
    assert policy.maximum == 0


async def test_without_a_way_it_says_where_to_write_one() -> None:
    scaler, _ = build("macos-m2", "[x]", {"kind": "none"}, BackEnd().parts())
    with pytest.raises(Refused, match="add `how`"):
        await scaler.set(24, "act-1")

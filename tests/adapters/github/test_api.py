"""GitHub's limits and refusals: what is still asked, what is said, and when it goes on."""

import pytest

from bot.adapters.github.api import Allowance
from bot.core.words import clock
from bot.ports import Unreachable
from tests.adapters.github.standin import LABEL, ORG, REPO
from tests.adapters.github.world import World, world
from tests.builders import NOW, gaps


async def refused(w: World) -> Unreachable:
    with pytest.raises(Unreachable) as caught:
        await w.look()
    return caught.value


async def test_below_the_reserve_nothing_more_is_asked_until_the_hour_ends(w: World) -> None:
    """Figures are unknown then, with the number and the time; what is left of the limit is still told."""
    w.github.runner(LABEL)
    w.github.job(w.github.run(1), 11)
    w.github.remaining = 503
    first = await w.look()
    calls = len(w.github.requests)
    found = await w.later()
    assert len(w.github.requests) == calls
    assert w.github.remaining == 498
    w.github.remaining = 5000
    after = await w.later(1800)
    assert len(w.github.requests) > calls
    assert (first.idle, first.queued) == (1, None)
    assert (found.queued, found.idle, found.api_remaining, found.at) == (None, None, 498, NOW + 30)
    budget = f"498 calls of 5,000 left until {clock(NOW + 1800)} UTC, and 500 are kept back for others"
    assert [why for why in gaps(found) if budget in why and why.startswith(("queued:", "runners:"))]
    assert (after.queued, after.idle) == (1, 1)


async def test_webhooks_go_on_telling_while_the_limit_holds() -> None:
    """The queue is known, and that nothing compares it with GitHub's own lists is said after ten minutes."""
    async with world({"organizations": [ORG], "repositories": [REPO], "reserve": 6000}) as w:
        w.jobs.heard_for(1800)
        w.tell(11, "1")
        await w.look()
        found = await w.later(700, webhooks=True)
    assert (found.queued, found.busy) == (1, None)
    assert [why for why in gaps(found) if why.startswith("webhooks: ")]


async def test_a_used_up_limit_says_when_it_ends() -> None:
    """403 with nothing remaining: the pause is the one that X-RateLimit-Reset names."""
    async with world({"organizations": [ORG], "repositories": [REPO], "reserve": 0}) as w:
        w.github.remaining = 0
        found = await w.look()
        calls = len(w.github.requests)
        await w.later(60)
        assert len(w.github.requests) == calls
    assert found.api_remaining == 0
    assert f"nothing is asked before {clock(NOW + 1800)} UTC" in gaps(found)[0]


@pytest.mark.parametrize(
    ("status", "headers", "message", "pause"),
    [
        (429, {"retry-after": "90"}, "Too many requests", 90),
        (403, {"retry-after": "120"}, "You have exceeded a secondary rate limit", 120),
        (403, {}, "You have exceeded a secondary rate limit. Please wait a few minutes.", 60),
        (429, {}, "slow down", 60),
    ],
)
async def test_a_secondary_limit_is_kept(
    w: World, status: int, headers: dict[str, str], message: str, pause: int
) -> None:
    """Retry-After, else a minute; nothing is asked meanwhile, and afterwards all is well."""
    w.github.runner(LABEL)
    w.github.says = [(status, headers, message)]
    found = await w.look()
    assert len(w.github.requests) == 1
    await w.later(pause - 1)
    assert len(w.github.requests) == 1
    after = await w.later(30)
    assert found.idle is None
    assert f"limits the rate of requests (HTTP {status}: {message})" in " ".join(gaps(found))
    assert (after.idle, after.queued) == (1, 0)


async def test_a_secondary_limit_that_goes_on_doubles_the_pause(w: World) -> None:
    w.github.says = [(403, {}, "secondary rate limit")] * 2
    await w.look()
    await w.later(61)
    assert len(w.github.requests) == 2
    await w.later(100)
    assert len(w.github.requests) == 2
    await w.later(30)
    assert len(w.github.requests) > 2


async def test_single_sign_on_is_named(w: World) -> None:
    """An organisation with SAML wants every token to be authorised once."""
    w.github.says = [(403, {"x-github-sso": "required; url=https://x.test"}, "Resource protected by SAML")] * 9
    problem = await refused(w)
    assert problem.reason.endswith("authorise the token for the organisation's single sign-on, in the token's settings")


async def test_a_failure_is_shared_by_all_pools() -> None:
    async with world(pools={LABEL: {}, "other": {}}) as w:
        w.github.says = [(502, {}, "bad gateway")] * 20
        await refused(w)
        calls = len(w.github.requests)
        with pytest.raises(Unreachable, match="failed"):
            await w.look("other")
        assert len(w.github.requests) == calls


def test_an_allowance_ends() -> None:
    spend = Allowance(1)
    assert [spend.take(), spend.take(), spend.left] == [True, False, 0]
    assert spend.used_up() == ("the 1 call of one round were used up", "raise budget")

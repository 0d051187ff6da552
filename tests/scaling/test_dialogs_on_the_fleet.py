"""A dialog, the thread, Diagnose and a replay give one verdict on more runners: in each story, at any moment."""

from collections.abc import Sequence

import pytest

from bot.context.causes import explained
from bot.core.finding import Finding
from bot.core.incident.details.events import Diagnosed
from bot.core.requests.request import Diagnose, Request
from bot.diagnosing.diagnose import effect
from bot.playground.fleet.scenarios import SCENARIOS
from bot.scaling.dialogs import causes_by_pool, more_would_do
from bot.views.words.diagnosis import caution
from handlers.tools.player import judgements
from tests.playground.stories import Played

pytestmark = pytest.mark.fleet
MINUTES, EVERY = 180, 4


def first(named: Sequence[Finding]) -> list[tuple[str, str]]:
    """The likeliest cause, and whether more runners help."""
    return [(one.cause, one.scaling.value) for one in named[:1]]


async def agrees(story: Played) -> None:
    context, incident = story.world.context, story.world.incident
    now, dialog = context.now(), await causes_by_pool(context, [*context.settings.file.pool], incident)
    typed = await causes_by_pool(context, [*context.settings.file.pool], None)
    asked = (await effect(context, Request("r1", "diagnose", "U0ANA", "C1", now, Diagnose("")), incident)).details
    assert isinstance(asked, Diagnosed)
    answers = {one.pool: first(one.claims) for group in asked.groups for one in group}
    thread = explained(await context.view(incident), incident, now, context.settings.file.paces).causes
    for pool, judged in await judgements(context, incident, incident.pools.affected):
        said = first([thread[pool.id]] if pool.id in thread else [])
        assert first(dialog[pool.id].claims) == said
        assert first(typed[pool.id].claims) == said
        assert answers.get(pool.id, said) == said, "Diagnose names only pools in which jobs wait"
        causes, more = judged.words["causes"], judged.words["more_runners"]
        assert isinstance(causes, list)
        assert isinstance(more, dict)
        assert [one["id"] for one in causes[:1]] == [cause for cause, _ in said]
        if pool.said == pool.outlook:  # what is said holds for some minutes, so that advice does not flap
            assert [more["helps"] for _ in causes[:1]] == [helps for _, helps in said]
        size = (await context.pool_scalers[pool.id].scaler.read()).current
        if (shown := await more_would_do(context, pool.id, (size, 1000), dialog[pool.id])) is not None:
            warning = caution(thread.get(pool.id))
            assert not warning or shown.above[0] == warning


@pytest.mark.parametrize("name", [name for name, story in SCENARIOS.items() if story.affected])
async def test_every_place_gives_the_same_verdict(name: str) -> None:
    """In provider-outage the cause is still remembered when the waits are normal again."""
    story = Played(name)
    await story.begins()
    await story.fires()
    for number in range(MINUTES):
        await story.minute()
        if story.world.incident.closed:
            break
        if number % EVERY == 0:
            await agrees(story)

"""Each story, left alone: its cause is named at every moment, and a dialog, the thread, Diagnose and a replay agree."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from bot.context.causes import explained
from bot.core.finding import Diagnosis, Finding
from bot.core.incident.details.events import Diagnosed
from bot.core.requests.request import Diagnose, Request
from bot.diagnosing.diagnose import effect
from bot.playground.fleet.scenarios import SCENARIOS
from bot.scaling.dialogs import causes_by_pool, more_would_do
from bot.views.words.diagnosis import caution
from handlers.tools.player import judgements
from tests.patience import LONG
from tests.playground.stories import Played

pytestmark = pytest.mark.fleet
MINUTES, ASKED, EVERY = (180, 1, 4) if LONG else (60, 3, 12)
"""How long a story is watched; how many minutes apart Diagnose is asked, and all places are compared."""
NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Expected:
    """What Diagnose may answer in a story."""

    causes: frozenset[str]
    """The story's cause, by the ids that name it."""
    later: frozenset[str] = frozenset()
    """What is true beside it, or once it has ended: the backlog fills the pool up to its limit."""


FULL = frozenset({"limit", "surge", "together", "hung", "slower"})
STORIES = {
    "surge": Expected(frozenset({"slow_scaling"}), frozenset({"surge"})),
    "limit-reached": Expected(frozenset({"limit"}), frozenset({"surge"})),
    "stockout": Expected(frozenset({"stockout"}), FULL),
    "offline-hosts": Expected(frozenset({"offline"}), FULL),
    "provider-outage": Expected(frozenset({"provider"}), FULL),
    "slower-jobs": Expected(frozenset({"slower"}), FULL),
    "hung-jobs": Expected(frozenset({"hung"}), FULL),
    "full-disks": Expected(frozenset({"short_of_disk"})),
    "early-warning": Expected(frozenset({"limit", "surge"})),
}


async def asked(story: Played) -> dict[str, Diagnosis]:
    """What Diagnose answers now, by pool."""
    request = Request("r1", "diagnose", "U0ANA", "C1", story.world.context.now(), Diagnose(""))
    details = (await effect(story.world.context, request, story.world.incident)).details
    assert isinstance(details, Diagnosed)
    return {one.pool: one for group in details.groups for one in group}


def first(named: Sequence[Finding]) -> list[tuple[str, str]]:
    """The likeliest cause, and whether more runners help."""
    return [(one.cause, one.scaling.value) for one in named[:1]]


async def agrees(story: Played, answers: dict[str, Diagnosis]) -> None:
    """Every place that names a cause or advises says the same."""
    context, incident = story.world.context, story.world.incident
    now, dialog = context.now(), await causes_by_pool(context, [*context.settings.file.pool], incident)
    typed = await causes_by_pool(context, [*context.settings.file.pool], None)
    thread = (await explained(await context.view(incident), incident, now, context.settings.file.paces)).causes
    for pool, judged in await judgements(context, incident, incident.pools.affected):
        named = first([thread[pool.id]] if pool.id in thread else [])
        assert first(dialog[pool.id].claims) == named
        assert first(typed[pool.id].claims) == named
        if pool.id in answers:  # Diagnose names only pools in which jobs wait
            assert first(answers[pool.id].claims) == named
        causes, more = judged.words["causes"], judged.words["more_runners"]
        assert isinstance(causes, list)
        assert isinstance(more, dict)
        assert [one["id"] for one in causes[:1]] == [cause for cause, _ in named]
        if pool.shown_forecast == pool.outlook:  # what is said holds for some minutes, so that advice does not flap
            assert [more["helps"] for _ in causes[:1]] == [helps for _, helps in named]
        size = (await context.pool_scalers[pool.id].scaler.read()).current
        if (shown := await more_would_do(context, pool.id, (size, 1000), dialog[pool.id])) is not None:
            warning = caution(thread.get(pool.id))
            assert not warning or shown.above[0] == warning


@pytest.mark.parametrize("name", STORIES)
async def test_the_named_cause_is_right_and_the_same_everywhere(name: str) -> None:
    """Until the drain, or for an hour: Diagnose every third minute (long form: three hours, each minute), others less.

    In provider-outage the cause is still remembered when the waits are normal again.
    """
    story, expected, causes = Played(name), STORIES[name], Counter[str]()
    await story.begins()
    await story.fires()
    for number in range(MINUTES):
        if number % ASKED == 0:
            answers = await asked(story)
            found = [answers[pool].claims for pool in story.scenario.affected if pool in answers]
            causes += Counter(claims[0].cause if claims else NOTHING for claims in found)
            if number % EVERY == 0:
                await agrees(story, answers)
        await story.minute()
        if story.world.incident.closed:
            break
    assert set(causes) <= expected.causes | expected.later, causes
    assert sum(causes[one] for one in expected.causes) > 0.4 * causes.total(), causes


def test_every_story_with_a_cause_is_asked() -> None:
    """A new story says what Diagnose may answer."""
    assert set(STORIES) == {name for name, story in SCENARIOS.items() if story.affected}

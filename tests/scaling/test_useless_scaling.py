"""Where the cause says that more runners do not help, nothing suggests them: over every cause there is."""

import re
from dataclasses import replace

import pytest

from bot.context.forecast_inputs import terms_of
from bot.core.finding import Diagnosis, Finding, Scaling
from bot.core.forecast.more_runners import what_if
from bot.core.incident.details.events import Diagnosed
from bot.core.pool.pool import Pool
from bot.core.record import Change, Put, Stored
from bot.core.requests.interaction import Offer
from bot.core.statement import statement
from bot.diagnosis.registry import RULES
from bot.ports import Failure
from bot.scaling.dialogs import more_would_do
from bot.scaling.scale_up import ACTION
from bot.views.parent.parent import parent
from bot.views.thread.results import diagnosis
from bot.views.words.advice import remedy_words
from bot.views.words.diagnosis import caution
from bot.views.words.forecasts import what_more_would_do
from tests.builders import POOL
from tests.core.forecast.test_forecast import RULES as POOL_RULES
from tests.core.forecast.test_forecast import series
from tests.slack_limits import texts
from tests.views import samples
from tests.views.samples import NOW, TIMING
from tests.world import World

SUGGESTED = re.compile(r"(?i)\b(scale up|add runners|raise the (limit|minimum)|more runners help\.|smallest choice)")
AGAINST = [rule for rule in RULES if rule.scaling in {Scaling.NO, Scaling.HARMFUL}]


def found(cause: str) -> Finding:
    rule = next(one for one in RULES if one.cause == cause)
    seen = (statement("nothing_started"),)
    return Finding(cause, 0.9, seen, rule.scaling, rule.remedy, "linux.2xlarge")


@pytest.mark.parametrize("cause", dict.fromkeys(rule.cause for rule in AGAINST))
def test_nothing_suggests_more_runners_against_a_cause_that_they_do_not_help(cause: str) -> None:
    """Neither the first message, nor Diagnose, nor the forecast, nor the preview; the warning stands there instead."""
    finding = found(cause)
    stuck = series(falls=-0.5)
    warning = caution(finding)
    assert warning.startswith("More runners ")
    shown = (what_more_would_do(what_if(stuck, POOL_RULES, (5, 10)), 5, warning),)
    paragraphs, _ = diagnosis(
        Diagnosed(("linux.2xlarge",), ((Diagnosis("linux.2xlarge", (finding,), (), True),),)), (), NOW
    )
    of, seen = samples.queueing()
    seen = replace(seen, causes={"linux.2xlarge": finding})
    offers = [Offer(ACTION.name, "Scale up", "i1.a")]
    drawn = parent(of, seen, offers, NOW, TIMING)
    sentences = [line for one in shown for line in one.lines]
    sentences += [remedy_words(finding), *map(str, paragraphs), drawn.text]
    sentences += [text for text in texts(drawn.blocks) if text != "Scale up" and not text.startswith("Scale up: ")]
    for line in sentences:
        assert not SUGGESTED.search(line), line
    assert all(one.above[0] == warning for one in shown)
    (button,) = [b for block in drawn.blocks for b in block.get("elements", ()) if b.get("action_id") == ACTION.name]  # type: ignore[attr-defined]  # a block is opaque to the types
    assert "style" not in button


def test_the_pattern_sees_a_suggestion() -> None:
    surge = found("surge")
    assert SUGGESTED.search(remedy_words(surge))
    assert caution(surge) == ""


async def test_no_effect_is_shown_of_runners_that_the_pool_may_not_have() -> None:
    """Above neither the most nor the step of the pool, nor what its back end allows."""
    context, pool = World().context, Pool("linux.2xlarge", tuple(series(falls=-0.5)))
    await context.store.commit(Change((Put(Stored(pool, 0), pool, None),)))
    for most, numbers in ((40, ["+5", "+10"]), (33, ["+3"])):
        preview = await more_would_do(context, pool.id, (30, most), None)
        assert preview
        assert [row[0] for row in preview.table] == ["Added", "+0", *numbers]


async def test_the_dialogs_show_the_table_that_the_judgements_weigh() -> None:
    """Whatever cause is named: no dialog promises more or less than a judgement."""
    context, pool = World().context, Pool("linux.2xlarge", tuple(series(falls=-0.5)))
    await context.store.commit(Change((Put(Stored(pool, 0), pool, None),)))
    named = Diagnosis(pool.id, (found("limit"),), (), waits=True)
    shown = await more_would_do(context, pool.id, (30, 40), named)
    rows = what_more_would_do(what_if(pool.samples, context.settings.file.rules_of(pool.id), (5, 10),
                                      terms_of(context, pool))).table  # fmt: skip
    assert shown
    assert shown.table == rows


async def test_no_effect_is_shown_of_old_figures(world: World) -> None:
    """Neither dialog nor preview takes the queue of an hour ago for that of now."""
    await world.opens(queued=47)
    await world.passes(120)
    world.metrics.script.fail("snapshot", Failure.UNCONNECTED, times=None)
    await world.passes(3600, step=300)
    shown = str((await world.asks("scale_up")).view)
    assert "unknown number of jobs queued" in shown
    for answer in (await world.types("scale_up", POOL, "24"), await world.types("scale_up", POOL)):
        shown += str(answer)
        assert "the pool has no current figures" in str(answer).lower()
    assert not re.search(r"\b47\b|drains|faster", shown)

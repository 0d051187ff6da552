"""The dialog of Scale up, and the effect of more runners that it shows."""

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import partial

from bot.context.causes import advised, moment_of
from bot.context.context import Context
from bot.context.fleet import newest
from bot.context.forecast_inputs import terms_of
from bot.context.queries import open_of
from bot.core.finding import Diagnosis, facts_of
from bot.core.forecast.more_runners import Option, WhatIf, what_if
from bot.core.incident.held_cause import remembered
from bot.core.incident.incident import Incident
from bot.core.pool.pool import Pool, Snapshot, drained, fresh
from bot.core.ranking.worst_first import worst_first
from bot.core.record import Stored
from bot.core.requests.interaction import Answer, Interaction
from bot.core.requests.request import ScaleUp
from bot.core.scaling.limits import ScalePolicy, needs_approval, proposed
from bot.core.words import count, duration, money
from bot.diagnosis.rank import diagnosed
from bot.ports import Capacity, Refused, Unreachable
from bot.requests.submit import subject
from bot.scaling.limits import lease_terms, policy_within, pool_scaler_of
from bot.views.dialogs.scale import ScaleChoice, ScaleRow, scalable, scale_answer, scale_modal
from bot.views.thread.results import effect_answer
from bot.views.words.diagnosis import caution
from bot.views.words.forecasts import Preview, choice_words, what_more_would_do
from bot.views.words.scaling import lease_terms_words

MOST_OFFERED = 10
"""Pools in the dialog: Slack takes that many choices."""
USUAL = (5, 10, 20, 40)
"""Added runners of which the effect is shown."""


async def effect_table(context: Context, pool: str) -> Answer:
    """`scale POOL` without a target: the effect of several sizes, shown privately."""
    pool_scaler = pool_scaler_of(context, pool)
    capacity = await pool_scaler.scaler.read()
    words = f"{pool} has {count(capacity.size, 'runner')}. What more would do:"
    size = (capacity.size, policy_within(pool_scaler, capacity).maximum)
    named = await cause_of(context, pool, None)
    return Answer(whisper=effect_answer(words, await more_would_do(context, pool, size, named)))


async def only_pool(context: Context, held: Stored[Incident]) -> str:
    """The only pool that can be scaled, if the dialog did not ask for it; empty if that has changed."""
    names = await _offered(context, held)
    if len(names) == 1:
        return names[0]
    choices = await asyncio.gather(*(_choice(context, name, None) for name in names))
    able = [choice.pool for choice in choices if choice.proposed is not None]
    return able[0] if len(able) == 1 else ""


async def first_dialog(context: Context, interaction: Interaction) -> Answer:
    """Every pool of the incident with a scaler; the choices are those of the worst one that can be scaled."""
    held = await subject(context, interaction)
    names = await _offered(context, held)
    named = await causes_by_pool(context, names, held.value)
    choices = await asyncio.gather(*(_choice(context, name, named.get(name)) for name in names))
    able = scalable(choices)
    if not able:
        return Answer(view=scale_modal(interaction.request_id, choices, (), (), ()))
    first, small = able[0], [one for one in choices if one.pool not in held.value.pools.affected]
    small.sort(key=lambda one: -(one.current or 0))
    ordered = [first, *(one for one in choices if one not in {first, *small}), *(one for one in small if one != first)]
    rows, above = await _rows(context, first, named.get(first.pool))
    return Answer(view=scale_modal(interaction.request_id, ordered, rows, above, _terms(context, first.pool)))


async def answered_dialog(
    context: Context, request_id: str, body: ScaleUp, incident: Incident | None
) -> dict[str, object]:
    """The dialog for one pool, with the asked total chosen already and its effect beside it."""
    named = await cause_of(context, body.pool, incident)
    choice = replace(await _choice(context, body.pool, named), useless=False, needless=False, proposed=body.target)
    rows, above = await _rows(context, choice, named)
    return dict(scale_answer(request_id, choice, rows, above, _terms(context, body.pool)))


async def _rows(context: Context, choice: ScaleChoice, named: Diagnosis | None) -> tuple[list[ScaleRow], list[str]]:
    """(the totals to choose from with their effect, what stands above them) for one pool."""
    policy, record, now = (
        pool_scaler_of(context, choice.pool).policy,
        await context.pool_now(choice.pool),
        choice.current,
    )
    if now is None:
        return [], []
    most = _most_more(policy, now, choice.maximum)
    added = {policy.whole(now + min(number, most)) - now for number in USUAL if most > 0}
    usual = {more for more in added if now + more >= policy.minimum}
    counts = sorted({*usual, *((choice.proposed - now,) if choice.proposed is not None else ())})
    found = await context.fleet.alone(lambda: _effects(context, record, counts) if record.samples else WhatIf())
    options = {one.more: one for one in found.options}
    approves, currency = policy.approval_above is not None, context.settings.file.slack.currency
    rows = [
        ScaleRow(now + more, more, choice_words(
            options.get(more), _price(policy, more, currency), needs_approval(policy, now + more) if approves else None,
            found.shown_forecast,
        ))
        for more in counts
    ]  # fmt: skip
    above = (
        what_more_would_do(found, None, _against(named), currency, cause=_first(named)).above if record.samples else ()
    )
    nothing = "Nothing is proposed: its queue is within normal." if choice.needless else ""
    if choice.useless and not nothing and not _against(named):
        nothing = "Nothing is proposed: more runners are not expected to help."
    above = (*above, *([nothing] if nothing else []))
    return rows, [*above, *([] if record.samples else ["The effect is unknown: the pool has no current figures."])]


def _price(policy: ScalePolicy, more: int, currency: str) -> str:
    return "" if policy.price is None else money(policy.price.an_hour(more), currency)


def _terms(context: Context, pool: str) -> list[str]:
    """What holds for every choice."""
    policy = pool_scaler_of(context, pool).policy
    lines = [*([policy.caution] if policy.caution else []), lease_terms_words(lease_terms(context, pool))]
    if policy.approval_above is not None:
        within = duration(policy.approval_within_seconds)
        lines.append(f"Above {count(policy.approval_above, 'runner')} a second person has to approve within {within}.")
    return [*lines, *(["Shadow mode: nothing will be changed."] if context.settings.file.actions.shadow else [])]


async def _offered(context: Context, held: Stored[Incident]) -> list[str]:
    """The pools of the incident that have a scaler, affected ones first: as many as the dialog holds."""
    names = [name for name in held.value.pools.candidates if name in context.pool_scalers]
    known, file = await newest(context.store, names), context.settings.file
    seconds = max(file.paces.poll, file.paces.watch)
    samples = [fresh(known.get(name), context.now(), seconds) or Snapshot(name, 0.0) for name in names]
    order = worst_first(samples, file.pools, held.value.pools.affected)
    return [sample.pool for sample in order][:MOST_OFFERED]


async def _choice(context: Context, name: str, named: Diagnosis | None) -> ScaleChoice:
    pool_scaler, rules = context.pool_scalers[name], context.settings.file.pools[name]
    pool = await context.pool_now(name)
    try:
        capacity, reason = await pool_scaler.scaler.read(), ""
    except (Unreachable, Refused) as error:
        capacity, reason = Capacity(None), str(error)
    latest = pool.latest
    queued, policy = latest.queued if latest else None, policy_within(pool_scaler, capacity)
    most_more = policy.maximum - (capacity.size or 0)
    step = min(most_more, policy.step or most_more)
    enough = await fewest_enough(context, pool, step)
    counts = {step, enough or step} if step > 0 else set[int]()
    effect = await context.fleet.alone(partial(_effects, context, pool, counts))
    if effect.best and any(option.more == enough and not option.helps for option in effect.options):
        enough = effect.best.more  # the fewest that are enough would change nothing: the queue is short enough without
    target = proposed(policy, capacity.size, queued if enough is None else enough)
    useless = effect.do_nothing is not None or effect.helps is False
    return ScaleChoice(
        pool=name,
        current=capacity.size,
        maximum=policy.maximum,
        limit=latest.limit if latest else None,
        online=latest.online if latest else None,
        queued=queued,
        proposed=target,
        step=policy.step,
        boot_time_seconds=rules.boot_time_seconds,
        price=policy.price,
        currency=context.settings.file.slack.currency,
        together=policy.together,
        reason=reason,
        useless=bool(_against(named)) or useless,
        needless=drained(latest, rules) is True,
    )


async def more_would_do(
    context: Context, pool: str, size: tuple[int | None, int], named: Diagnosis | None, chosen: int | None = None
) -> Preview | None:
    """The expected effect of several numbers of added runners within `size` (now, highest target).

    The proposed number is among them; by the `named` cause they may come in vain. None for a pool that cannot
    be scaled, or has no current figures.
    """
    record, (current, maximum) = await context.pool_now(pool), size
    if not record.samples or current is None or pool not in context.pool_scalers:
        return None
    most = _most_more(context.pool_scalers[pool].policy, current, maximum)
    counts = {*(min(number, most) for number in USUAL if most > 0), *((chosen,) if chosen else ())}
    found = _effects(context, record, sorted(counts))
    return what_more_would_do(found, chosen, _against(named), context.settings.file.slack.currency, cause=_first(named))


async def fewest_enough(context: Context, pool: Pool, most: int) -> int | None:
    """The fewest added runners, up to `most`, expected to drain it in time; None if none is, or that is unknown.

    Each number tried has a turn of the event loop of its own: all together hold it for several times as long.
    """
    low, high, best = 0, most, None
    while most > 0 and low <= high:
        middle = (low + high) // 2
        found = await context.fleet.alone(partial(_effects, context, pool, (middle,)))
        if not found.options:
            return None
        if found.options[-1].is_in_time:
            best, high = middle, middle - 1
        else:
            low = middle + 1
    return best


def with_more(context: Context, pool: Pool, more: int) -> tuple[Option, Option] | None:
    """What is expected without and with exactly so many added runners; None if there is no forecast."""
    found = _effects(context, pool, (more,)).options
    return (found[0], found[-1]) if found and found[-1].more == more else None


def _most_more(policy: ScalePolicy, current: int, maximum: int) -> int:
    return min(maximum - current, policy.step or maximum)


def _effects(context: Context, pool: Pool, counts: Iterable[int]) -> WhatIf:
    return what_if(pool.samples, context.settings.file.rules_of(pool.id), counts, terms_of(context, pool))


def _first(named: Diagnosis | None) -> str:
    """The id of the likeliest cause; empty without one."""
    return named.claims[0].cause if named and named.claims else ""


def _against(named: Diagnosis | None) -> str:
    """The likeliest cause's objection to more runners."""
    return caution(named.claims[0]) if named and named.claims else ""


async def cause_of(context: Context, pool: str, incident: Incident | None) -> Diagnosis | None:
    """The diagnosis of one pool; None if it is not configured."""
    return (await causes_by_pool(context, [pool], incident)).get(pool)


async def causes_by_pool(context: Context, names: Collection[str], incident: Incident | None) -> dict[str, Diagnosis]:
    """The diagnosis of each of these pools; first comes the cause that the incident, or any open one, remembers."""
    file, mine = context.settings.file, await context.pools(names)
    pools = {**await context.beside(names), **mine}
    facts = facts_of([*file.pool], pools, file.pools, moment_of(context.now(), file.paces))
    found = [await context.fleet.alone(partial(diagnosed, one)) for one in facts if one.pool in names]
    about = [incident] if incident else [one for name in names for one in await open_of(context, name)]
    verdicts = {name: held for one in about for name, held in one.pools.verdicts.items()}
    named = [remembered(verdicts.get(one.pool), one) for one in found]
    return {
        one.pool: await context.fleet.alone(partial(advised, one, pools.get(one.pool), file.pools.get(one.pool)))
        for one in named
    }

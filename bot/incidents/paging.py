"""Pages people outside Slack when nobody acknowledges, and acknowledges and resolves there what happened in Slack."""

import asyncio
from dataclasses import replace

import structlog

from bot.context.context import Context
from bot.context.five_lines import five_lines
from bot.context.queries import pagers_of, permalinks
from bot.context.save import EXPIRES_SECONDS, intend, keep
from bot.core.incident.details.events import Paged
from bot.core.incident.incident import Incident, noted
from bot.core.incident.timeline import Event
from bot.core.paging.page import GIVE_UP_SECONDS, PageAction, PageEvent, PageRecord, PagerState, current, owed
from bot.core.record import Change, Claim, Put
from bot.ports import Failure, Unreachable
from bot.views.mrkdwn import outside
from bot.views.parent.heading import headline
from bot.views.words.timeline import page_text

SAFETY_SECONDS = 0.5
"""Nothing is sent in the last moments of a lease."""
EVENTS = {
    PageAction.TRIGGER: "incident_unacknowledged",
    PageAction.ACKNOWLEDGE: "incident_acknowledged",
    PageAction.RESOLVE: "incident_resolved",
}

ASKED = "incident_escalated"
"""The event of a page that a person asked for."""

log = structlog.get_logger()


async def page(context: Context, claim: Claim) -> None:
    """Send each pager its next message; the intent is stored first, and a failure is tried again.

    A message whose outcome is unknown is sent again with the same key, which a pager counts once.
    """
    held, now = claim.of(PageRecord), context.now()
    incident = await context.store.get(Incident, held.value.incident)
    names = _pagers(context, held.value, incident.value) if incident else []
    record = current(held.value, incident.value, names) if incident else held.value
    next_ones = owed(record, incident.value, names) if incident else {}
    if incident is None or not next_ones or now - (incident.value.closed_at or now) > GIVE_UP_SECONDS:
        keep_seconds = EXPIRES_SECONDS if incident and not incident.value.closed else GIVE_UP_SECONDS
        await context.store.commit(Change(puts=(Put(held, record, None, keep_seconds=keep_seconds),)))
        return
    before = {name: record.pagers.get(name, PagerState()) for name in next_ones}
    ready = {name: one for name, one in next_ones.items() if before[name].retry_at <= now or before[name].tried != one}
    if not ready:
        await context.store.commit(Change(puts=(Put(held, record, min(one.retry_at for one in before.values())),)))
        return
    tried = {name: replace(before[name], tried=action) for name, action in ready.items()}
    held = await intend(context, held, replace(record, pagers={**record.pagers, **tried}))
    problems = await _sent(context, held.value, incident.value, ready)
    now = context.now()
    facts = {
        name: tried[name].failed(now, problem.retry_after_seconds) if problem else PagerState(ready[name], ready[name])
        for name, problem in problems.items()
    }
    put = Put(held, replace(held.value, pagers={**held.value.pagers, **facts}), now)
    triggers = [name for name, action in ready.items() if action is PageAction.TRIGGER]
    paged = [name for name in triggers if problems[name] is None]
    silent = {name: problem for name in triggers if (problem := problems[name]) and not before[name].failures}

    def move(fresh: Incident) -> Incident:
        for name in paged:
            fresh = noted(fresh, now, Event.NOTED, Paged(name), tell=bool(before[name].failures))
        for name, problem in silent.items():
            fresh = noted(fresh, now, Event.NOTED, Paged(name, f"{problem.system} {problem.what}"))
        return fresh

    if paged or silent:
        await keep(context, incident, move, due=now, also=(put,))
    else:
        await context.store.commit(Change(puts=(put,)))


def _pagers(context: Context, record: PageRecord, incident: Incident) -> list[str]:
    if record.pager:
        return [record.pager] if record.pager in context.pagers else []
    return list(pagers_of(context, incident, unacknowledged=True))


async def _sent(
    context: Context, record: PageRecord, incident: Incident, ready: dict[str, PageAction]
) -> dict[str, Unreachable | None]:
    """Each pager's problem; None if it confirmed the message."""
    links = await permalinks(context, [incident])
    head = headline(incident, await context.view(incident), context.now(), context.settings.file.paces)
    lines = await five_lines(context, incident) if record.pager else ()
    state = "\n".join(map(outside, lines))

    async def one(name: str, action: PageAction) -> Unreachable | None:
        text = page_text(action, head, over=incident.closed, by_person=bool(record.pager))
        kind = ASKED if record.pager and action is PageAction.TRIGGER else EVENTS[action]
        event = PageEvent(record.key, action, kind, text, links.get(incident.id, ""), state)
        problem: Unreachable | None = None
        try:
            async with asyncio.timeout(context.settings.file.timing.lease - SAFETY_SECONDS):
                await context.pagers[name].send(event)
        except (Unreachable, TimeoutError) as error:
            late = Unreachable("the pager", "did not answer in time", failure=Failure.UNKNOWN)
            problem = error if isinstance(error, Unreachable) else late
            log.warning("pager not reached", pager=name, action=action.value, why=str(problem), repeats=True)
        context.health.pagers[name] = str(problem) if problem else ""
        return problem

    return dict(zip(ready, await asyncio.gather(*(one(*item) for item in ready.items())), strict=True))

"""Makes a reply's chart: draw, upload, wait until Slack has processed it, and have the reply edited."""

import asyncio
from dataclasses import dataclass, replace

import structlog

from bot.context.context import Context
from bot.context.save import keep
from bot.core.charts.chart_record import SETTLES, ChartRecord, entry_of, hung, without
from bot.core.incident.incident import Incident
from bot.core.incident.timeline import Picture
from bot.core.record import Change, Claim, Put, Stored
from bot.ports import Failure, Unreachable
from bot.views.thread.chart import chart
from bot.views.thread.chart_layout import layout

TRIES = 3
"""Failed uploads before the reply stays without a chart."""
KEPT_SECONDS = 3600.0
LONGEST_PAUSE_SECONDS = 120.0
"""An older chart would show another queue."""
SAFETY_SECONDS = 0.5
"""The outcome is stored while the claim is valid."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Work:
    """The context of one step: the reply, the incident and the time."""

    mine: Stored[ChartRecord]
    held: Stored[Incident]
    number: int
    now: float

    @property
    def sketch(self) -> ChartRecord:
        """The chart record."""
        return self.mine.value


async def attach_chart(context: Context, claim: Claim) -> None:
    """Do the next step of one chart; the posted reply keeps its text.

    After a crash the file is uploaded again; files are in no channel, so nobody sees the first one.
    """
    mine = claim.of(ChartRecord)
    known = mine.value
    incident, number = entry_of(claim.id)
    held = await context.store.get(Incident, incident)
    if held is None or number not in held.value.log.charts:
        await context.store.commit(Change(puts=(Put(mine, known, None, keep_seconds=KEPT_SECONDS),)))
        return
    work = Work(mine, held, number, context.now())
    if not known.file:
        await _made(context, work)
    elif known.offered >= len(SETTLES):
        await _given_up(context, work, "Slack does not show the uploaded picture")
    elif work.now < known.uploaded_at + SETTLES[known.offered]:
        await _later(context, work, known, known.uploaded_at + SETTLES[known.offered])
    else:
        put = Put(mine, replace(known, offered=known.offered + 1), None, keep_seconds=KEPT_SECONDS)
        picture = Picture(known.file, known.alt)
        await keep(context, held, lambda fresh: hung(fresh, number, picture), due=work.now, also=(put,))


async def _made(context: Context, work: Work) -> None:
    """Draw and upload; a failure leads to another attempt or to a reply without a chart."""
    incident = work.held.value
    drawn = chart(incident, await context.view(incident), context.settings.file.paces)
    if context.artist is None or drawn is None:
        await _given_up(context, work, "" if drawn is None else "no artist is at hand")
        return
    try:
        async with asyncio.timeout(work.mine.lease_ends - SAFETY_SECONDS - context.monotonic()):
            picture = await context.artist.png(layout(drawn))
            file = await context.chat.upload(f"queue-{work.sketch.id}.png", drawn.title, picture)
    except TimeoutError:
        what = "the picture was not uploaded while its record was ours"
        await _failed(context, work, Unreachable("Slack", what, failure=Failure.UNKNOWN))
        return
    except Unreachable as error:
        await _failed(context, work, error)
        return
    context.health.charts = ""
    now = context.now()
    await _later(context, work, replace(work.sketch, file=file, alt=drawn.alt, uploaded_at=now), now + SETTLES[0])


async def _failed(context: Context, work: Work, error: Unreachable) -> None:
    tried = replace(work.sketch, tries=work.sketch.tries + 1)
    pause = error.retry_after_seconds or 2.0 ** (tried.tries + 1)
    useless = error.failure in {Failure.CREDENTIALS, Failure.SHAPE, Failure.PLACE, Failure.GONE}
    if useless or tried.tries >= TRIES or pause > LONGEST_PAUSE_SECONDS:
        await _given_up(context, work, str(error))
        return
    await _later(context, work, tried, context.now() + pause)


async def _later(context: Context, work: Work, sketch: ChartRecord, due: float) -> None:
    await context.store.commit(Change(puts=(Put(work.mine, sketch, due, keep_seconds=KEPT_SECONDS),)))


async def _given_up(context: Context, work: Work, why: str) -> None:
    """The reply stays without a chart; it has the figures in words."""
    if why and context.health.charts != why:
        context.health.charts = why
        log.warning("a reply stays without its picture", incident=work.held.value.id, why=why)
    put = Put(work.mine, work.sketch, None, keep_seconds=KEPT_SECONDS)
    await keep(context, work.held, lambda fresh: without(fresh, work.number), due=work.now, also=(put,))

"""The action Diagnose: measure the pools now and post figures, causes and unavailable figures."""

import asyncio

from bot.context.causes import diagnoses, moment_of
from bot.context.context import WORDS, Action, Context, Effect, MessageShortcut
from bot.context.look import look
from bot.context.queries import known_pool
from bot.core.finding import Diagnosis
from bot.core.incident.details.general import PlainText
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Pool
from bot.core.record import Prepared
from bot.core.requests.body import Diagnose
from bot.core.requests.interaction import Answer, Interaction, Surface
from bot.core.requests.offer import ButtonLabel
from bot.core.requests.request import Request, Result
from bot.core.words import count
from bot.diagnosis.rank import grouped, shown_figures
from bot.requests.submit import new_request, subject, submit
from bot.views.home.answers import said
from bot.views.words.diagnosis import sentences
from bot.views.words.survey import Survey, survey

PATIENCE_SECONDS = 8.0
MOST_POOLS = 60
MOST_DIAGNOSED = 5


def _label(incident: Incident, _view: View) -> ButtonLabel | None:
    """Available if a pool has a metrics source."""
    return ButtonLabel("Diagnose") if incident.pools.candidates else None


async def ask(context: Context, interaction: Interaction) -> Answer:
    """In a thread or by button the answer is posted; `/queue diagnose POOL` is answered privately."""
    name = known_pool(context.settings.file, interaction.words[0]) if interaction.words else ""
    alone = bool(name) and not await _in_thread(context, interaction)
    held = None if alone else await subject(context, interaction)
    request = new_request(context, interaction, held, Diagnose(name))
    await submit(context, interaction, held, request, lambda fresh: fresh)
    return Answer(whisper=said(f"Reading {name} now; the answer follows here, for you alone.")) if alone else Answer()


async def _in_thread(context: Context, interaction: Interaction) -> bool:
    """Whether it was requested in an incident's thread."""
    return bool(interaction.thread and await context.store.find(f"thread:{interaction.channel}:{interaction.thread}"))


async def prepare(context: Context, request: Request, incident: Incident | None) -> Prepared:  # noqa: ARG001 - the contract's shape
    """Nothing to check again for a read."""
    return Prepared(request)


async def effect(context: Context, request: Request, incident: Incident | None) -> Result:
    """Measure the named pool, else all, to distinguish isolated from widespread trouble."""
    about = incident.pools.candidates if incident else ()
    every = tuple(dict.fromkeys((*about, *context.settings.file.pool)))[:MOST_POOLS]
    names = [request.pool] if request.pool else list(every)
    pools = await _read(context, names)
    causes = _causes(context, names, pools, incident.pools.unknown_pools if incident else ())
    told = {one.pool: shown_figures(one) for one in causes[:MOST_DIAGNOSED]}
    found = survey(names, pools, context.settings.file.pools, told)
    lines = _why(causes) + found.lines + tuple(f"Not seen: {what}" for what in found.unseen)
    return Result(PlainText(f"asked for a diagnosis. {found.headline}", lines), "", Event.DIAGNOSED, found.figures)


async def check(context: Context, request: Request, incident: Incident | None) -> Result | None:  # noqa: ARG001
    """A read may be repeated."""
    return None


def _causes(context: Context, names: list[str], pools: dict[str, Pool], unknown: tuple[str, ...]) -> list[Diagnosis]:
    """The ranked causes of each pool with long waits, and of unknown names."""
    file, now = context.settings.file, context.now()
    found = diagnoses([*names, *unknown], pools, file.pools, moment_of(now, file.paces, unknown))
    return [d for d in found if d.waits or d.pool in unknown]


def _why(waiting: list[Diagnosis]) -> tuple[str, ...]:
    """The causes with evidence and unavailable figures; pools with equal causes share lines."""
    said = tuple(line for group in grouped(waiting[:MOST_DIAGNOSED]) for line in sentences(*group))
    more = len(waiting) - MOST_DIAGNOSED
    return said if more <= 0 else (*said, f"{count(more, 'more pool')} queue; ask for each by its name.")


async def read(context: Context, names: list[str]) -> Survey:
    """Measure pools in parallel; those that do not answer in time are unknown."""
    return survey(names, await _read(context, names), context.settings.file.pools)


async def _read(context: Context, names: list[str]) -> dict[str, Pool]:
    held = await context.store.get_many(Pool, names)
    pools = [held[name].value if name in held else Pool(name) for name in names]
    looked = await asyncio.gather(*(_look(context, pool) for pool in pools))
    return {pool.id: pool for pool in looked}


async def _look(context: Context, pool: Pool) -> Pool:
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await look(context, pool)
    except TimeoutError:
        return Pool(pool.id, pool.samples, f"no answer within {PATIENCE_SECONDS:.0f} s", context.now())


ACTION = Action(
    name="diagnose",
    verb="diagnose",
    usage="diagnose [POOL]",
    help="Read the pools now: where it queues, why, how busy, what holds it.",
    ask=ask,
    permission="diagnose",
    surfaces=WORDS | {Surface.BUTTON, Surface.SHORTCUT},
    label=_label,
    shortcut=MessageShortcut("tailback_diagnose", "Diagnose this incident", "Which pools queue, and why"),
    effect=Effect(prepare, effect, check),
)

"""Chart: the queue so far in the incident's thread, as a chart and in words."""

from bot.context.context import IN_THREAD, Action, Context
from bot.core.incident.details.events import ChartShown
from bot.core.incident.incident import Incident, noted
from bot.core.incident.sparkline import pictured, sparks_of
from bot.core.incident.timeline import Event
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Place
from bot.core.signals.course import courses_of
from bot.ports import Refused
from bot.requests.submit import finish, subject
from bot.views.words import refusals


async def handle(context: Context, interaction: Interaction) -> Answer:
    held = await subject(context, interaction)
    now = context.now()
    first = pictured(held.value)[:1]
    samples = [(one.at, one.signals) for name in first for one in (await context.pool(name)).samples]
    signals = courses_of(first[0], samples) if first else ()

    def move(fresh: Incident) -> Incident:
        chart = ChartShown(*sparks_of(fresh), signals)
        if not chart.sparks:
            raise Refused(refusals.TOO_LITTLE_FOR_A_CHART)
        return noted(fresh, now, Event.CHARTED, chart, who=interaction.who)

    return await finish(context, interaction, held, "asked for the chart", move)


ACTION = Action(
    name="chart",
    help="Show the queue so far as a chart.",
    handle=handle,
    permission="diagnose",
    surfaces=IN_THREAD,
    label=lambda incident, _: ButtonLabel("Chart", Place.MORE) if incident.pools.candidates else None,
    events=(Event.CHARTED,),
)

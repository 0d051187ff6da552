"""The action Close incident: close the incident until a new occurrence fires."""

from collections.abc import Iterator

from bot.context.context import IN_THREAD, Action, Context
from bot.core.incident.closing import resolved_by_hand, scores_of
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View, latest
from bot.core.incident.silence import goes_on, holding
from bot.core.incident.timeline import Event
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Place, Surface, request_id
from bot.core.scaling.lease import PoolLeases
from bot.requests.submit import finish, new_request, subject
from bot.views.dialogs.modals import question
from bot.views.thread.results import confirm_close
from bot.views.words.closing import unfinished_words
from bot.views.words.silences import still_lasts

NAME = "resolve"
QUESTION = "Tailback stops watching the queue. A new firing of the alert opens the incident again."
ENDS_WITH_IT = "Its silence until the queue has drained ends with it."


async def handle(context: Context, interaction: Interaction) -> Answer:
    """The menu entry asks first, and so does the verb unless all is calm."""
    held, now = await subject(context, interaction), context.now()
    view = await context.view(held.value)
    unfinished = await _unfinished(context, held.value, view)
    typed = interaction.surface not in {Surface.BUTTON, Surface.DIALOG}
    if interaction.surface is Surface.BUTTON or (typed and unfinished):
        request = request_id(held.value, NAME)
        if interaction.surface is Surface.MENTION:
            return Answer(whisper=confirm_close(request, unfinished))
        words = (*unfinished, QUESTION, *_silences(held.value, now))
        return Answer(view=question(NAME, "Close incident?", request, " ".join(words), "Close"))
    request = new_request(context, interaction, held).id

    def move(fresh: Incident) -> Incident:
        return resolved_by_hand(fresh, interaction.who, now, scores_of(fresh, view.pools), request)

    return await finish(context, interaction, held, "closed the incident", move)


async def _unfinished(context: Context, incident: Incident, view: View) -> tuple[str, ...]:
    """What is not as it was before the incident: jobs that are queued, or may be, and runners that are borrowed."""
    measured = [name for name in incident.pools.judged if name not in view.sourceless]
    known = {one.pool: one for one in latest(incident, view, context.now(), context.settings.file.paces)}
    queues = {name: sample.queued if (sample := known.get(name)) else None for name in measured}
    rules = context.settings.file.rules_of
    keys = {context.lease_key(name) for name in incident.pools.judged}
    leases = (await context.store.get_many(PoolLeases, sorted(keys))).values()
    mine = [lease for held in leases for lease in held.value.leases if lease.incident == incident.id]
    borrowed = sum(max(0, lease.target - lease.before) for lease in mine if not lease.returning)
    waiting = {name: queued for name, queued in queues.items() if queued is None or queued > rules(name).floor}
    return unfinished_words(waiting, borrowed)


def _silences(incident: Incident, now: float) -> Iterator[str]:
    for silence in holding(incident.silences, now):
        until = still_lasts(goes_on(silence, now))
        stays = f"The alert stays silenced {until}; that can be ended below the last reply."
        yield ENDS_WITH_IT if silence.until_drained else stays


ACTION = Action(
    name=NAME,
    also=("close",),
    help="Close the incident.",
    handle=handle,
    permission="ack",
    surfaces=IN_THREAD,
    label=lambda *_: ButtonLabel("Close incident", Place.MENU),
    dialogs=(NAME,),
    events=(Event.RESOLVED_BY_HAND,),
)

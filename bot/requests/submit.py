"""Finds a request's incident, remembers what its dialog showed, and stores the request once with its audit entry."""

import contextlib
from collections.abc import Sequence

from bot.context.context import Context
from bot.context.queries import by_urgency, known_pool, open_incidents, pool_if_named, readable
from bot.context.save import Move, keep
from bot.core.alert import Matcher, digest
from bot.core.audit_chain import AuditEntry
from bot.core.incident.details.details import Details
from bot.core.incident.incident import Incident, noted
from bot.core.incident.timeline import Event
from bot.core.record import AlreadyDone, Change, Conflict, Put, Stored
from bot.core.requests.interaction import Answer, Interaction, Surface, incident_of, request_id, used
from bot.core.requests.request import AtOnce, Body, Progress, Request, done, parameters
from bot.core.requests.shown import Shown
from bot.ports import Refused, Unreachable
from bot.views.words import refusals

AT_ONCE = AtOnce()
NO_INCIDENT = "x"
"""Begins the id of a request that is about no incident."""
TAILBACK = "tailback"
"""Author of requests without a person, such as the end of a lease."""
KEPT_SECONDS = 4 * 3600.0
"""How long it is known what a dialog showed; Slack keeps a dialog open for as long as nobody closes it."""
FINISHED_SECONDS = 86400.0
"""How long a request that was finished at once is kept, to say to a second click who was first."""


def new_request(
    context: Context, interaction: Interaction, held: Stored[Incident] | None, body: Body = AT_ONCE
) -> Request:
    """A request with the id of its button, else of Slack's interaction."""
    incident = held.value if held else None
    return Request(
        id=interaction.request_id or own_id(incident, interaction),
        name=interaction.name,
        who=interaction.who,
        channel=incident.thread.channel if incident else interaction.channel,
        requested_at=context.now(),
        body=body,
        incident=incident.id if incident else None,
        reply_url="" if incident else interaction.reply_url,  # a thread shows its own results
    )


def own_id(incident: Incident | None, interaction: Interaction) -> str:
    """An id for a request without a button."""
    return f"{incident.id if incident else NO_INCIDENT}.{digest(interaction.key)[:12]}"


async def finish(  # noqa: PLR0913 - the parts of a request that is done at once
    context: Context,
    interaction: Interaction,
    held: Stored[Incident],
    outcome: str,
    move: Move,
    *,
    words: str = "",
    over: bool = False,
) -> Answer:
    """Store a request that is done with its change of the incident; `words` are those that the person wrote."""
    request = done(new_request(context, interaction, held, AtOnce(words)), outcome, context.now())
    await submit(context, interaction, held, request, move, over=over)
    return Answer(about=held.value.id)


async def hand_over(  # noqa: PLR0913 - the parts of a request that a worker does
    context: Context,
    interaction: Interaction,
    held: Stored[Incident],
    request: Request,
    details: Details,
    *,
    first: Move = lambda fresh: fresh,
    over: bool = False,
) -> Answer:
    """Store a request for the worker, and note it without a reply, because its result is one.

    `first` changes the incident before that.
    """
    now = context.now()

    def move(fresh: Incident) -> Incident:
        about = first(fresh)
        return noted(about, now, Event.REQUESTED, details, who=request.who, tell=False, request=request.id)

    await submit(context, interaction, held, request, move, over=over)
    return Answer(about=held.value.id)


async def submit(  # noqa: PLR0913 - the parts of one atomic change
    context: Context,
    interaction: Interaction,
    held: Stored[Incident] | None,
    request: Request,
    move: Move,
    *,
    draft: Stored[Request] | None = None,
    over: bool = False,
    also: tuple[Put, ...] = (),
) -> None:
    """Store request, incident change, audit entry and what belongs to it (`also`); a second time is refused.

    With `over` the incident may have ended.
    """
    now = context.now()

    def with_request(fresh: Incident) -> Incident:
        if fresh.closed and not over:
            raise Refused(refusals.INCIDENT_OVER)
        return move(used(fresh, interaction.name))

    due = None if request.finished else request.lapses_at if request.progress is Progress.AWAITING else now
    audit = (audited(request, now, "asked" if due else request.outcome),)
    once = (f"act:{request.id}", f"request:{interaction.key}")
    kept = FINISHED_SECONDS if request.finished else None
    put = Put(draft or Stored(request, 0), request, due, keep_seconds=kept)
    try:
        if held is None:
            change = Change(puts=(put, *also), audit=audit, once=once, once_value=request.id)
            await context.store.commit(change)
        else:
            await keep(context, held, with_request, due=now, also=(put, *also), audit=audit, once=once)
    except AlreadyDone:
        if (first := await context.request(request.id)) is None:  # a delivery of Slack, again: the first has another id
            raise Refused(refusals.already_requested(None), request.who) from None
        raise already_requested(context, first) from None


def already_requested(context: Context, known: Request) -> Refused:
    """The refusal for a second click: who was first, and when (P3)."""
    return Refused(refusals.already_requested(context.now() - known.requested_at), known.who)


def audited(request: Request, now: float, outcome: str) -> AuditEntry:
    """The audit entry of a request in its present state."""
    return AuditEntry(
        at=now,
        who=request.who or TAILBACK,
        what=request.name,
        parameters={**parameters(request.body), **({"pool": request.pool} if request.pool else {})},
        before=request.before,
        after=request.after,
        outcome=outcome,
        act=request.id,
        incident=request.incident or "",
    )


async def audit_refusal(context: Context, interaction: Interaction, why: str) -> None:
    """Add a refusal to the audit trail (C11)."""
    entry = AuditEntry(
        context.now(), interaction.who, interaction.name, outcome=f"refused: {why}", act=interaction.request_id
    )
    await context.store.commit(Change(audit=(entry,)))


class SeveralIncidents(Refused):
    """The channel has several open incidents, and the command named none; `offers`: (incident, button's id), sorted."""

    def __init__(self, incidents: Sequence[Incident], name: str) -> None:
        super().__init__(refusals.SEVERAL_INCIDENTS)
        self.offers = [(incident, request_id(incident, name)) for incident in incidents]


async def _in_channel(context: Context, interaction: Interaction) -> str:
    """The only open incident of the channel, of a pool if one is named.

    Raises Refused without one, SeveralIncidents with more, and in a conversation for those that the person may read.
    """
    every = await open_incidents(context)
    found = [one for one in every if one.thread.channel == interaction.channel]
    if interaction.conversation:
        found = (await readable(context, every, interaction.who))[0]
    if found and interaction.words:
        pool = known_pool(context.settings.file, interaction.words[0])
        found = [one for one in found if pool in one.pools.affected] or [
            one for one in found if pool in one.pools.judged
        ]
        if not found:
            raise Refused(refusals.no_incident_here_of(pool))
    if not found:
        raise Refused(refusals.NO_INCIDENT_TO_READ if interaction.conversation else refusals.NO_OPEN_INCIDENT)
    if len(found) > 1 or interaction.conversation:
        raise SeveralIncidents(await by_urgency(context, found), interaction.name)
    return found[0].id


class RecordLost(Refused):
    """The record is lost, so the button is obsolete."""


async def subject(context: Context, interaction: Interaction, *, over: bool = False) -> Stored[Incident]:
    """The open incident of an interaction; with `over` also an ended one.

    Typed words name a pool of it: take away words that mean something else. Raises Refused with a remedy.
    """
    if interaction.surface is Surface.BUTTON and not interaction.request_id:
        raise Refused(refusals.EMPTY_BUTTON)
    if interaction.request_id:
        incident_id = incident_of(interaction.request_id)
    elif interaction.thread:
        incident_id = await context.incident_here(interaction)
    elif Surface.BUTTON in context.actions[interaction.name].surfaces:
        incident_id = await _in_channel(context, interaction)
    else:
        raise Refused(refusals.ask_in_a_thread(context.actions[interaction.name].usage))
    held = await context.store.get(Incident, incident_id) if incident_id else None
    if held is None:
        raise RecordLost(refusals.INCIDENT_UNKNOWN)
    made_here = interaction.surface in {Surface.BUTTON, Surface.DIALOG}
    if interaction.request_id and made_here and request_id(held.value, interaction.name) != interaction.request_id:
        await _refuse_used(context, interaction.request_id, held.value)
    if interaction.home or interaction.conversation:
        if not (await readable(context, [held.value], interaction.who))[0]:
            raise Refused(refusals.OTHER_CHANNELS_BUTTON)
    elif held.value.thread.channel != interaction.channel and interaction.surface is Surface.BUTTON:
        raise Refused(refusals.OTHER_CHANNELS_BUTTON)
    elsewhere = interaction.thread or interaction.conversation
    if interaction.message and not elsewhere and held.value.thread.root not in {None, interaction.message}:
        raise Refused(refusals.OTHER_THREAD)
    if held.value.closed and not over:
        raise Refused(refusals.INCIDENT_OVER)
    _refuse_other_pool(context, interaction, held.value)
    return held


def _refuse_other_pool(context: Context, interaction: Interaction, incident: Incident) -> None:
    named = pool_if_named(context.settings.file, interaction.words[0]) if interaction.words else ""
    if named and named not in incident.pools.candidates:
        raise Refused(refusals.other_incidents_pool(named))


async def _refuse_used(context: Context, request_id: str, incident: Incident) -> None:
    known = await context.request(request_id)
    if known is None:
        raise Refused(refusals.INCIDENT_OVER if incident.closed else refusals.OLD_BUTTON)
    raise already_requested(context, known)


async def subject_of_button(context: Context, interaction: Interaction) -> tuple[str, Stored[Incident]]:
    """(request id, its incident) of a reply's button; the thread must be the incident's (C8).

    When typed, the newest reply of the thread that still offers the action, for a pool if one is named. Raises Refused.
    """
    if interaction.request_id:
        request = await context.request(interaction.request_id)
        held = await context.store.get(Incident, request.incident) if request and request.incident else None
        if held is None:
            raise RecordLost(refusals.REQUEST_UNKNOWN)
        if await context.incident_here(interaction) != held.value.id:
            raise Refused(refusals.OTHER_THREADS_BUTTON)
        return interaction.request_id, held
    found = await context.incident_here(interaction)
    held = await context.store.get(Incident, found) if found else None
    if held is None:
        raise Refused(refusals.ask_in_a_thread(context.actions[interaction.name].usage))
    meant = {interaction.name, *context.actions[interaction.name].meant_by}
    pool = known_pool(context.settings.file, interaction.words[0]) if interaction.words else ""
    for entry in reversed(held.value.log.timeline):
        known = await context.request(entry.about) if meant & set(entry.choices) else None
        if known and (not pool or known.pool == pool):
            return entry.about, held
    raise Refused(refusals.NOTHING_WAITS)


async def own_of(context: Context, interaction: Interaction, held: Stored[Incident], about: str, *state: str) -> str:
    """The id of a request about another request: equal for two clicks while `state` is; new after a failure."""
    computed = f"{incident_of(about)}.{digest(interaction.name, about, *state)[:12]}"
    known = await context.request(computed)
    return own_id(held.value, interaction) if known and known.progress is Progress.FAILED else computed


async def remember(
    context: Context, interaction: Interaction, matchers: tuple[Matcher, ...] = (), texts: tuple[str, ...] = ()
) -> None:
    """Store what the dialog shows; without the store the dialog opens all the same."""
    shown = Shown(_shown_id(interaction), matchers, texts)
    with contextlib.suppress(Conflict, Unreachable):
        known = await context.store.get(Shown, shown.id) or Stored(shown, 0)
        await context.store.commit(Change(puts=(Put(known, shown, None, keep_seconds=KEPT_SECONDS),)))


async def recall(context: Context, interaction: Interaction) -> Shown:
    """What the submitted dialog showed; nothing if that is not known any more."""
    found = await context.store.get(Shown, _shown_id(interaction))
    return found.value if found else Shown(_shown_id(interaction))


def _shown_id(interaction: Interaction) -> str:
    return f"{incident_of(interaction.request_id)}.{digest(interaction.request_id, interaction.who)[:12]}"

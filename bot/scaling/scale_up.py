"""The action Scale up: an absolute target within limits, chosen in a dialog, stored, then set once."""

from collections.abc import Sequence
from dataclasses import replace

from bot.context.context import WORDS, Action, Context, Effect
from bot.context.queries import known_pool, permit_here
from bot.core.finding import Scaling
from bot.core.forecast.seen import seed_of
from bot.core.incident.details.requests import ScaleAccepted, ScaleStep
from bot.core.incident.incident import Incident, State
from bot.core.incident.observe import View
from bot.core.incident.timeline import Event
from bot.core.record import Change, Prepared, Put, Stored
from bot.core.requests.interaction import Answer, ButtonLabel, Interaction, Surface, incident_of, request_id
from bot.core.requests.request import Progress, Request, Result, ScaleUp
from bot.core.scaling.lease import BOOTS, HAND_BACK, SCALE_UP, Lease, PoolLeases, leased
from bot.ports import Refused
from bot.requests.submit import NO_INCIDENT, already_requested, audit_refusal, new_request, own_id, subject, submit
from bot.scaling.approval import asked_for, refuse_over, scale_request
from bot.scaling.dialogs import answered_dialog, effect_table, first_dialog, only_pool, with_more
from bot.scaling.limits import check_approval, check_limits, lease_terms, level_of, pool_scaler_of, require_approvers
from bot.views.dialogs.scale import OTHER, chosen_of
from bot.views.thread.results import ask_to_scale
from bot.views.words import refusals

MOST_DIGITS = 6
TWO_DAYS = 172_800.0
"""The horizon of forecasts: a queue that does not drain within it needs at least so long."""
DIALOG_SECONDS = 900.0
"""How long the dialog of a typed total stays valid."""


def _label(incident: Incident, view: View) -> ButtonLabel | None:
    scalable = [name for name in incident.pools.candidates if name in view.rules and view.rules[name].scalable]
    return ButtonLabel("Scale up", primary=_recommended(incident, view, scalable)) if scalable else None


def _recommended(incident: Incident, view: View, scalable: Sequence[str]) -> bool:
    """Whether somebody works on it, more runners help, and nobody has added any; before that Acknowledge stands out."""
    causes = (view.causes.get(name) for name in scalable if name in incident.pools.affected)
    helps = any(one and one.last_seen is None and one.scaling is Scaling.HELPS for one in causes)
    open_ = incident.state is State.OPEN and incident.ownership.owner is not None
    return helps and open_ and all(entry.event is not Event.SCALED for entry in incident.log.timeline)


async def handle(context: Context, interaction: Interaction) -> Answer:
    """Button, command, mention: open the dialog. Dialog: store the request, or answer another total with its effect."""
    if interaction.surface is Surface.DIALOG:
        return await _submitted(context, interaction)
    if interaction.surface is Surface.BUTTON:
        draft = await context.request(interaction.request_id)
        if draft and draft.progress is Progress.DRAFT and draft.who == interaction.who:
            return await _dialog_of(context, draft)
        if draft and draft.progress is not Progress.DRAFT:
            raise already_requested(context, draft)
        return await first_dialog(context, interaction)
    if not interaction.words and interaction.surface is Surface.COMMAND:
        held = await subject(context, interaction)
        return await first_dialog(context, replace(interaction, request_id=request_id(held.value, SCALE_UP)))
    if len(interaction.words) == 1 and not (interaction.thread and interaction.words[0].isdigit()):
        return await effect_table(context, known_pool(context.settings.file, interaction.words[0]))
    return await _drafted(context, interaction)


async def _drafted(context: Context, interaction: Interaction) -> Answer:
    """A typed total: keep it for the dialog that shows its effect."""
    held = await subject(context, interaction) if interaction.thread else None
    pool, text = await _spoken(context, interaction, held)
    if held is None:
        await permit_here(context, pool, interaction.channel, interaction.who)
    target = _total(context, pool, text)
    current, *_ = await check_limits(context, pool, target)
    require_approvers(context, pool, target, in_thread=held is not None)
    named = replace(interaction, request_id=own_id(held.value if held else None, interaction))
    draft = replace(new_request(context, named, held, ScaleUp(pool, target, current)), progress=Progress.DRAFT)
    known = await context.store.get(Request, draft.id)
    if known and (known.value.progress is not Progress.DRAFT or known.value.who != interaction.who):
        raise already_requested(context, known.value)
    put = Put(known or Stored(draft, 0), draft, None, keep_seconds=DIALOG_SECONDS)
    await context.store.commit(Change(puts=(put,)))
    if interaction.surface is Surface.MENTION:
        return Answer(whisper=ask_to_scale(draft.id, pool, current, target))
    return await _dialog_of(context, draft)


async def _dialog_of(context: Context, draft: Request) -> Answer:
    about = await context.store.get(Incident, draft.incident) if draft.incident else None
    return Answer(view=await answered_dialog(context, draft.id, draft.of(ScaleUp), about.value if about else None))


async def _submitted(context: Context, interaction: Interaction) -> Answer:
    """One of the choices is stored as it was shown; another total or pool is answered with its effect."""
    draft = await context.store.get(Request, interaction.request_id)
    if draft is not None and draft.value.progress is not Progress.DRAFT:
        raise already_requested(context, draft.value)
    if draft.value.who != interaction.who if draft else incident_of(interaction.request_id) == NO_INCIDENT:
        raise Refused(refusals.QUESTION_LAPSED)
    about = draft.value.incident if draft else None
    held = await context.store.get(Incident, about) if about else None if draft else await subject(context, interaction)
    values = interaction.values
    field = "answer" if "answer" in values else "choice"
    pool, total, shown = chosen_of(values.get(field, ""))
    typed = values.get("target", "").strip()
    if (other := total in {OTHER, ""}) is False and typed:
        return Answer(errors={"target": refusals.NUMBER_NOT_CHOSEN})
    if other:
        field, total, shown = "target", typed, 0
        pool = values.get("pool") or pool or (await only_pool(context, held) if held else "")
    if draft is None and held is not None and pool not in held.value.pools.candidates:
        raise Refused(refusals.OTHER_POOLS_DIALOG)
    try:
        target = _total(context, pool, total)
        current, *_ = await check_limits(context, pool, target, seen=shown)
        require_approvers(context, pool, target, in_thread=held is not None)
    except Refused as refusal:
        await audit_refusal(context, interaction, str(refusal))
        return Answer(errors={field: str(refusal)})
    body = ScaleUp(pool, target, shown or current)
    if other:
        return Answer(view=await answered_dialog(context, interaction.request_id, body, held.value if held else None))
    made = replace(draft.value, body=body) if draft else new_request(context, interaction, held, body)
    request, move = asked_for(context, made, target, tell=True)
    await submit(context, interaction, held, request, move, draft=draft)
    return Answer()


def _total(context: Context, pool: str, text: str) -> int:
    """The target as entered, in whole machines; raises Refused."""
    if not text.isascii() or not text.isdigit() or len(text) > MOST_DIGITS:
        raise Refused(refusals.no_number(text))
    return pool_scaler_of(context, pool).policy.whole(int(text))


async def prepare(context: Context, request: Request, incident: Incident | None) -> Prepared:
    """Check incident, limit, step, cooldown, cost and approval again.

    The intent also records the lease, so that the runners are returned whatever happens next.
    """
    if incident is not None:
        refuse_over(request, incident)
    body = request.of(ScaleUp)
    pool, key = body.pool, context.lease_key(body.pool)
    last = await context.store.find(f"scaled:{key}")
    size, capacity, held = await check_limits(context, pool, body.target, seen=body.from_size, but=request.id)
    await check_approval(context, request, body.target)
    if held and any(lease.returning for lease in held.value.leases):
        raise Refused(refusals.returning_now(pool))
    file, now = context.settings.file, context.now()
    intent, point = replace(request, before=f"{size}", shadow=file.actions.shadow), (request.id, last)
    if intent.shadow:
        return Prepared(intent, {f"scaled:{key}": point})
    latest, length = (await context.pool_now(pool)).latest, pool_scaler_of(context, pool).policy.lease_seconds
    lease = Lease(
        act=request.id,
        who=request.who,
        channel=request.channel,
        target=body.target,
        before=size,
        requested_at=now,
        pool=pool if pool != key else "",
        incident=request.incident,
        ends_at=now + length if length is not None else None,
        online=latest.online if latest else None,
        queued=latest.queued if latest else None,
    )
    after = leased(held.value if held else None, lease, capacity.level or 0, key)
    put = Put(held or Stored(PoolLeases(key), 0), after, now + file.timing.poll)
    return Prepared(intent, {f"scaled:{key}": point}, (put,))


async def effect(context: Context, request: Request, incident: Incident | None) -> Result:  # noqa: ARG001 - as every action has it
    """Set the absolute target; the request's id is the Idempotency-Key."""
    body = request.of(ScaleUp)
    if request.shadow:
        return Result(scale_request(request, ScaleStep.NOT_SENT), event=Event.NOTED)
    pending = await pool_scaler_of(context, body.pool).scaler.set(body.target, request.id)
    return await _accepted(context, request, pending or "")


async def check(context: Context, request: Request, incident: Incident | None) -> Result | None:  # noqa: ARG001 - the same
    """Read the scaler: it happened if the size is at or above the target."""
    if request.shadow:
        return None
    body = request.of(ScaleUp)
    level, capacity = await level_of(context, body.pool)
    return await _accepted(context, request, capacity.pending) if level >= body.target else None


async def _accepted(context: Context, request: Request, pending: str) -> Result:
    """The result, with the price and what the forecast says of the queue with the extra runners."""
    body, before, file = request.of(ScaleUp), request.before, context.settings.file
    pool = await context.pool_now(body.pool)
    without, option = (before and with_more(context, pool, body.target - int(before))) or (None, None)
    details = ScaleAccepted(
        body.pool,
        int(before) if before else None,
        body.target,
        BOOTS * file.rules_of(body.pool).boot_time_seconds + pool.usual_age,
        lease_terms(context, body.pool),
        pending,
        price=pool_scaler_of(context, body.pool).policy.price,
        currency=file.slack.currency,
        low_seconds=option.low_seconds if option else None,
        high_seconds=option.high_seconds if option else None,
        without_low_seconds=(without.low_seconds or TWO_DAYS) if without else None,
        without_mid_seconds=without.mid_seconds if without else None,
        without_high_seconds=without.high_seconds if without else None,
        without_seed=seed_of(body.pool) if without else None,
    )
    return Result(details, f"{body.target}", offers=(HAND_BACK,))


async def _spoken(context: Context, interaction: Interaction, held: Stored[Incident] | None) -> tuple[str, str]:
    """(pool, target) as typed; in a thread the only pool that queues, or that can be scaled, may be omitted."""
    *pools, target = interaction.words or ("",)
    able = [name for name in held.value.pools.affected if name in context.pool_scalers] if held else []
    known = able[0] if len(able) == 1 else await only_pool(context, held) if held and not pools else ""
    pool = known_pool(context.settings.file, pools[0]) if pools else known
    if not pool or not target or len(pools) > 1:
        raise Refused(refusals.scale_usage(ACTION.usage))
    return pool, target


ACTION = Action(
    name=SCALE_UP,
    typed="scale",
    takes="POOL TARGET",
    help="Ask for more runners, for example `scale linux.2xlarge 24`; shows its effect first.",
    handle=handle,
    permission="scale",
    surfaces=WORDS | {Surface.BUTTON},
    label=_label,
    acknowledges=True,
    kill_switch=True,
    dialogs=(SCALE_UP,),
    stored_by_dialog=True,
    events=(Event.SCALED,),
    effect=Effect(effect, prepare, check, moves_lease=True, undo=(HAND_BACK,)),
)

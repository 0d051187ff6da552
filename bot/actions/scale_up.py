"""Scale up: an absolute target within the pool's limits, confirmed, written down, then asked of the scaler once."""

from dataclasses import replace

from bot.core.action import Act, Performed, Progress, Ready
from bot.core.capacity import expected
from bot.core.guards import ScalePolicy, Verdict, judged, proposed
from bot.core.incident import Incident, noted
from bot.core.observe import View
from bot.core.offer import Offer, act_id
from bot.core.pool import Pool, PoolRules, worst_first
from bot.core.record import Change, Held, Put
from bot.core.request import Answer, Request, Surface
from bot.core.timeline import Event
from bot.core.words import count
from bot.desk import Desk, Lever
from bot.ports import Capacity, Failure, Refused, Unreachable
from bot.stories.ask import acting, already, fresh_act, own_id, permit, refused, request_act, subject
from bot.views.modals import ScaleChoice, scale_confirm, scale_modal
from bot.views.results import confirm_scale

NAME, VERB, USAGE = "scale_up", "scale", "scale POOL TARGET"
HELP = "Ask for more runners, for example `scale linux.2xlarge 24`; asks to confirm first."
MOST_DIGITS = 6
DIALOG_SECONDS = 900.0
"""How long a dialog that was not confirmed stays good."""


def offer(incident: Incident, view: View) -> Offer | None:
    """Where one of the pools has a scaler."""
    scalable = [name for name in incident.candidates if name in view.rules and view.rules[name].scalable]
    return Offer(NAME, "Scale up", act_id(incident, NAME)) if scalable else None


async def ask(desk: Desk, request: Request) -> Answer:
    """Button: the dialog. Dialog, command, mention: the question to confirm. Confirmed: the request is written."""
    acting(desk)
    await permit(desk, request.who, request.team, "scale")
    if request.step == "scale_up_confirm":
        return await _confirmed(desk, request)
    if request.surface is Surface.BUTTON:
        draft = await desk.act(request.act)
        if draft and draft.progress is Progress.DRAFT and draft.who == request.who:
            return Answer(view=await _question(desk, draft))
        if draft and draft.progress is not Progress.DRAFT:
            raise already(desk, draft)
        return await _dialog(desk, request)
    held: Held[Incident] | None
    if request.surface is Surface.DIALOG:
        held = of_dialog = await subject(desk, request)
        pool = request.values.get("pool") or await _only_pool(desk, of_dialog)
        text = request.values.get("target", "").strip()
    else:
        pool, text = _spoken(request)
        held = await subject(desk, request) if request.thread else None
    return await _drafted(desk, request, held, pool, text)


async def _only_pool(desk: Desk, held: Held[Incident]) -> str:
    """A dialog asks for the pool only where several can be raised; empty when that has changed since."""
    names = [name for name in held.value.candidates if name in desk.levers]
    if len(names) == 1:
        return names[0]
    choices = [await _choice(desk, name) for name in names]
    able = [choice.pool for choice in choices if choice.proposed is not None]
    return able[0] if len(able) == 1 else ""


async def _dialog(desk: Desk, request: Request) -> Answer:
    held = await subject(desk, request)
    names = [name for name in held.value.candidates if name in desk.levers]
    pools = await desk.store.get_many(Pool, names)
    latest = worst_first([p.value.latest for p in pools.values() if p.value.latest])
    order = [s.pool for s in latest] + [name for name in names if name not in {s.pool for s in latest}]
    choices = tuple([await _choice(desk, name) for name in order[:10]])
    return Answer(view=scale_modal(request.act, choices))


async def _choice(desk: Desk, name: str) -> ScaleChoice:
    lever, rules = desk.levers[name], desk.settings.file.pools[name]
    pool = await desk.store.get(Pool, name)
    latest = pool.value.latest if pool else None
    try:
        capacity, reason = await lever.scaler.read(), ""
    except (Unreachable, Refused) as error:
        capacity, reason = Capacity(None), str(error)
    queued = latest.queued if latest else None
    return ScaleChoice(
        pool=name,
        current=capacity.current,
        maximum=_maximum(lever, capacity),
        limit=latest.limit if latest else None,
        queued=queued,
        proposed=proposed(_within(lever, capacity), capacity.current, queued),
        step=lever.policy.step,
        boot_time_seconds=rules.boot_time_seconds,
        cost_per_runner_hour=lever.policy.cost_per_runner_hour,
        reason=reason,
    )


async def _drafted(desk: Desk, request: Request, held: Held[Incident] | None, pool: str, text: str) -> Answer:
    try:
        current, verdict = await _allowed(desk, pool, text)
    except Refused as refusal:
        if request.surface is not Surface.DIALOG:
            raise
        await refused(desk, request, str(refusal))
        return Answer(errors={"target": str(refusal)})
    named = replace(request, act=own_id(held.value if held else None, request))
    target = verdict.target or current
    params = {"target": str(target), "from": str(current)}
    draft = replace(fresh_act(desk, named, held, pool=pool, params=params), progress=Progress.DRAFT)
    known = await desk.store.get(Act, draft.id)
    if known and (known.value.progress is not Progress.DRAFT or known.value.who != request.who):
        raise already(desk, known.value)
    put = Put(known or Held(draft, 0), draft, None, keep_seconds=DIALOG_SECONDS)
    await desk.store.commit(Change(puts=(put,)))
    if request.surface is Surface.MENTION:
        return Answer(whisper=confirm_scale(draft.id, pool, current, target))
    return Answer(view=await _question(desk, draft, verdict.reason))


async def _allowed(desk: Desk, pool: str, text: str) -> tuple[int, Verdict]:
    if not text.isascii() or not text.isdigit() or len(text) > MOST_DIGITS:
        raise Refused(f'The target is a whole number of runners, for example 24; "{text[:20]}" is not.')
    current, verdict = await _judge(desk, lever_of(desk, pool), pool, int(text))
    if verdict.target is None:
        raise Refused(verdict.reason)
    return current, verdict


async def _question(desk: Desk, draft: Act, note: str = "") -> dict[str, object]:
    pool, target, current = draft.pool or "", int(draft.params["target"]), int(draft.params["from"])
    held = await desk.store.get(Pool, pool)
    rules = desk.settings.file.pools.get(pool, PoolRules(pool))
    foreseen = expected(held.value.latest if held else None, target - current, rules)
    lines = [*([note] if note else []), *foreseen]
    cost = desk.levers[pool].policy.cost_per_runner_hour
    if cost is not None:
        lines.append(
            f"Cost: about {cost * (target - current):.2f} an hour more, in the currency of your configuration."
        )
    if desk.settings.file.actions.shadow:
        lines.append("Shadow mode: nothing will really be asked of the scaler.")
    return dict(scale_confirm(draft.id, pool, current, target, lines))


async def _confirmed(desk: Desk, request: Request) -> Answer:
    draft = await desk.store.get(Act, request.act)
    if draft is None or draft.value.who != request.who:
        raise Refused("This question has lapsed; open Scale up again.")
    if draft.value.progress is not Progress.DRAFT:
        raise already(desk, draft.value)
    act = replace(draft.value, progress=Progress.REQUESTED, requested_at=desk.now())
    words = f"asked to scale {act.pool} from {act.params['from']} to {act.params['target']} runners."
    held = await desk.store.get(Incident, act.incident) if act.incident else None
    now = desk.now()
    await request_act(
        desk,
        request,
        held,
        act,
        lambda fresh: noted(fresh, now, Event.REQUESTED, words, who=act.who, tell=False),
        draft=draft,
    )
    return Answer()


async def prepare(desk: Desk, act: Act, incident: Incident | None) -> Ready:  # noqa: ARG001 - the contract's shape
    """Kill switch, permission, limit, step and cooldown, judged against what is true in this moment."""
    acting(desk)
    await permit(desk, act.who, "", "scale")
    pool = act.pool or ""
    lever = lever_of(desk, pool)
    last = await desk.store.find(f"scaled:{pool}")
    asked, seen = int(act.params["target"]), int(act.params["from"])
    current, verdict = await _judge(desk, lever, pool, asked, seen=seen, but=act.id)
    if verdict.target is None:
        raise Refused(verdict.reason)
    params = {**act.params, "target": str(verdict.target)}
    return Ready(replace(act, before=f"{current}", params=params), {f"scaled:{pool}": (act.id, last)})


async def effect(desk: Desk, act: Act, incident: Incident | None) -> Performed:  # noqa: ARG001
    """Set the absolute target; the act's id is the Idempotency-Key."""
    pool, target = act.pool or "", int(act.params["target"])
    if desk.settings.file.actions.shadow:
        words = f"would have asked {pool}'s scaler for {count(target, 'runner')} (now {act.before}); shadow mode."
        return Performed(words)
    await lever_of(desk, pool).scaler.set(target, act.id)
    return _accepted(desk, act)


async def check(desk: Desk, act: Act, incident: Incident | None) -> Performed | None:  # noqa: ARG001
    """Read the scaler back: at or above the target means that it happened."""
    if desk.settings.file.actions.shadow:
        return None
    pool, target = act.pool or "", int(act.params["target"])
    capacity = await lever_of(desk, pool).scaler.read()
    if capacity.current is None:
        raise Unreachable(f"{pool}'s scaler", "it cannot say what is set now", failure=Failure.UNKNOWN)
    return _accepted(desk, act) if capacity.current >= target else None


def lever_of(desk: Desk, pool: str) -> Lever:
    """The pool's scaler; raises Refused with what to do."""
    if (lever := desk.levers.get(pool)) is not None:
        return lever
    if not pool:
        raise Refused("The pools have changed since this dialog was opened; close it and open Scale up again.")
    known = ", ".join(sorted(desk.levers)) or "none"
    raise Refused(f'Pool "{pool}" has no scaler. Pools that can be scaled: {known}.')


async def _judge(  # noqa: PLR0913 - what a verdict rests on
    desk: Desk, lever: Lever, pool: str, target: int, *, seen: int = 0, but: str = ""
) -> tuple[int, Verdict]:
    agreed = lever.policy.approval_above
    if agreed is not None and target > agreed:
        raise Refused(
            f"A target above {agreed:,} needs a second person to agree (`approval_above`), "
            "and Tailback cannot ask for that yet. Nothing was done."
        )
    try:
        capacity = await lever.scaler.read()
    except Unreachable as error:
        raise Refused(f"The scaler of {pool} does not answer ({error.what}), so nothing is asked of it.") from None
    last = await desk.store.find(f"scaled:{pool}")
    before = await desk.act(last) if last and last != but else None
    scaled_at = before.sent_at if before and before.progress is not Progress.FAILED else None
    verdict = judged(_within(lever, capacity), target, capacity.current, scaled_at, desk.now(), seen)
    return capacity.current or 0, verdict


def _maximum(lever: Lever, capacity: Capacity) -> int:
    return lever.policy.maximum if capacity.maximum is None else min(lever.policy.maximum, capacity.maximum)


def _within(lever: Lever, capacity: Capacity) -> ScalePolicy:
    return replace(lever.policy, maximum=_maximum(lever, capacity), minimum=capacity.minimum or 0)


def _accepted(desk: Desk, act: Act) -> Performed:
    rules = desk.settings.file.pools.get(act.pool or "", PoolRules(act.pool or ""))
    words = f"asked {act.pool}'s scaler for {act.params['target']} runners (was {act.before}); it accepted."
    line = f"New runners take about {rules.boot_time_seconds / 60:.0f} min to boot."
    return Performed(words, act.params["target"], Event.SCALED, (line,))


def _spoken(request: Request) -> tuple[str, str]:
    if len(request.words) != 2:
        raise Refused(f"Say which pool and how many runners: `{USAGE}`, for example `scale linux.2xlarge 24`.")
    return request.words[0], request.words[1]

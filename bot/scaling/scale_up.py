"""Scale up: an absolute target within the pool's limits, confirmed, written down, then asked of the scaler once."""

import asyncio
from dataclasses import replace

from bot.context.channels import permit_here
from bot.context.context import Desk
from bot.context.save import Move
from bot.core.incident.incident import Incident, noted
from bot.core.incident.observe import View
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Pool, worst_first
from bot.core.record import Change, Held, Put, Ready
from bot.core.requests.interaction import Answer, Request, Surface
from bot.core.requests.offer import Offer, act_id
from bot.core.requests.request import Act, Performed, Progress, awaiting
from bot.core.scaling.lease import Lease, Share, lent
from bot.core.scaling.limits import Verdict, needs_approval, proposed
from bot.core.scaling.verify import deadline_seconds
from bot.core.words import count, how_long, whose_time
from bot.diagnosing.explain import cautions
from bot.ports import Capacity, Refused, Unreachable
from bot.requests.permission import acting, already, fresh_act, own_id, permit, refused, request_act

from bot.requests.permission import still_permitted, subject  # isort: skip
from bot.scaling.approval import agreement, askable, asked_for_two
from bot.scaling.dialog_sizes import remember, size_shown
from bot.scaling.limits import Judged, boot_seconds, judge, level_of, lever_of, maximum, within
from bot.scaling.what_if import effect_of, effects, enough, useless
from bot.views.dialogs.modals import ScaleChoice, scale_confirm, scale_modal
from bot.views.thread.results import confirm_scale, told

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
        if pool and pool not in of_dialog.value.candidates:
            raise Refused("This dialog belongs to an incident of other pools; nothing was done.")
        text = request.values.get("target", "").strip()
    else:
        if len(request.words) == 1:
            return await _table(desk, request.words[0])
        pool, text = _spoken(request)
        held = await subject(desk, request) if request.thread else None
        if held is None:
            await permit_here(desk, pool, request.channel)
        elif pool in desk.levers and pool not in held.value.candidates:
            raise Refused(f'Pool "{pool}" is not of this incident; nothing was done. Ask outside its thread.')
    return await _drafted(desk, request, held, pool, text)


async def _table(desk: Desk, pool: str) -> Answer:
    """`scale POOL` without a target: what each choice would do, for the person alone."""
    capacity = await lever_of(desk, pool).scaler.read()
    lines = await effects(desk, pool, capacity.size)
    words = f"{pool} has {count(capacity.size, 'runner')}. What more would do:"
    return Answer(whisper=told(Performed(words, lines=lines or ("The pool has not been measured.",))))


async def _only_pool(desk: Desk, held: Held[Incident]) -> str:
    """A dialog asks for the pool only where several can be raised; empty when that has changed since."""
    names = [name for name in held.value.candidates if name in desk.levers]
    if len(names) == 1:
        return names[0]
    choices = await asyncio.gather(*(_choice(desk, name) for name in names))
    able = [choice.pool for choice in choices if choice.proposed is not None]
    return able[0] if len(able) == 1 else ""


async def _dialog(desk: Desk, request: Request) -> Answer:
    held = await subject(desk, request)
    names = [name for name in held.value.candidates if name in desk.levers]
    pools = await desk.store.get_many(Pool, names)
    latest = worst_first([p.value.latest for p in pools.values() if p.value.latest])
    order = [s.pool for s in latest] + [name for name in names if name not in {s.pool for s in latest}]
    against = await cautions(desk)
    choices = await asyncio.gather(*(_choice(desk, name, against.get(name, "")) for name in order[:10]))
    await remember(desk, request, {one.pool: one.current for one in choices if one.current is not None})
    able = next((one for one in choices if one.proposed is not None), None)
    table = await effects(desk, able.pool, able.current) if able else ()
    return Answer(view=scale_modal(request.act, choices, table))


async def _choice(desk: Desk, name: str, caution: str = "") -> ScaleChoice:
    lever, rules = desk.levers[name], desk.settings.file.pools[name]
    pool = await desk.store.get(Pool, name)
    latest = pool.value.latest if pool else None
    try:
        capacity, reason = await lever.scaler.read(), ""
    except (Unreachable, Refused) as error:
        capacity, reason = Capacity(None), str(error)
    queued, policy = latest.queued if latest else None, within(lever, capacity)
    room = policy.maximum - (capacity.size or 0)
    wanted = enough(desk, pool.value if pool else None, min(room, policy.step or room))
    return ScaleChoice(
        pool=name,
        current=capacity.size,
        maximum=maximum(lever, capacity),
        limit=latest.limit if latest else None,
        queued=queued,
        proposed=proposed(policy, capacity.size, queued if wanted is None else wanted),
        step=lever.policy.step,
        boot_time_seconds=rules.boot_time_seconds,
        cost_per_runner_hour=lever.policy.cost_per_runner_hour,
        reason=reason,
        useless=bool(caution) or useless(desk, pool.value if pool else None),
    )


async def _drafted(desk: Desk, request: Request, held: Held[Incident] | None, pool: str, text: str) -> Answer:
    try:
        shown = await size_shown(desk, request, pool) if request.surface is Surface.DIALOG else None
        current, verdict = await _allowed(desk, pool, text, shown)
        askable(desk, pool, verdict.target or current, in_thread=held is not None)
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


async def _allowed(desk: Desk, pool: str, text: str, shown: int | None) -> tuple[int, Verdict]:
    """(size now, verdict). What was within the step at the size `shown` is lowered to it, and the question says so."""
    if not text.isascii() or not text.isdigit() or len(text) > MOST_DIGITS:
        raise Refused(f'The target is a whole number of runners, for example 24; "{text[:20]}" is not.')
    step = lever_of(desk, pool).policy.step or 0
    found = await judge(desk, pool, int(text), lower=shown is not None and int(text) <= shown + step)
    if found.verdict.target is None:
        raise Refused(found.verdict.reason)
    return found.size, found.verdict


async def _question(desk: Desk, draft: Act, note: str = "") -> dict[str, object]:
    pool, target, current = draft.pool or "", int(draft.params["target"]), int(draft.params["from"])
    lines = [*([note] if note else []), *await effect_of(desk, pool, target - current)]
    policy = lever_of(desk, pool).policy
    if (cost := policy.cost_per_runner_hour) is not None:
        lines.append(
            f"Cost: about {cost * (target - current):.2f} an hour more, in the currency of your configuration."
        )
    lines += [line for line in (policy.caution, _lease_words(desk, pool)) if line]
    speed = desk.settings.file.paces.speed
    if needs_approval(policy, target):
        lines.append(f"A second person must agree, within {how_long(policy.approval_within_seconds, speed)}.")
    if desk.settings.file.actions.shadow:
        lines.append("Shadow mode: nothing will really be asked of the scaler.")
    lines += [told for told in (whose_time(speed),) if told]
    return dict(scale_confirm(draft.id, pool, current, target, lines))


async def _confirmed(desk: Desk, request: Request) -> Answer:
    draft = await desk.store.get(Act, request.act)
    if draft is None or draft.value.who != request.who:
        raise Refused("This question has lapsed; open Scale up again.")
    if draft.value.progress is not Progress.DRAFT:
        raise already(desk, draft.value)
    held = await desk.store.get(Incident, draft.value.incident) if draft.value.incident else None
    policy, now = lever_of(desk, draft.value.pool or "").policy, desk.now()
    if needs_approval(policy, int(draft.value.params["target"])):
        askable(desk, draft.value.pool or "", int(draft.value.params["target"]), in_thread=held is not None)
        act = awaiting(draft.value, now, policy.approval_within_seconds)
        move = asked_for_two(desk, act, now)
    else:
        act = replace(draft.value, progress=Progress.REQUESTED, requested_at=now)
        words = f"asked to scale {act.pool} from {act.params['from']} to {act.params['target']} runners."
        move = _asked(act, now, words)
    await request_act(desk, request, held, act, move, draft=draft)
    return Answer()


def _asked(act: Act, now: float, words: str) -> Move:
    return lambda fresh: noted(fresh, now, Event.REQUESTED, words, who=act.who, tell=False)


async def prepare(desk: Desk, act: Act, incident: Incident | None) -> Ready:  # noqa: ARG001 - the contract's shape
    """Kill switch, permission, limit, step, cooldown, cost and approval, judged against what is true in this moment.

    With the intent the pool's lease learns what may be raised now, so that it is handed back whatever happens next.
    """
    acting(desk)
    await still_permitted(desk, act.who, "scale")
    pool, asked = act.pool or "", int(act.params["target"])
    last = await desk.store.find(f"scaled:{pool}")
    found = await judge(desk, pool, asked, seen=int(act.params["from"]), but=act.id)
    target = found.verdict.target
    if target is None:
        raise Refused(found.verdict.reason)
    await agreement(desk, act, target)
    if found.lease and any(share.returning for share in found.lease.value.shares):
        raise Refused(f"Extra capacity of {pool} is being handed back in this moment. Ask again in a minute.")
    shadow = desk.settings.file.actions.shadow
    intent = replace(act, before=f"{found.size}", params={**act.params, "target": str(target)}, shadow=shadow)
    puts = () if shadow else (await _lent(desk, intent, found),)
    return Ready(intent, {f"scaled:{pool}": (act.id, last)}, puts)


async def _lent(desk: Desk, act: Act, found: Judged) -> Put:
    pool, now = act.pool or "", desk.now()
    measured = await desk.store.get(Pool, pool)
    latest = measured.value.latest if measured else None
    length = lever_of(desk, pool).policy.lease_seconds
    share = Share(
        act=act.id,
        who=act.who,
        channel=act.channel,
        target=int(act.params["target"]),
        before=found.size,
        asked_at=now,
        incident=act.incident,
        ends_at=now + length if length is not None else None,
        online=latest.online if latest else None,
        queued=latest.queued if latest else None,
    )
    known = found.lease or Held(Lease(pool), 0)
    after = lent(found.lease.value if found.lease else None, share, found.capacity.level or 0, pool)
    return Put(known, after, now + desk.settings.file.timing.poll)


async def effect(desk: Desk, act: Act, incident: Incident | None) -> Performed:  # noqa: ARG001
    """Set the absolute target; the act's id is the Idempotency-Key."""
    pool, target = act.pool or "", int(act.params["target"])
    if act.shadow:
        words = f"would have asked {pool}'s scaler for {count(target, 'runner')} (now {act.before}); shadow mode."
        return Performed(words)
    await lever_of(desk, pool).scaler.set(target, act.id)
    return _accepted(desk, act)


async def check(desk: Desk, act: Act, incident: Incident | None) -> Performed | None:  # noqa: ARG001
    """Read the scaler back: at or above the target means that it happened."""
    if act.shadow:
        return None
    level, _ = await level_of(desk, act.pool or "")
    return _accepted(desk, act) if level >= int(act.params["target"]) else None


def _accepted(desk: Desk, act: Act) -> Performed:
    pool = act.pool or ""
    words = f"asked {pool}'s scaler for {act.params['target']} runners (was {act.before}); it accepted."
    within_words = how_long(deadline_seconds(boot_seconds(desk, pool)), desk.settings.file.paces.speed)
    told = "this thread is" if act.incident else "you are"
    lines = (f"Whether they come is checked: {told} told within {within_words}.", _lease_words(desk, pool))
    return Performed(words, act.params["target"], Event.SCALED, lines)


def _lease_words(desk: Desk, pool: str) -> str:
    policy = lever_of(desk, pool).policy
    if policy.lease_seconds is None:
        return "They stay until somebody lowers the pool: no `lease` is configured for it."
    speed = desk.settings.file.paces.speed
    drained, latest = how_long(policy.drained_seconds, speed), how_long(policy.lease_seconds, speed)
    return f"They are handed back when the queue has been empty for {drained}, and after {latest} at the latest."


def _spoken(request: Request) -> tuple[str, str]:
    if len(request.words) != 2:
        raise Refused(f"Say which pool and how many runners: `{USAGE}`, for example `scale linux.2xlarge 24`.")
    return request.words[0], request.words[1]

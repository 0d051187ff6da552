"""A lease is due: say what came of the runners that were asked for, warn before their end, and hand them back."""

from dataclasses import dataclass, replace

from bot.context.context import Desk
from bot.context.save import keep
from bot.core.incident.incident import Incident, noted
from bot.core.incident.reply_buttons import offering
from bot.core.incident.timeline import Event
from bot.core.message import Message
from bot.core.pool.pool import Pool, PoolRules, Snapshot, empty
from bot.core.record import Change, Claim, Held, Put
from bot.core.requests.request import Act, Progress
from bot.core.scaling.lease import Lease, Share, looked, over, reviewed, warning, warning_due_at, with_share
from bot.core.scaling.verify import Came, Evidence, verdict
from bot.ports import Refused, Unreachable
from bot.requests.permission import audited
from bot.scaling.hand_back import begun, hindrance, return_act
from bot.scaling.limits import boot_seconds, lever_of
from bot.views.home.answers import said

FORGOTTEN_SECONDS = 86400.0
"""How long a lease without shares stays on record."""
STUCK_SECONDS = 60.0
"""How often a hand-back that is not allowed now is thought of again."""


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a lease: what became of its acts, and its pool now."""

    held: Held[Lease]
    lease: Lease
    acts: dict[str, Act]
    sample: Snapshot | None
    now: float


@dataclass(frozen=True, slots=True)
class News:
    """Something to tell, and the share as it is once that is told."""

    share: Share
    event: Event
    text: str
    choices: tuple[str, ...] = ()
    figures: tuple[Snapshot, ...] = ()


async def tend(desk: Desk, claim: Claim) -> None:
    """Do the first thing that is due, and be due again; when nothing is, say when to look next."""
    known = claim.held.value if claim.held and isinstance(claim.held.value, Lease) else Lease(claim.id)
    held = Held(known, claim.held.version if claim.held else 0, claim.fence, None, claim.lease_ends)
    look = await _look(desk, held)
    for share in look.lease.shares:
        if (news := await _news(desk, look, share)) is not None:
            await _tell(desk, look, news)
            return
        if why := over(share, look.lease, look.now, _drained_seconds(desk, known.id)):
            await _return(desk, look, share, why)
            return
    due = _next_look(desk, look)
    keep_seconds = None if look.lease.shares else FORGOTTEN_SECONDS
    await desk.store.commit(Change(puts=(Put(held, look.lease, due, keep_seconds=keep_seconds),)))


def _drained_seconds(desk: Desk, pool: str) -> float:
    """How long the queue must have been empty; infinity for a pool whose scaler is not configured any more."""
    lever = desk.levers.get(pool)
    return lever.policy.drained_seconds if lever else float("inf")


async def _look(desk: Desk, held: Held[Lease]) -> Look:
    ids = [act for share in held.value.shares for act in (share.act, share.returning) if act]
    acts = {name: found.value for name, found in (await desk.store.get_many(Act, ids)).items()}
    now = desk.now()
    lease = reviewed(held.value, acts, now)
    sample = await _sample(desk, held.value.id) if lease.shares else None
    floor = desk.settings.file.pools.get(held.value.id, PoolRules(held.value.id)).floor
    return Look(held, looked(lease, empty(sample, floor), now), acts, sample, now)


async def _sample(desk: Desk, pool: str) -> Snapshot | None:
    """The pool now: what an incident's look found a moment ago, else a look of our own; None when it cannot be seen."""
    known = await desk.store.get(Pool, pool)
    latest = known.value.latest if known else None
    if latest is not None and desk.now() - latest.at <= 1.5 * desk.settings.file.timing.poll:
        return latest
    try:
        return await desk.metrics[pool].snapshot(pool) if pool in desk.metrics else None
    except Unreachable:
        return None


async def _news(desk: Desk, look: Look, share: Share) -> News | None:
    """What the thread must be told of a share: whether it came, or that its end is near."""
    act = look.acts.get(share.act)
    if act is not None and act.progress is Progress.DONE and not share.verified:
        accepted_at = act.finished_at or share.asked_at
        boot, speed = boot_seconds(desk, look.lease.id), desk.settings.file.paces.speed
        evidence = Evidence(look.lease.id, accepted_at, boot, look.now, look.sample, speed=speed)
        if (found := verdict(share, evidence)) is not None:
            if found.came not in {Came.VERIFIED, Came.UNSEEN}:
                found = verdict(share, await _with_reasons(desk, evidence)) or found
            figures = (look.sample,) if look.sample else ()
            told = replace(share, verified=found.came.value)
            return News(told, Event.VERIFIED, found.words, ("hand_back",), figures)
    if look.now >= warning_due_at(share) and not share.returning and look.now < (share.ends_at or look.now):
        words = warning(look.lease, share, look.now, desk.settings.file.paces.speed)
        return News(replace(share, warned=True), Event.LENT, words, ("extend", "hand_back"))
    return None


async def _with_reasons(desk: Desk, evidence: Evidence) -> Evidence:
    """The same with what the scaler itself counts and says; without, when it does not answer."""
    try:
        capacity = await lever_of(desk, evidence.pool).scaler.read()
    except (Unreachable, Refused):
        return evidence
    delivered = capacity.current if capacity.desired is not None else None
    return replace(evidence, delivered=delivered, trouble=capacity.trouble)


async def _return(desk: Desk, look: Look, share: Share, why: str) -> None:
    """Ask for the hand-back; where it is not allowed now, say so once and think of it again."""
    if reason := hindrance(desk) or ("" if look.lease.id in desk.levers else "its scaler is not configured any more"):
        waiting = replace(share, retry_at=look.now + STUCK_SECONDS, stuck=reason)
        if share.stuck == reason:
            put = Put(look.held, with_share(look.lease, waiting), look.now + STUCK_SECONDS)
            await desk.store.commit(Change(puts=(put,)))
            return
        words = f"The extra runners of {look.lease.id} (to {share.target:,}) cannot be handed back: {reason}."
        await _tell(desk, look, News(waiting, Event.LENT, words))
        return
    back = return_act(desk, look.lease.id, share, "", why)
    puts = begun(look.held, look.lease, share, back, look.now)
    await desk.store.commit(Change(puts=puts, audit=(audited(back, look.now, f"asked: {why}"),)))


async def _tell(desk: Desk, look: Look, news: News) -> None:
    put = Put(look.held, with_share(look.lease, news.share), look.now)
    incident = await desk.store.get(Incident, news.share.incident) if news.share.incident else None
    if incident is None:
        await desk.store.commit(Change(puts=(put,)))
        await _whisper(desk, news)
        return

    def move(fresh: Incident) -> Incident:
        told = noted(fresh, look.now, news.event, news.text, figures=news.figures)
        return offering(told, news.share.act, news.choices)

    await keep(desk, incident, move, due=look.now, also=(put,))


async def _whisper(desk: Desk, news: News) -> None:
    words: Message = said(news.text)
    await desk.chat.whisper(news.share.channel, news.share.who, words)


def _next_look(desk: Desk, look: Look) -> float | None:
    """A poll period while anything may still happen to a share, sooner for a time that is known."""
    times = []
    for share in look.lease.shares:
        act = look.acts.get(share.act)
        moving = act is not None and not act.finished
        unseen = act is not None and act.progress is Progress.DONE and not share.verified
        if moving or unseen or share.returning or share.ends_at is not None:
            times.append(look.now + max(desk.settings.file.timing.poll, 0.05))
        if share.ends_at is not None and not share.returning:
            times += [max(share.ends_at, share.retry_at, look.now + 0.05), max(warning_due_at(share), look.now + 0.05)]
    return min(times, default=None)

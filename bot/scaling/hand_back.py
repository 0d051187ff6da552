"""Ask for extra capacity to be handed back: by a person's click, or because its lease is over; either way once."""

from bot.context.context import Context
from bot.context.save import put_new
from bot.core.alert import digest
from bot.core.record import Put, Stored
from bot.core.requests.request import Request
from bot.core.scaling.lease import Lease, PoolLeases, giving_back

NAME = "hand_back"


def hindrance(context: Context) -> str:
    """Why nothing can be handed back now; empty when it can."""
    actions = context.settings.file.actions
    if context.in_doubt():
        return "Redis has lost records, and they are being healed"
    if not actions.enabled:
        return "actions are switched off (`actions.enabled = false` in tailback.toml)"
    return "shadow mode is on (`actions.shadow = true` in tailback.toml)" if actions.shadow else ""


def return_request(context: Context, pool: str, share: Lease, who: str, why: str) -> Request:
    """The record of one hand-back. Its id follows from the share: the click and the clock ask for the same one."""
    return Request(
        id=f"{share.incident or 'x'}.{digest(NAME, share.act, str(share.tries))[:12]}",
        name=NAME,
        who=who,
        channel=share.channel,
        requested_at=context.now(),
        incident=share.incident,
        pool=pool,
        params={"share": share.act, "for": share.who, "why": why},
    )


def begun(held: Stored[PoolLeases], lease: PoolLeases, share: Lease, back: Request, now: float) -> tuple[Put, Put]:
    """The lease that knows of it, and the request, due now."""
    return Put(held, giving_back(lease, share, back.id), now), put_new(back, now)

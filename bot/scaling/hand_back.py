"""Ask for extra capacity to be handed back: by a person's click, or because its lease is over; either way once."""

from bot.context.context import Desk
from bot.context.save import put_new
from bot.core.alert import digest
from bot.core.record import Held, Put
from bot.core.requests.request import Act
from bot.core.scaling.lease import Lease, Share, giving_back

NAME = "hand_back"


def hindrance(desk: Desk) -> str:
    """Why nothing can be handed back now; empty when it can."""
    actions = desk.settings.file.actions
    if desk.in_doubt():
        return "Redis has lost records, and they are being healed"
    if not actions.enabled:
        return "actions are switched off (`actions.enabled = false` in tailback.toml)"
    return "shadow mode is on (`actions.shadow = true` in tailback.toml)" if actions.shadow else ""


def return_act(desk: Desk, pool: str, share: Share, who: str, why: str) -> Act:
    """The record of one hand-back. Its id follows from the share: the click and the clock ask for the same one."""
    return Act(
        id=f"{share.incident or 'x'}.{digest(NAME, share.act, str(share.tries))[:12]}",
        name=NAME,
        who=who,
        channel=share.channel,
        requested_at=desk.now(),
        incident=share.incident,
        pool=pool,
        params={"share": share.act, "for": share.who, "why": why},
    )


def begun(held: Held[Lease], lease: Lease, share: Share, back: Act, now: float) -> tuple[Put, Put]:
    """The lease that knows of it, and the act, due now."""
    return Put(held, giving_back(lease, share, back.id), now), put_new(back, now)

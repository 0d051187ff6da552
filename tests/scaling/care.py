"""A Tailback with a lease, an approval threshold and a price on one pool, and hands to press buttons below replies."""

from dataclasses import replace
from typing import Any, Self

from bot.context.context import PoolScaler
from bot.core.audit_chain import AuditEntry
from bot.core.incident.timeline import Entry
from bot.core.requests.interaction import Answer, Interaction, Surface
from bot.core.requests.request import Request
from bot.core.scaling.lease import PoolLeases
from bot.core.scaling.limits import ScalePolicy
from bot.requests.permission import dispatch
from tests.builders import CHANNEL, POOL
from tests.world import ANA, BEN, CAM, TEAM, World

DAN = "U0DAN"
"""Dan may approve, and scale."""
POLICY = ScalePolicy(maximum=40, step=20, lease_seconds=7200.0, drained_seconds=600.0)
PERMISSIONS = {"scale": ["S0INFRA", DAN], "approve": [BEN, DAN]}

__all__ = ["ANA", "BEN", "CAM", "DAN", "POLICY", "CareWorld"]


class CareWorld(World):
    """A world whose pool is scaled with care; `policy` replaces parts of the usual one."""

    def __init__(self, **policy: Any) -> None:
        super().__init__(permissions=PERMISSIONS, timing={"poll": "30s"})
        self.policy(**policy)

    @classmethod
    async def opened(cls, runners: int | None = None, **policy: Any) -> Self:
        """With an incident whose thread stands; `runners`: what the metrics show of the pool then."""
        made = cls(**policy)
        if runners is not None:
            made.runners(runners)
        await made.opens()
        return made

    def policy(self, **parts: Any) -> None:
        """What the pool's scaler allows from now on."""
        policy = replace(POLICY, **parts)
        self.context.pool_scalers, self.scaler.allowed = {POOL: PoolScaler(self.scaler, policy)}, policy.maximum

    def actions(self, **parts: Any) -> None:
        self.configure(permissions=PERMISSIONS, timing={"poll": "30s"}, actions=parts)

    async def scaled(self, target: int = 24, who: str = ANA) -> Request:
        request = await self.done(self.wants(target, who))
        return await self.now(request)

    def runners(self, online: int, busy: int | None = None, queued: int = 14, **figures: Any) -> None:
        """What the metrics show of the pool from now on."""
        working = online if busy is None else busy
        self.queues(queued, busy=working, idle=online - working, **figures)

    def offering(self, name: str) -> Entry:
        """The newest reply that offers an action; raises LookupError."""
        found = [entry for entry in self.incident.log.timeline if name in entry.choices]
        return found[-1]

    async def presses(self, name: str, who: str = ANA, **parts: Any) -> Answer:
        """Somebody presses a button below a reply; without more, the newest that there is."""
        about = parts.pop("request_id", None) or self.offering(name).about
        given = {"channel": CHANNEL, "surface": Surface.BUTTON, "team": TEAM, "key": f"k{next(self.numbers)}"}
        root = self.incident.thread.root
        return await dispatch(
            self.context,
            Interaction(**{"name": name, "who": who, "request_id": about, "thread": root, **given, **parts}),
        )

    @property
    def lease(self) -> PoolLeases:
        found = self.data.rows[f"lease:{POOL}"].value
        assert isinstance(found, PoolLeases)
        return found

    def audit(self, what: str) -> list[AuditEntry]:
        return [entry for _, entry, _ in self.data.trail if entry.what == what]

    def buttons(self) -> list[tuple[str, str]]:
        """(label, value) of every button below a reply, as Slack shows them now."""
        shown = self.chat.thread(self.incident.thread.root or "")
        rows = [block for stored in shown for block in stored.message.blocks if block["type"] == "actions"]
        return [(one["text"]["text"], one["value"]) for row in rows for one in row["elements"]]  # type: ignore[attr-defined]  # a block as Slack reads it


async def awaiting(target: int = 24, **policy: Any) -> CareWorld:
    """Ana asked for more than she may have alone; the thread shows the buttons."""
    world = await CareWorld.opened(**{"approval_above": 20, **policy})
    await world.done(world.wants(target))
    return world

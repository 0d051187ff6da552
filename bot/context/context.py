"""All that a story or an action may reach of the outside, in one value that `handlers/wiring.py` fills."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.config import Settings
from bot.core.alert_holder import Holder, holders
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.pool.pool import Pool
from bot.core.requests.request import Request
from bot.core.scaling.limits import ScalePolicy
from bot.ports import Alertmanager, Artist, Chat, Metrics, Outside, Scaler, Sns, Store

LOST_NOTE = "records"
"""Stands in `Context.notes` while records that were lost are being recovered."""


@dataclass(frozen=True, slots=True)
class PoolScaler:
    """A scaler and what the configuration allows it to do."""

    scaler: Scaler
    policy: ScalePolicy


@dataclass(slots=True)
class Context:
    """The ports, the clocks and the settings. `settings` may be replaced while running: always read it afresh."""

    settings: Settings
    store: Store
    chat: Chat
    metrics: Mapping[str, Metrics]
    """By pool name: the source that measures it."""
    levers: Mapping[str, PoolScaler]
    """By pool name."""
    alertmanagers: Mapping[str, Alertmanager]
    """By configured name."""
    now: Callable[[], float]
    """Epoch seconds."""
    monotonic: Callable[[], float]
    """Seconds that never jump, for waits and leases inside this process."""
    new_id: Callable[[str], str]
    """A fresh opaque id with a prefix, from a cryptographic source."""
    outside: Outside | None = None
    artist: Artist | None = None
    """Draws the charts; without one, threads get their text alone."""
    sns: Sns | None = None
    notes: dict[str, str] = field(default_factory=dict)
    """What is wrong with a dependency right now, for /readyz and the log; empty when all is well."""

    def in_doubt(self) -> bool:
        """Whether Redis lost records and not all of ours are recovered: no action is done until then (P10, C18)."""
        return self.store.lost_data() or LOST_NOTE in self.notes

    def holders(self, incident: Incident) -> tuple[str, ...]:
        """The names of the Alertmanagers that may hold an incident's alerts; one when it is certain."""
        known = [Holder(name, one.kind, one.addresses) for name, one in self.alertmanagers.items()]
        return holders(incident.source, incident.alerts, known)

    async def view(self, incident: Incident) -> View:
        """The pools that an incident may speak of, with their rules."""
        held = await self.store.get_many(Pool, list(incident.candidates))
        return View(
            {name: pool.value for name, pool in held.items()}, self.settings.file.pools, bool(self.holders(incident))
        )

    async def request(self, request_id: str) -> Request | None:
        """The record of an action; None when there is none."""
        held = await self.store.get(Request, request_id)
        return held.value if held else None

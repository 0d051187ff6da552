"""What the tests of an incident's moves share: deliveries arrive, somebody looks, and the timeline tells."""

from bot.core.alert import Delivery
from bot.core.incident.incident import Incident, absorbed
from bot.core.incident.observe import Timing, observed
from bot.core.incident.timeline import Event
from bot.core.pool.pool import Pool
from tests.builders import NOW, TIMING, named, view

LATER = NOW + 700


def take(before: Incident, *arrived: Delivery, now: float = LATER) -> Incident:
    """The incident after these deliveries, which name its own pools."""
    for one in arrived:
        before = absorbed(before, one, now, named(*before.pools.affected))
    return before


def look(found: Incident, *pools: Pool, now: float | None = None, floor: int = 0, timing: Timing = TIMING) -> Incident:
    """One look, by default at the moment of the newest sample."""
    newest = max((pool.latest.at for pool in pools if pool.latest), default=NOW)
    return observed(found, view(*pools, floor=floor), newest if now is None else now, timing)


def events(found: Incident) -> list[Event]:
    return [entry.event for entry in found.log.timeline]

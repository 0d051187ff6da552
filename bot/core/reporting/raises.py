"""Scale-ups of some days and their cost, from the audit trail."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.core.record import AuditEntry
from bot.core.scaling.lease import SCALE_UP


@dataclass(frozen=True, slots=True)
class ScaleUps:
    """Runners added to one pool; runner-hours end with their return, or at the end of the span."""

    times: int = 0
    runners: int = 0
    """Total added runners."""
    runner_hours: float = 0.0
    """From the scaler's answer on, whether the runners came or not: an upper bound; pools' own time."""
    out: int = 0
    """Scale-ups whose runners were not returned inside the span."""
    cost: float | None = None
    """None when the pool has no price."""
    currency: str = ""


def scale_ups_by_pool(
    trail: Iterable[AuditEntry], since: float, until: float, prices: Mapping[str, float], currency: str = ""
) -> dict[str, ScaleUps]:
    """By pool, the scale-ups that a scaler accepted inside the span (epoch seconds); shadow mode counts nothing."""
    inside = [entry for entry in trail if since <= entry.at < until]
    ended = {e.parameters.get("share", ""): e.at for e in inside if e.what == "hand_back" and _returned(e)}
    ups: dict[str, list[AuditEntry]] = {}
    for entry in inside:
        if entry.what == SCALE_UP and _added(entry) > 0:
            ups.setdefault(entry.parameters.get("pool", ""), []).append(entry)
    return {
        pool: replace(_sum(entries, ended, until, prices.get(pool)), currency=currency) for pool, entries in ups.items()
    }


def _sum(entries: Sequence[AuditEntry], ended: Mapping[str, float], until: float, price: float | None) -> ScaleUps:
    hours = sum(_added(e) * (ended.get(e.act, until) - e.at) / 3600 for e in entries)
    return ScaleUps(
        times=len(entries),
        runners=sum(_added(entry) for entry in entries),
        runner_hours=hours,
        out=sum(entry.act not in ended for entry in entries),
        cost=None if price is None else hours * price,
    )


def _returned(entry: AuditEntry) -> bool:
    """Whether a return is complete: the level was set, or was no longer ours."""
    return _number(entry.after) is not None or (entry.outcome == "sent" and "target" not in entry.parameters)


def _added(entry: AuditEntry) -> int:
    before, after = _number(entry.before), _number(entry.after)
    return 0 if before is None or after is None else after - before


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None

"""Opens an incident without any alert source: when a job waits longer than the pool's `alert_wait`."""

from bot.context.context import Context
from bot.context.queries import open_incidents
from bot.core.alert import Alert, Delivery, Status
from bot.core.pool.pool import Pool, Snapshot, fresh
from bot.incidents.intake import take_alert
from bot.views.words.diagnosis import long_wait

SOURCE = "tailback"


async def alert_on_waits(context: Context) -> str:
    """Let the alerts of our own fire and resolve by each pool's newest sample; an unknown wait changes neither."""
    file = context.settings.file
    limits = {name: pool.alert_wait for name, pool in file.pool.items() if pool.alert_wait}
    if not limits:
        return ""
    own = [incident.group for incident in await open_incidents(context) if incident.group.source == SOURCE]
    firing = {group.group_key for group in own if group.firing}
    pace = max(file.timing.poll, file.timing.watch)
    for name, held in (await context.store.get_many(Pool, sorted(limits), newest=True)).items():
        shot, limit = fresh(held.value, context.now(), pace), limits[name]
        if shot is None or shot.oldest_wait_seconds is None or limit is None:
            continue
        if (shot.oldest_wait_seconds >= limit) is not (name in firing):
            await take_alert(context, _delivery(shot, limit))
    return ""


def _delivery(shot: Snapshot, limit: float) -> Delivery:
    """What an alert rule for this limit would send now."""
    wait = shot.oldest_wait_seconds or 0.0
    over = wait >= limit
    values = {"max_queue_time_mins": wait / 60, **({"max_queue_size": shot.queued} if shot.queued is not None else {})}
    alert = Alert(
        fingerprint=f"{SOURCE}:{shot.pool}",
        status=Status.FIRING if over else Status.RESOLVED,
        name=long_wait(shot.pool, limit),
        starts_at=shot.at - max(0.0, wait - limit),
        ends_at=None if over else shot.at,
        values=values,
        facts={"pool": shot.pool},
    )
    return Delivery(SOURCE, SOURCE, shot.pool, alert.name, (alert,))

"""Reads firing alerts from the alert source, and opens, joins or eases incidents that deliveries missed.

Limit: the source's API shows groups with their receiver, but not the routes in their key. Groups of two routes with the
same receiver and labels count as one here. A group is ours if its receiver has delivered to us before, or is named
after us.
"""

from dataclasses import replace

import structlog

from bot.context.context import Context
from bot.context.queries import open_incidents
from bot.context.save import RESYNCED, keep, point
from bot.core.alert import Alert, Delivery, Status, begun, heard, likeness
from bot.core.incident.incident import Incident, listed
from bot.incidents.intake import take_alert
from bot.ports import Refused, Unreachable

OURS = "tailback"
"""A receiver with this in its name counts as ours before its first delivery."""

log = structlog.get_logger()


async def resync(context: Context) -> str:
    """Repair every incident that differs from the alert source; returns the problem as a sentence, or nothing."""
    deliveries: dict[str, tuple[Delivery, ...]] = {}
    deaf: dict[str, str] = {}
    for name, back_end in context.alertmanagers.items():
        try:
            deliveries[name] = await back_end.groups()
        except (Unreachable, Refused) as error:
            deaf[name] = str(error)
    incidents = await open_incidents(context)
    receivers = await context.store.members("receivers")
    by_likeness = {likeness(i.group.source, i.group.receiver, i.group.group_key): i for i in incidents}
    for groups in deliveries.values():
        for told in groups:
            group = heard(told, context.now())
            if OURS in group.receiver.lower() or f"{group.source}|{group.receiver}" in receivers:
                await _heard_of(context, group, by_likeness.pop(group.likeness, None))
    for incident in by_likeness.values():
        holders = [
            name for name in context.holders(incident) if context.alertmanagers[name].kind == incident.group.source
        ]
        known = holders and all(name in deliveries for name in holders)
        if known and (ended := await _ended(context, incident, incident.group.firing)):
            taken = await take_alert(context, _as_delivered(incident, _resolved(context, ended)))
            log.info("an incident whose alert does not fire any more", incident=incident.id, outcome=taken)
    await point(context, [RESYNCED], f"{context.now()}")
    return "; ".join(f"{name}: what fires could not be read ({why})" for name, why in deaf.items())


async def _heard_of(context: Context, group: Delivery, incident: Incident | None) -> None:
    if incident is None:
        taken = await take_alert(context, group)
        log.info("a group that no delivery told of", outcome=taken, group=group.key)
        return
    firing = {alert.fingerprint for alert in group.alerts} | {_labels(alert) for alert in group.alerts}
    absent = tuple(alert for alert in incident.group.firing if not {alert.fingerprint, _labels(alert)} & firing)
    ended = await _ended(context, incident, absent)
    if ended or begun(incident.group.alerts, group.alerts):
        whole = replace(incident, group=replace(incident.group, truncated=group.truncated))
        await take_alert(context, _as_delivered(whole, (*group.alerts, *_resolved(context, ended))))


async def _ended(context: Context, incident: Incident, absent: tuple[Alert, ...]) -> tuple[Alert, ...]:
    """Those of the absent alerts that a list a period ago lacked too; the others are remembered.

    One list proves nothing: deliveries may overtake it, and a source that was restarted lists nothing until its alerts
    are sent again (prometheus/alertmanager#889, grafana/alerting#156).
    """
    now, prints = context.now(), {alert.fingerprint for alert in absent}
    if listed(incident, prints, now) != incident and (held := await context.store.get(Incident, incident.id)):
        await keep(context, held, lambda fresh: listed(fresh, prints, now), due=now)
    longest = context.settings.file.timing.resync
    return tuple(one for one in absent if one.unlisted_since is not None and now - one.unlisted_since >= longest)


def _as_delivered(incident: Incident, alerts: tuple[Alert, ...]) -> Delivery:
    return Delivery(
        source=incident.group.source,
        receiver=incident.group.receiver,
        group_key=incident.group.group_key,
        title=incident.group.title,
        alerts=alerts,
        truncated=incident.group.truncated,
    )


def _resolved(context: Context, alerts: tuple[Alert, ...]) -> tuple[Alert, ...]:
    return tuple(replace(alert, status=Status.RESOLVED, ends_at=context.now()) for alert in alerts)


def _labels(alert: Alert) -> str:
    return repr(sorted(alert.labels.items()))

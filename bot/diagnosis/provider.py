"""The CI provider assigns no jobs: runners are idle beside queues in many pools.

See docs/design/diagnosis.md#provider-outage.
"""

from bot.core.finding import Facts, Found, Rule, Scaling
from bot.core.statement import statement

PERHAPS = 0.4
"""Confidence where one pool alone is affected: its runners or its jobs are likelier to be wrong."""


def find(facts: Facts) -> Found | None:
    """The provider reports it, or several pools have idle runners beside a queue.

    It is not ruled out where nobody knows it, and one pool with idle runners starts nothing at all.
    """
    fleet, now = facts.fleet, facts.now
    many = bool(now.idle) and len(fleet.idle_beside) > 1
    perhaps = bool(now.idle) and fleet.provider_up is None and now.starts_per_minute == 0
    if fleet.provider_up is not False and not (many or perhaps):
        return None
    seen = []
    if fleet.provider_up is False:
        seen.append(statement("provider_down"))
    if now.idle:
        seen.append(statement("idle_beside_queue", idle=now.idle, queued=now.queued))
    if many:
        seen.append(statement("idle_in_many_pools", pools=fleet.idle_beside))
    if now.starts_per_minute == 0:
        seen.append(statement("nothing_started"))
    unseen = 0.7 if now.idle is None else 0.6
    sure = {False: 0.9 if now.idle else unseen, None: 0.8 if many else PERHAPS, True: 0.5}[fleet.provider_up]
    missing = (*(["provider_up"] if fleet.provider_up is None else []), *(["idle"] if now.idle is None else []))
    return Found(sure, tuple(seen), missing)


RULE = Rule(
    "provider",
    find,
    Scaling.NO,
    remedy="wait_for_provider",
    one_of=("provider_up", "idle"),
    outranks=("surge", "limit", "lost_events", "hung"),
    shows="idle",
)

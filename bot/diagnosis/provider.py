"""The CI provider assigns no jobs: runners are idle beside queues in many pools.

See docs/design/diagnosis.md#provider-outage.
"""

from bot.core.finding import Cause, Facts, Finding, Rule, Scaling
from bot.core.words import count, listed


def find(facts: Facts) -> Finding | None:
    """The provider reports it, or several pools have idle runners beside a queue."""
    around, now = facts.around, facts.now
    many = bool(now.idle) and len(around.idle_beside) > 1
    if around.provider_up is not False and not many:
        return None
    seen = []
    if around.provider_up is False:
        seen.append("the provider's own signal says that it assigns no jobs")
    if now.idle:
        seen.append(f"{count(now.idle, 'idle runner')} beside {count(now.queued, 'waiting job')}")
    if many:
        seen.append(f"idle runners beside a queue in {len(around.idle_beside)} pools ({listed(around.idle_beside, 3)})")
    if now.starts_per_minute == 0:
        seen.append("no job started in the last minutes")
    unseen = 0.7 if now.idle is None else 0.6
    sure = {False: 0.9 if now.idle else unseen, None: 0.8, True: 0.5}[around.provider_up]
    advice = "Look at the provider's status page, hold, and do not rerun: jobs start when it recovers."
    missing = (*(["provider_up"] if around.provider_up is None else []), *(["idle"] if now.idle is None else []))
    return Finding(Cause.PROVIDER, sure, tuple(seen), Scaling.NO, advice, missing=missing)


RULE = Rule(Cause.PROVIDER, find)

"""Holds back what calls people after a gap, until pools are measured and the alert source was asked.

While no worker ran, or Redis did not answer, nobody measured. What was due meanwhile would call people with old
figures, often for an incident that is over.
"""

from bot.context.after_gap import measured_again_at
from bot.context.context import Context
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.core.incident.plan import CALLING, Do, NextStep, calls_people


async def held_back(context: Context, incident: Incident, step: NextStep, view: View) -> float | None:
    """When to look again (epoch seconds), if this step calls people too soon after a gap; else None."""
    return await measured_again_at(context, incident, view) if _calls(incident, step) else None


def _calls(incident: Incident, step: NextStep) -> bool:
    if step.do is Do.POST_ROOT:
        return incident.thread.mention is not None and calls_people(incident)
    entry = incident.log.entry(step.number) if step.do is Do.POST_REPLY else None
    return step.do is Do.ESCALATE or (entry is not None and entry.event in CALLING)

"""The actions, the kinds of records and the periodic duties, each with the module that serves it."""

from collections.abc import Awaitable, Callable
from functools import partial

from bot.config import File
from bot.context.context import Action, Context, Telling
from bot.core.incident.incident import Incident
from bot.core.record import Change, Claim
from bot.core.requests.interaction import Answer
from bot.diagnosing import cause_fit, diagnose, status
from bot.incidents.actions import (
    ack,
    chart_button,
    file_issue,
    list_incidents,
    mute,
    note,
    reopen,
    resolve,
    retry,
    show_more,
    unack,
)
from bot.incidents.digest import post_digest
from bot.incidents.paging import page
from bot.incidents.reconcile import reconcile
from bot.incidents.rejected_alert import post_rejected
from bot.jobs import ask_job, follow, unfollow
from bot.jobs.watch_followed import judge_follow, watch_followed
from bot.maintenance.alert_on_waits import alert_on_waits
from bot.maintenance.chores import Duty, chore, noting
from bot.maintenance.expire import expire
from bot.maintenance.repair_threads import deduplicate_threads
from bot.maintenance.resync import resync
from bot.maintenance.slack_outage import check_slack_outage, pause_seconds
from bot.measuring.backfill import backfill, wake_fills
from bot.measuring.measure import measure, wake_pools
from bot.notifications.deliver import deliver
from bot.people import decline_handover, escalate, handover, remind
from bot.reporting import report
from bot.reporting.weekly import LOOK_SECONDS, post_weekly, weekly
from bot.requests.perform import perform
from bot.requests.results import judge_answer, judge_result
from bot.scaling import approve, decline, extend_lease, hand_back, scale_up
from bot.scaling.lease import maintain_lease
from bot.silencing import end_silence, extend_silence, list_silences, silence
from bot.silencing.check_silences import keep_silences
from bot.views.answers import help_text
from bot.warnings.post_warning import post_warning

ACTIONS: dict[str, Action] = {
    module.ACTION.name: module.ACTION
    for module in (
        status,
        list_incidents,
        ack,
        unack,
        handover,
        decline_handover,
        remind,
        escalate,
        silence,
        scale_up,
        diagnose,
        cause_fit,
        chart_button,
        end_silence,
        extend_silence,
        list_silences,
        approve,
        decline,
        extend_lease,
        hand_back,
        mute,
        note,
        resolve,
        reopen,
        show_more,
        file_issue,
        report,
        ask_job,
        follow,
        unfollow,
        retry,
    )
}
"""By name, in display order; to add an action, write its module and name it here."""
VERBS: dict[str, Action] = {
    word: action for action in ACTIONS.values() if action.verb for word in (action.verb, *action.also)
}
DIALOGS: dict[str, str] = {callback: name for name, action in ACTIONS.items() for callback in action.dialogs}
"""Callback id of a dialog → its action."""
SHORTCUTS: dict[str, str] = {action.shortcut.callback: name for name, action in ACTIONS.items() if action.shortcut}
"""Callback id of a message shortcut → its action."""


FIRST_HELP = ("status", "diagnose", "silence", "scale", "ack", "note")
"""What people need first; `more` shows all verbs."""


def greeted() -> Answer:
    """The answer to a mention without a verb."""
    usual = [(VERBS[word].usage, VERBS[word].help) for word in FIRST_HELP]
    return Answer(whisper=help_text([*usual, ("more", "Show every command.")]))


def helped() -> Answer:
    """The help text."""
    verbs = [action for action in ACTIONS.values() if action.verb]
    here, alone = ([(one.usage, one.help) for one in verbs if one.in_thread is thread] for thread in (False, True))
    return Answer(whisper=help_text(here, alone))


POOLS_SECONDS = 300.0
"""How soon a pool that is new or lost from the queue is measured."""
EXPIRE_SECONDS = 6 * 3600.0


async def _pools(context: Context) -> str:
    """Measure every configured pool, and fill in its history."""
    await wake_fills(context)
    return await wake_pools(context)


DAY_SECONDS = 86400.0
"""Longer than any pause after a failure, and than anything that an incident waits for without being woken."""

DUTIES: dict[str, Duty] = {
    "resync": Duty(noting(resync), lambda file: file.timing.resync),
    "sweep": Duty(noting(deduplicate_threads), lambda file: file.timing.sweep),
    "silences": Duty(noting(keep_silences), lambda file: file.timing.sweep),
    "weekly": Duty(noting(weekly), lambda _: LOOK_SECONDS),
    "waits": Duty(noting(alert_on_waits), lambda file: file.timing.watch or POOLS_SECONDS),
    "pools": Duty(noting(_pools), lambda _: POOLS_SECONDS),
    "tidy": Duty(noting(expire), lambda _: EXPIRE_SECONDS),
    "watch": Duty(check_slack_outage, pause_seconds),
}
"""Name of a chore → its function and interval."""


def wake_all() -> Change:
    """Make every chore due at once: at the start of a worker, and after a loss of records."""
    return Change(wake=tuple(f"chore:{name}" for name in DUTIES))


async def _incident(context: Context, claim: Claim) -> None:
    if (mine := claim.known(Incident)) is None:
        return
    if pause := context.fleet.pause(mine, context.monotonic(), context.now()):
        await context.store.give_back(claim, pause)
    else:
        await reconcile(context, mine)


BEHAVIORS: dict[str, Callable[[Context, Claim], Awaitable[None]]] = {
    "inc": _incident,
    "pool": measure,
    "act": perform,
    "lease": maintain_lease,
    "digest": post_digest,
    "chore": partial(chore, DUTIES),
    "weekly": post_weekly,
    "early": post_warning,
    "fill": backfill,
    "rejected": post_rejected,
    "page": page,
    "tell": deliver,
    "follow": watch_followed,
}
"""Kind of a record → the function that does its next step."""

TELLINGS: dict[str, Telling] = {
    "result": judge_result,
    "answer": judge_answer,
    "report": report.judge_report,
    "handover": handover.judge_handover,
    "reminder": remind.judge_reminder,
    "job": ask_job.judge_job,
    "follow": judge_follow,
}
"""Kind of what a person is told later → the function that says what is left to tell when it leaves."""


def farthest_due(file: File) -> dict[str, float]:
    """How far ahead a record may be due, in seconds, by its kind; a time further ahead was written by a wrong clock."""
    longest = max(duty.seconds(file) for duty in DUTIES.values())
    pace = max(file.timing.poll, file.timing.watch, POOLS_SECONDS)
    return {"pool": 2 * pace, "chore": longest + POOLS_SECONDS, "inc": DAY_SECONDS, "digest": DAY_SECONDS}

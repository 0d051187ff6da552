"""Why a request is refused, in words for the person who asked. Nothing decides on these sentences.

Names in small letters are called with the values of their sentence, in its order.
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from math import ceil

from bot.core.words import count, duration, listed, time_left
from bot.views.mrkdwn import clean, unformatted

# About the person and the moment

ONLY_MEMBERS = (
    "Nothing was changed. Only full members of this workspace can do this, not guests or people from other workspaces."
)
NOT_IDENTIFIED_IN_TIME = "Nothing was changed. Slack did not confirm in time who you are. Try again in a minute."
RECORDS_LOST = "Nothing was changed. Redis has lost records, and recovery is under way. Try again in a minute."
BEFORE_THE_BACKUP = (
    "Nothing was changed. The records were restored from a backup, and this was asked before. It may be done already. "
    "Ask again if it is still needed."
)
ACTIONS_OFF = "Nothing was changed. Actions are disabled (`actions.enabled = false` in tailback.toml)."
EDITED = "Nothing was changed. I did not read the edit. Write it again."
WORKFLOW = (
    "I did not carry this out: a workflow has no permissions of its own. Write it yourself, or press a button of the "
    "incident."
)
CAME_AGAIN = "This request arrived twice. The first one was accepted."
NO_ISSUES = "No repository for issues is configured. Add a table [issues] to tailback.toml."
ISSUE_BEING_FILED = "An issue for this incident is being filed. Its link follows in the thread."
issue_filed = "This incident has an issue already: {}, {}".format
not_identified = "Nothing was changed. Slack did not confirm who you are ({}). Try again in a minute.".format
nobody_may = "Nobody has permission for this yet: `permissions.{}` in tailback.toml is empty.".format
not_on_the_list = "You don't have permission for this (`permissions.{}` in tailback.toml).".format


def dead_groups(permission: str, groups: Iterable[str]) -> str:
    """A deleted user group is no passing trouble: somebody must correct the file."""
    names = listed(groups)
    return (
        f"You don't have permission for this. `permissions.{permission}` in tailback.toml names {names}, "
        "which does not exist in Slack. Ask an operator to correct it."
    )


def too_often(rate: int, wait_seconds: float) -> str:
    return f"Rate limit reached: {count(rate, 'request')} per minute. Try again in {max(1, ceil(wait_seconds))} s."


# About the button, the thread and the incident

EMPTY_BUTTON = "Nothing was changed. Tailback does not know this button."
OTHER_RELEASES_DIALOG = (
    "Nothing was changed. This dialog was opened by another release of Tailback. Close it and open it again."
)
OLD_BUTTON = "Nothing was changed. This button is outdated. Use the message's current buttons."
OTHER_CHANNELS_BUTTON = "Nothing was changed. This button belongs to an incident of another channel."
OTHER_THREADS_BUTTON = "Nothing was changed. This button belongs to another thread."
OTHER_THREAD = "Nothing was changed. The incident has moved to another thread. Follow the link here to it."
NOT_THE_OWNER = "Only the owner can withdraw the acknowledgement. It was given"
NO_JOB_IN_MESSAGE = "This message names no job that Tailback knows."
job_usage = "Write `{}`: a job is the address of a job, a run or a pull request, or a number.".format
NO_OPEN_INCIDENT = "No incident is open in this channel. Nothing was changed."
NO_INCIDENT_TO_READ = "Nothing was changed. No incident is open in a channel that you can read."
SEVERAL_INCIDENTS = "Several incidents are open in this channel. Choose one."
ask_in_a_thread = "Nothing was changed. Write `@tailback {}` in the incident's thread.".format
STILL_OPEN = "Nothing was changed. This incident is open."
NOT_TO_REOPEN = (
    "Nothing was changed. Only an incident that somebody closed within the last 10 min can be reopened. It opens again "
    "by itself when the alert fires again."
)
NEWER_INCIDENT = "Nothing was changed. The alert has fired again, and a newer incident is open for it."
NOTHING_WAITS = "Nothing was changed. No reply in this thread has a button for it now."
INCIDENT_UNKNOWN = "Nothing was changed. Tailback no longer knows this incident."
INCIDENT_GONE = "the incident is no longer known"
INCIDENT_OVER = "Nothing was changed. This incident is over."
other_installation = (
    "Nothing was changed. This message is from another Tailback with the same app, `{0}`. Slack sends each click to "
    'only one of them, so press again. If that one is gone for good, write `installation = "{0}"` under [slack] in '
    "the tailback.toml of this one."
).format
REQUEST_UNKNOWN = "Nothing was changed. Tailback no longer knows this request."
ALREADY_YOURS = "You have already acknowledged this incident."
TOO_LITTLE_FOR_A_CHART = "There are not enough figures for a chart yet. Try again in a few minutes."
NO_NOTE = "The note is empty. Write, for example, `@tailback note restarted the autoscaler`."
note_too_long = "The note was not saved. It has {:,} characters, and {} are allowed.".format


def no_incident(name: str) -> str:
    return f'Unknown incident "{unformatted(name, 40)}". `/queue list` shows the open ones.'


def already_requested(ago_seconds: float | None) -> str:
    """Followed by who it was; None: nobody knows when."""
    return "This was already requested" + ("" if ago_seconds is None else f" {duration(ago_seconds)} ago")


def tried_too_often(times: int) -> str:
    return f"it failed {count(times, 'time')}."


def unknown_command(name: str, help_: str, known: Iterable[str]) -> str:
    """`known`: the verbs that may be guessed, those that only read."""
    near = get_close_matches(name[:40], known, 1)
    return f'Unknown command "{unformatted(name, 40)}". {f"Did you mean `{near[0]}`? " if near else ""}Try `{help_}`.'


# About a hand-over

HANDOVER_TO_WHOM = (
    "Nothing was changed. Name the person with an @, for example `@tailback handover @ben watch the autoscaler`."
)
HANDOVER_TO_ONESELF = (
    "Nothing was changed. You can't hand over to yourself. To own this incident, write `@tailback ack`."
)
HANDOVER_OWNS = "Nothing was changed. This person owns the incident already."
HANDOVER_GUEST = "Nothing was changed. This person is a guest. Only full members can own an incident."
HANDOVER_APP = "Nothing was changed. An app can't own an incident. Name a person."
HANDOVER_GONE = "Nothing was changed. This account is deactivated or unknown. Name somebody else."
HANDOVER_ELSEWHERE = (
    "Nothing was changed. This person belongs to another workspace. Only full members of this one can own an incident."
)
HANDOVER_NOT_ALLOWED = (
    "Nothing was changed. This person doesn't have permission to acknowledge (`permissions.ack` in tailback.toml)."
)
HANDOVER_NOT_HERE = "Nothing was changed. This person is not in this channel. Invite them first, then hand over."
person_not_identified = (
    "Nothing was changed. Slack did not confirm who this person is ({}). Try again in a minute."
).format
NOT_HANDED_TO_YOU = "Nothing was changed. Only the person who got this incident can decline it. It was handed over"
HANDOVER_PASSED_ON = "Nothing was changed. You don't own this incident any more."
DECLINED = "You declined. The thread shows who owns the incident now."

# About an escalation

NOBODY_TO_CALL = (
    "Nobody was called. No group and no pager is configured. Set `mention` under [slack], or add a table "
    "[pager.NAME], in tailback.toml."
)


def unknown_pager(name: str, known: Iterable[str]) -> str:
    names = listed(clean(one) for one in known)
    remedy = f"You can call {names}" if names else "Write `@tailback escalate` to call the group"
    return f'Nobody was called. There is no pager "{unformatted(name, 40)}" for this channel. {remedy}.'


# About reminders

REMIND_WHEN = "Nothing was changed. Say when, for example `@tailback remind 30m`."


def reminder_range(least_seconds: float, most_seconds: float) -> str:
    return f"Nothing was changed. A reminder can come after {duration(least_seconds)} to {duration(most_seconds)}."


def too_many_reminders(most: int, next_seconds: float) -> str:
    return (
        f"Nothing was changed. This incident has {count(most, 'reminder')} already. The next one comes in "
        f"{time_left(next_seconds)}."
    )


# About pools

NO_POOL = 'No pool is configured. Add a [pool."NAME"] table to tailback.toml to see figures here.'
other_channels_pool = 'Nothing was changed. Pool "{}" belongs to another channel.'.format
other_incidents_pool = 'Nothing was changed. Pool "{}" is not part of this incident. Ask outside this thread.'.format
report_usage = "Too many words. Write `{}`, for example `report linux.2xlarge 14`.".format
report_days = "A report covers 1 to {} days, for example `report 14`.".format


def unknown_pool(name: str, known: Iterable[str], meant: str = "") -> str:
    names, name = sorted(known), re.sub(r"<([#@])\w+\|([^<>|]+)>", r"\1\2", name)
    there = f"Known pools: {', '.join(names[:20])}" if names else "None is configured in tailback.toml"
    return f'Unknown pool "{unformatted(name, 200)}". {f"Did you mean {meant}? " if meant else ""}{there}.'


# About scaling

POOLS_CHANGED = (
    "Nothing was changed. The pools have changed since this dialog opened. Close it and open Scale up again."
)
OTHER_POOLS_DIALOG = "Nothing was changed. This dialog belongs to an incident of other pools."
NUMBER_NOT_CHOSEN = "Choose “Another total” above for this number, or clear it."
QUESTION_LAPSED = "Nothing was changed. This dialog has expired. Open Scale up again."
size_unknown = "Nothing was changed. The autoscaler of {} did not report its size: {}.".format
scale_usage = "Name a pool and a number of runners: `{}`, for example `scale linux.2xlarge 24`.".format
returning_now = "Nothing was changed. Extra runners of {} are just being returned. Try again in a minute.".format


def no_number(typed: str) -> str:
    typed = unformatted(typed, 20)
    return f'"{typed}" is not a number of runners. Write how many there should be in all, for example 24.'


def no_scaler(name: str, known: Iterable[str]) -> str:
    return f'Pool "{name}" cannot be scaled from Slack. Pools that can: {", ".join(sorted(known)) or "none"}.'


# About approval

ALREADY_APPROVED = "This was already approved"
ALREADY_DECIDED = "This was already decided."
APPROVAL_LAPSED = "Nothing was changed. This request has expired. Ask again with Scale up."
OWN_REQUEST = "You can't approve your own request. Ask someone else."
NOT_WHAT_WAS_AGREED = (
    "Nothing was changed. What is possible now differs from what was approved. Ask again with Scale up."
)
nobody_approves = (
    "Nothing was changed. A target above {:,} needs approval (`approval_above`), but nobody can approve: "
    "`permissions.approve` in tailback.toml is empty."
).format
approve_in_thread = (
    "Nothing was changed. A target above {:,} needs approval (`approval_above`). "
    "Press Scale up in an incident's thread to ask for it."
).format
nobody_agreed = "A target above {:,} needs approval, and nobody approved it.".format


def nothing_to_decide(outcome: str) -> str:
    return f"There is nothing left to decide: {outcome or 'the request was not confirmed'}"


# About leases

RETURNED = "These runners have already been returned."
RETURNING = "These runners are already being returned."
NO_LEASE = "These runners have no lease to extend."
NOT_FINISHED = "This scale-up is not finished yet. Try again in a minute."
stays_anyway = "The lease already lasts another {}.".format


def longest_lease(left: str, most_seconds: float) -> str:
    return f"The lease lasts another {left}. It cannot be longer than {duration(most_seconds)} (`max_lease`)."


# About silences

NO_ALERTMANAGER = "no Alertmanager is configured. Add [alertmanager.NAME] to tailback.toml"
NO_COMMON_LABEL = "the alerts of this group share no label, so a silence would match too much"
NO_SILENCE_HERE = "This incident has no active silence that Tailback created."
NOT_OURS = "Tailback did not create this silence"
SILENCE_OVER = "This silence has ended. Silence again if needed."
SILENCE_DIALOG_LAPSED = "Nothing was silenced. This dialog has expired. Close it and press Silence again."
SHORTEST_SILENCE = "The shortest silence is 1 min."
NO_JOB_NUMBER = "Write a whole number of jobs, for example 200, or leave it empty."
PROLONG_WHICH = "Name the pool, because several incidents are open here, for example `prolong linux.2xlarge 4h`."
SAY_HOW_LONG = "Write how long, for example `silence 2h` or `silence drained`."
alertmanager_gone = "[alertmanager.{}] is no longer in tailback.toml".format
no_holder = "no configured Alertmanager has an alert from {}. Silence it at its source".format
silenced_already = (
    "This alert is already silenced {}. In its thread, `prolong 4h` extends the silence and `unsilence` ends it.".format
)
silence_usage = "Name a pool and how long: `/queue {}`, for example `/queue silence linux.2xlarge 2h`.".format
no_incident_here_of = 'No incident of pool "{}" is open in this channel. Nothing was changed.'.format
nothing_to_silence = 'Nothing to silence: pool "{}" has no open incident.'.format
other_channels_incident = 'Nothing was changed. The open incident of pool "{}" is in another channel.'.format


def no_duration(typed: str) -> str:
    return f'"{unformatted(typed, 40)}" is not a duration. Write for example "30m", "2h" or "1d".'


def longest_silence(most_seconds: float) -> str:
    return f"The longest silence here is {duration(most_seconds)} (`max_silence`)."


def several_holders(names: Iterable[str]) -> str:
    return (
        f"{listed(sorted(names))} may each have this alert. Give each the external_url that it sends with its "
        "alerts, in tailback.toml"
    )


def lasts_anyway(left_seconds: float) -> str:
    left = time_left(left_seconds)
    return f"The silence already lasts another {left}. Write the time from now, for example `prolong 4h`."

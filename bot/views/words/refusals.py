"""Why a request is refused, in words for the person who asked. Nothing decides on these sentences."""

from collections.abc import Iterable
from math import ceil

from bot.core.words import count, duration, listed

# About the person and the moment

ONLY_MEMBERS = (
    "Nothing was changed. Only full members of this workspace can do this, not guests or people from other workspaces."
)
NOT_IDENTIFIED_IN_TIME = "Nothing was changed. Slack did not confirm in time who you are. Try again in a minute."
RECORDS_LOST = "Nothing was changed. Redis has lost records, and recovery is under way. Try again in a minute."
ACTIONS_OFF = "Nothing was changed. Actions are disabled (`actions.enabled = false` in tailback.toml)."
CAME_AGAIN = "This request arrived twice. The first one was accepted."


NO_ISSUES = "No repository for issues is configured. Add a table [issues] to tailback.toml."
ISSUE_BEING_FILED = "An issue for this incident is being filed. Its link follows in the thread."


def issue_filed(name: str, url: str) -> str:
    return f"This incident has an issue already: {name}, {url}"


def not_identified(why: str) -> str:
    return f"Nothing was changed. Slack did not confirm who you are ({why}). Try again in a minute."


def nobody_may(permission: str) -> str:
    return f"Nobody has permission for this yet: `permissions.{permission}` in tailback.toml is empty."


def not_on_the_list(permission: str) -> str:
    return f"You don't have permission for this (`permissions.{permission}` in tailback.toml)."


def too_often(rate: int, wait_seconds: float) -> str:
    return f"Rate limit reached: {count(rate, 'request')} per minute. Try again in {max(1, ceil(wait_seconds))} s."


# About the button, the thread and the incident

EMPTY_BUTTON = "Nothing was changed. Tailback does not know this button."
OLD_BUTTON = "Nothing was changed. This button is outdated. Use the message's current buttons."
OTHER_CHANNELS_BUTTON = "Nothing was changed. This button belongs to an incident of another channel."
OTHER_THREADS_BUTTON = "Nothing was changed. This button belongs to another thread."
OTHER_THREAD = "Nothing was changed. The incident has moved to another thread. Follow the link here to it."
NOT_THE_OWNER = "Only the owner can withdraw the acknowledgement. It was given"
NO_OPEN_INCIDENT = "No incident is open in this channel. Nothing was changed."
SEVERAL_INCIDENTS = "Several incidents are open in this channel. Choose one."
ASK_IN_A_THREAD = "Write this in an incident's thread."
ASK_BELOW_A_REPLY = "Write this in an incident's thread, or press the button below the reply."
NOTHING_WAITS = "Nothing was changed. No reply in this thread offers that now."
INCIDENT_UNKNOWN = "Nothing was changed. Tailback no longer knows this incident."
INCIDENT_GONE = "the incident is no longer known"
INCIDENT_OVER = "Nothing was changed. This incident is over."
REQUEST_UNKNOWN = "Nothing was changed. Tailback no longer knows this request."
ALREADY_YOURS = "You have already acknowledged this incident."
TOO_LITTLE_FOR_A_CHART = "There are not enough figures for a chart yet. Try again in a few minutes."
NO_NOTE = "The note is empty. Write, for example, `@tailback note restarted the autoscaler`."


def note_too_long(length: int, most: int) -> str:
    return f"The note was not saved. It has {length:,} characters, and {most} are allowed."


def already_requested(ago_seconds: float) -> str:
    """Followed by who it was."""
    return f"This was already requested {duration(ago_seconds)} ago"


def tried_too_often(times: int) -> str:
    return f"it failed {count(times, 'time')}."


def no_incident(name: str) -> str:
    return f'Unknown incident "{name[:40]}". `/queue list` shows the open ones.'


# About pools

NO_POOL = 'No pool is configured. Add a [pool."NAME"] table to tailback.toml to see figures here.'


def unknown_pool(name: str, known: Iterable[str], meant: str = "") -> str:
    names = sorted(known)
    there = f"Known pools: {', '.join(names[:20])}" if names else "None is configured in tailback.toml"
    return f'Unknown pool "{name}". {f"Did you mean {meant}? " if meant else ""}{there}.'


def other_channels_pool(name: str) -> str:
    """Followed by where it belongs."""
    return f'Nothing was changed. Pool "{name}" belongs to another channel.'


def other_incidents_pool(name: str) -> str:
    return f'Nothing was changed. Pool "{name}" is not part of this incident. Ask outside this thread.'


def report_usage(usage: str) -> str:
    return f"Too many words. Write `{usage}`, for example `report linux.2xlarge 14`."


def report_days(most: int) -> str:
    return f"A report covers 1 to {most} days, for example `report 14`."


# About scaling

POOLS_CHANGED = (
    "Nothing was changed. The pools have changed since this dialog opened. Close it and open Scale up again."
)
OTHER_POOLS_DIALOG = "Nothing was changed. This dialog belongs to an incident of other pools."
QUESTION_LAPSED = "Nothing was changed. This dialog has expired. Open Scale up again."


def no_scaler(name: str, known: Iterable[str]) -> str:
    return f'Pool "{name}" cannot be scaled from Slack. Pools that can: {", ".join(sorted(known)) or "none"}.'


def scaler_silent(pool: str, why: str) -> str:
    return f"Nothing was changed. The autoscaler of {pool} did not answer ({why})."


def no_number(text: str) -> str:
    return f'"{text[:20]}" is not a number of runners. Write how many there should be in all, for example 24.'


def scale_usage(usage: str) -> str:
    return f"Name a pool and a number of runners: `{usage}`, for example `scale linux.2xlarge 24`."


def returning_now(pool: str) -> str:
    return f"Nothing was changed. Extra runners of {pool} are just being returned. Try again in a minute."


# About approval

ALREADY_APPROVED = "This was already approved"
ALREADY_DECIDED = "This was already decided."
APPROVAL_LAPSED = "Nothing was changed. This request has expired. Ask again with Scale up."
OWN_REQUEST = "You can't approve your own request. Ask someone else."
NOT_WHAT_WAS_AGREED = (
    "Nothing was changed. What is possible now differs from what was approved. Ask again with Scale up."
)


def nobody_approves(above: int | None) -> str:
    empty = "`permissions.approve` in tailback.toml is empty"
    return f"Nothing was changed. {_needs_approval(above)}, but nobody can approve: {empty}."


def approve_in_thread(above: int | None) -> str:
    return f"Nothing was changed. {_needs_approval(above)}. Press Scale up in an incident's thread to ask for it."


def nobody_agreed(above: int | None) -> str:
    return f"A target above {above or 0:,} needs approval, and nobody approved it."


def nothing_to_decide(outcome: str) -> str:
    return f"There is nothing left to decide: {outcome or 'the request was not confirmed'}"


def _needs_approval(above: int | None) -> str:
    return f"A target above {above or 0:,} needs approval (`approval_above`)"


# About leases

RETURNED = "These runners have already been returned."
RETURNING = "These runners are already being returned."
NO_LEASE = "These runners have no lease to extend."
NOT_FINISHED = "This scale-up is not finished yet. Try again in a minute."


def stays_anyway(left: str) -> str:
    return f"The lease already lasts another {left}."


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


def longest_silence(most_seconds: float) -> str:
    return f"The longest silence here is {duration(most_seconds)} (`max_silence`)."


def alertmanager_gone(name: str) -> str:
    return f"[alertmanager.{name}] is no longer in tailback.toml"


def no_holder(source: str) -> str:
    return f"no configured Alertmanager has an alert from {source}. Silence it at its source"


def several_holders(names: Iterable[str]) -> str:
    return (
        f"{listed(sorted(names))} may each have this alert. Give each the external_url that it sends with its "
        "alerts, in tailback.toml"
    )


def silenced_already(until: str) -> str:
    """Two silences would hide one another's end."""
    return (
        f"This alert is already silenced {until}. In its thread, `prolong 4h` extends the silence and `unsilence` "
        "ends it."
    )


def silence_usage(usage: str) -> str:
    return f"Name a pool and how long: `/queue {usage}`, for example `/queue silence linux.2xlarge 2h`."


def no_incident_here_of(pool: str) -> str:
    return f'No incident of pool "{pool}" is open in this channel. Nothing was changed.'


def nothing_to_silence(pool: str) -> str:
    return f'Nothing to silence: pool "{pool}" has no open incident.'


def other_channels_incident(pool: str) -> str:
    """Followed by where it is."""
    return f'Nothing was changed. The open incident of pool "{pool}" is in another channel.'


def lasts_anyway(left_seconds: float) -> str:
    left = duration(left_seconds)
    return f"The silence already lasts another {left}. Write the time from now, for example `prolong 4h`."

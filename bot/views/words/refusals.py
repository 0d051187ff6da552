"""Why a request is refused, in words for the person who asked. Nothing decides on these sentences."""

from collections.abc import Iterable
from math import ceil

from bot.core.words import duration, listed

# About the person and the moment

ONLY_MEMBERS = "Only full members of this workspace may do that; guests and other workspaces may not."
NOT_IDENTIFIED_IN_TIME = "Nothing was done: Slack did not say in time who you are. Try again in a minute."
RECORDS_LOST = "Redis has lost records and they are being healed; nothing is done until then. Try in a minute."
ACTIONS_OFF = "Actions are switched off (`actions.enabled = false` in tailback.toml). Nothing was done."
CAME_AGAIN = "This request came again; what it asked for was written down the first time."


NO_ISSUES = "No repository for issues is configured. Add a table [issues] to tailback.toml."
ISSUE_BEING_FILED = "An issue for this incident is being filed. Its link follows in the thread."


def issue_filed(name: str, url: str) -> str:
    """There is one already."""
    return f"This incident has an issue already: {name}, {url}"


def not_identified(why: str) -> str:
    """Slack did not answer."""
    return f"Nothing was done: Slack did not say who you are ({why}). Try again in a minute."


def nobody_may(permission: str) -> str:
    """The list is empty."""
    return f"Nobody may do that here yet: `permissions.{permission}` in tailback.toml is empty."


def not_on_the_list(permission: str) -> str:
    """The person is not allowed."""
    return f"You are not on the list for this (`permissions.{permission}` in tailback.toml)."


def too_often(rate: int, wait_seconds: float) -> str:
    """More requests in a minute than a person makes."""
    return f"That is more than {rate} requests in a minute. Try again in {max(1, ceil(wait_seconds))} s."


# About the button, the thread and the incident

EMPTY_BUTTON = "This button carries nothing that Tailback knows; nothing was done."
OLD_BUTTON = "This button is out of date; use the ones the message shows now."
OTHER_CHANNELS_BUTTON = "This button belongs to another channel's incident; nothing was done."
OTHER_THREADS_BUTTON = "This button belongs to another thread; nothing was done."
OTHER_THREAD = "This is not the incident's own thread any more; nothing was done. Use the one it points to."
NOT_THE_OWNER = "Only the owner can take back the acknowledgement. It was given"
NO_OPEN_INCIDENT = "No incident is open in this channel. Nothing was changed."
SEVERAL_INCIDENTS = "Several incidents are open in this channel. Choose one."
ASK_IN_A_THREAD = "Ask in the thread of an incident, or press the button on its first message."
ASK_BELOW_A_REPLY = "Ask in the thread of an incident, or press the button below its reply."
NOTHING_WAITS = "Nothing in this thread waits for that: it needs a reply that offers it, and there is none now."
INCIDENT_UNKNOWN = "Tailback does not know this incident any more, so nothing was done."
INCIDENT_GONE = "the incident is not known any more"
INCIDENT_OVER = "This incident is over; nothing was done."
REQUEST_UNKNOWN = "Tailback does not know this any more, so nothing was done."
ALREADY_YOURS = "You already have it."
TOO_LITTLE_FOR_A_CHART = "Too little is known of the queue to draw it; ask again in a few minutes."
NO_NOTE = "Write the note behind the word, for example `@tailback note restarted the autoscaler`."


def note_too_long(length: int, most: int) -> str:
    """A timeline is no place for a log file."""
    return f"A note has {most} characters at most, and this one has {length:,}. Nothing was noted."


def already_requested(ago_seconds: float) -> str:
    """Followed by who it was."""
    return f"That was already requested {duration(ago_seconds)} ago"


def tried_too_often(times: int) -> str:
    """The back end never did it."""
    return f"it was tried {times} times and did not happen."


def no_incident(name: str) -> str:
    """What somebody typed is no incident."""
    return f'There is no incident "{name[:40]}". `/queue list` names the open ones.'


# About pools

NO_POOL = 'No pool is configured. Add a [pool."NAME"] table to tailback.toml to see figures here.'


def unknown_pool(name: str, known: Iterable[str]) -> str:
    """What somebody typed is no pool."""
    names = sorted(known)
    there = f"Known pools: {', '.join(names[:20])}" if names else "None is configured in tailback.toml"
    return f'There is no pool "{name}". {there}.'


def other_channels_pool(name: str) -> str:
    """Followed by where it belongs."""
    return f'Pool "{name}" is not of this channel; nothing was done.'


def other_incidents_pool(name: str) -> str:
    """Asked for in the thread of an incident of other pools."""
    return f'Pool "{name}" is not of this incident; nothing was done. Ask outside its thread.'


def report_usage(usage: str) -> str:
    """Too many words."""
    return f"Say at most one pool and one number of days: `{usage}`, for example `report linux.2xlarge 14`."


def report_days(most: int) -> str:
    """Too many days."""
    return f"A report covers 1 to {most} days, for example `report 14`."


# About scaling

POOLS_CHANGED = "The pools have changed since this dialog was opened; close it and open Scale up again."
OTHER_POOLS_DIALOG = "This dialog belongs to an incident of other pools; nothing was done."
QUESTION_LAPSED = "This question has lapsed; open Scale up again."


def no_scaler(name: str, known: Iterable[str]) -> str:
    """The pool cannot be scaled from here."""
    return f'Pool "{name}" has no scaler. Pools that can be scaled: {", ".join(sorted(known)) or "none"}.'


def scaler_silent(pool: str, why: str) -> str:
    """The scaler does not say what is set."""
    return f"The scaler of {pool} does not answer ({why}), so nothing is asked of it."


def no_number(text: str) -> str:
    """The target is none."""
    return f'The target is a whole number of runners, for example 24; "{text[:20]}" is not.'


def scale_usage(usage: str) -> str:
    """Too many or too few words."""
    return f"Say which pool and how many runners: `{usage}`, for example `scale linux.2xlarge 24`."


def returning_now(pool: str) -> str:
    """A hand-back is under way."""
    return f"Extra capacity of {pool} is being handed back in this moment. Ask again in a minute."


# About approval

APPROVER_UNKNOWN_REQUEST = "Tailback does not know this request any more, so nothing was done."
ALREADY_APPROVED = "That was already approved"
ALREADY_DECIDED = "That was already decided."
APPROVAL_LAPSED = "This request has lapsed; ask again with Scale up."
OWN_REQUEST = "Somebody else must agree: you asked for it yourself."
NOT_WHAT_WAS_AGREED = "What could be done now is not exactly what was agreed to. Ask again with Scale up."


def nobody_approves(above: int | None) -> str:
    """A second person is needed, and no list names one."""
    return (
        f"{_needs_approval(above)}, but nobody may: `permissions.approve` in tailback.toml is empty. Nothing was done."
    )


def approve_in_thread(above: int | None) -> str:
    """A second person is asked in a thread, and there is none."""
    there = "and that is asked for in an incident's thread: press Scale up there"
    return f"{_needs_approval(above)}, {there}. Nothing was done."


def nobody_agreed(above: int | None) -> str:
    """At the moment of doing."""
    return f"A target above {above or 0:,} needs a second person to agree, and nobody did."


def nothing_to_decide(outcome: str) -> str:
    """The request has come to its end."""
    return f"There is nothing left to decide: {outcome or 'it was not confirmed'}"


def _needs_approval(above: int | None) -> str:
    return f"A target above {above or 0:,} needs a second person to agree (`approval_above`)"


# About leases

RETURNED = "Those runners have been handed back already."
RETURNING = "They are being handed back already."
RETURNING_THOSE = "Those runners are being handed back already."
NO_LEASE = "These runners have no lease that could be extended."
NOT_FINISHED = "That scale action has not come to its end yet; ask again in a minute."


def stays_anyway(left: str) -> str:
    """An extension that would be none."""
    return f"They stay for {left} more already."


def longest_lease(left: str, most_seconds: float) -> str:
    """An extension beyond `max_lease`."""
    return f"They stay for {left} more, and not longer: {duration(most_seconds)} is the most (`max_lease`)."


# About silences

NO_ALERTMANAGER = "no Alertmanager is configured; add [alertmanager.NAME] to tailback.toml to silence from here"
NO_COMMON_LABEL = "the alerts of this group share no label, so a silence would match too much"
NO_SILENCE_HERE = "There is no active silence of this incident that was made from here."
NOT_OURS = "this silence was not made from here"
SILENCE_OVER = "That silence is over; silence again if it is needed."
SILENCE_DIALOG_LAPSED = "This dialog is too old. Nothing was silenced. Close it and press Silence again."
SHORTEST_SILENCE = "The shortest silence is 1 min."
NO_JOB_NUMBER = "Write a whole number of jobs, for example 200, or nothing."
SAY_HOW_LONG = "Say how long, for example `silence 2h` or `silence drained`."


def longest_silence(most_seconds: float) -> str:
    """The Alertmanager's limit."""
    return f"The longest silence here is {duration(most_seconds)} (`max_silence`)."


def alertmanager_gone(name: str) -> str:
    """It is not configured any more."""
    return f"[alertmanager.{name}] is not in tailback.toml any more"


def no_holder(source: str) -> str:
    """No configured Alertmanager has the alert."""
    return f"no configured Alertmanager holds an alert from {source}; silence it where it is made"


def several_holders(names: Iterable[str]) -> str:
    """More than one may have it."""
    return (
        f"it is not known which of {listed(sorted(names))} holds this alert; give each its external_url in "
        "tailback.toml, as it stands in what it sends"
    )


def silenced_already(until: str) -> str:
    """Two silences would hide one another's end."""
    return (
        f"This alert is silenced already, {until}. In its thread `prolong 4h` extends that silence, and `unsilence` "
        "ends it."
    )


def silence_usage(usage: str) -> str:
    """Too few words."""
    return f"Say which pool and how long: `/queue {usage}`, for example `/queue silence linux.2xlarge 2h`."


def nothing_to_silence(pool: str) -> str:
    """The pool has no open incident."""
    return f'There is no open incident of pool "{pool}", so there is no alert to silence.'


def other_channels_incident(pool: str) -> str:
    """Followed by where it is."""
    return f'The open incident of pool "{pool}" is in another channel.'


def lasts_anyway(left_seconds: float) -> str:
    """An extension that would be none."""
    return f"It lasts for {duration(left_seconds)} more already. Say for how long from now, for example `prolong 4h`."

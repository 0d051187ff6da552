"""The words of causes: names, evidence and remedies."""

from bot.core.finding import Scaling

CAUSES = {
    "stale_rows": "rows that only look queued",
    "blind": "the metric source is blind",
    "unknown_label": "no runner carries the label",
    "hosted": "a hosted label: the machines are the CI provider's",
    "provider": "the CI provider assigns no jobs",
    "unassigned": "idle runners are not given the jobs",
    "offline": "hosts or agents are offline",
    "stockout": "the cloud has no such machines left",
    "quota": "a quota of the cloud account is used up",
    "permission": "the cloud refuses for lack of permission",
    "image": "the machine image cannot be found",
    "throttled_api": "an API limit is exhausted",
    "throttled_cloud": "an API limit is exhausted",
    "cloud_down": "the cloud itself fails",
    "refused": "the cloud refuses new machines",
    "unregistered": "machines boot but their runners never register",
    "failed_fill": "failed runners fill the limit",
    "limit": "the pool's limit is reached",
    "lost_events": "the autoscaler does not hear of the jobs",
    "flood": "one source floods the pool",
    "hung": "jobs hang or run far longer than usual",
    "surge": "a surge of jobs",
    "runners_die": "runners die under their jobs",
    "slow_boot": "machines take far longer than usual to boot",
    "too_few": "the autoscaler adds too few runners",
    "no_runner": "no runner is online",
    "together": "something that many pools share",
}
"""Cause → its name in a sentence."""

SCALING = {
    Scaling.HELPS: "helps",
    Scaling.NO: "does not help",
    Scaling.HARMFUL: "harms",
    Scaling.UNKNOWN: "is open",
}
"""Continues "Scaling up"."""

RUNNERS = {
    Scaling.HELPS: "More runners help.",
    Scaling.NO: "More runners don't help.",
    Scaling.HARMFUL: "More runners make it worse.",
    Scaling.UNKNOWN: "Unclear whether more runners help.",
}
"""Whether more runners help, as a sentence."""

EVIDENCE = {
    "all_busy": "all {runners:count online runner} busy, {room} more allowed",
    "all_busy_at_limit": "{busy} busy of {runners:count runner}, limit {limit}, none idle",
    "always_offline": "they have been for as long as is known",
    "arrivals": "{per_minute:.1f} jobs arrive a minute, usually {usual:.1f}",
    "booted_without_runner": "{machines:count machine} booted without a runner registering",
    "boots_take": (
        "{booting:count machine} booting"
        "{seconds:known , each for {seconds:duration}|, and none registers}; usually {usual:duration}"
    ),
    "burst": "up to {per_minute:.1f} a minute",
    "calls_left": "{calls} calls left at the CI provider's API in this hour",
    "created_before": "of {created:count machine} created in 15 min before, {registered} registered",
    "created_not_registered": "{created:count machine} created in the last 15 min, {registered} registered",
    "creates_fail_in_pools": "creates fail in {pools:len} pools ({pools:list})",
    "creates_failed": "{attempts:count attempt} to create a runner failed in the last 15 min",
    "creates_refused": "{creates:count create} refused in the last 15 min: {codes:list}",
    "figure_missing": "{pool}: {figure}: {why}",
    "few_requested": (
        "{queued:count job} wait, {booting:count runner} boot, and {room:count more runner} would be allowed"
    ),
    "idle_beside_queue": "{idle:count idle runner} beside {queued:count waiting job}",
    "idle_beside_wait": (
        "{idle:count idle runner} beside {queued:count waiting job}, the oldest for {oldest_wait_seconds:duration}"
    ),
    "idle_in_many_pools": "idle runners beside a queue in {pools:len} pools ({pools:list 3})",
    "jobs_ended": "{jobs:count job} ended in {minutes} min; with usual durations it would have been {expected:.0f}",
    "jobs_vanished": "{share:.0%} of the started jobs neither ended nor run any more",
    "jobs_take": "half of the jobs now take over {seconds:duration}, usually {usual:duration}",
    "limit_filled": (
        "{working} working{offline:if , {offline} offline|} and {failed:count failed runner} fill the limit of {limit}"
    ),
    "launches_per_job": "{launches:.1f} machines are created and {arrivals:.1f} jobs arrive a minute",
    "limit_is_zero": "the limit is 0, and {busy:count runner} still work",
    "limit_was": "the limit was {limit:.0f} before",
    "longest_job": "the longest job has run for {seconds:duration}, the usual one takes {usual:duration}",
    "machines_given": "{machines:count machine} given in the same time",
    "no_runner_allowed": (
        "the pool may have 0 runners, {online:count is|are} online, and "
        "{booting:known none is booting|it is unknown whether one boots}"
    ),
    "no_runner_ever": (
        "0 runners online, 0 created and {refused:known 0 refused|refusals unknown} in 15 min, "
        "while {queued:count job} wait"
    ),
    "no_runner_now": "no runner is online or boots, while {queued:count job} wait",
    "none_booting": "{queued:count job} wait, the oldest for {oldest_wait_seconds:duration}, and no runner is booting",
    "none_requested": "{created:count machine} created and {refused:known 0 refused|refusals unknown} in 15 min",
    "not_measured": "{pool}: {why}",
    "nothing_created": (
        "no machine was created in 15 min, and {refused:known none was refused|it is unknown whether any was refused}"
    ),
    "nothing_started": "no job started in the last minutes",
    "often_at_limit": "at the limit in {samples} of the last {of} looks",
    "old_figures": "{pool}: the newest figures are old",
    "partly_registered": "of {created:count machine} created in the last hour, {registered} registered",
    "pool_not_configured": "the alert names {pool}, which is not among the configured pools",
    "pools_queue_at_once": "{pools:len} of {measured} measured pools queue at once ({pools:list 3})",
    "provider_down": "the provider's own signal says that it assigns no jobs",
    "provider_label": "{pool} is a label of the CI provider's own machines",
    "queue_unknown": "{pool}: the length of the queue is unknown",
    "refused_before": "creates were refused before, and then no longer asked for",
    "room_left": "{runners:count more runner} would be allowed",
    "rows_left_out": "{rows:count row} only look queued and are left out of the figures",
    "runners_offline": "{offline} of {runners:count runner} offline ({share:.0%})",
    "runners_left": "{online:count runner} online, {before} before: they leave although jobs wait",
    "running_flat": (
        "exactly {jobs:count job} run, unchanged for {seconds:duration}: that looks like the account's cap"
    ),
    "should_have_ended": (
        "{jobs} of {running:count running job} should have ended by now; a job usually takes {usual:duration}"
    ),
    "source_rate": (
        "{per_minute:.1f} a minute, usually {usual:.1f}; all others {others:.1f}, usually {others_usual:.1f}"
    ),
    "source_sent": "{source} sent {jobs:.0f} of {total:.0f} jobs in the last 15 min ({share:.0%})",
    "unknown_codes": "with the codes {codes:list}",
    "usually_offline": "usually {runners:.0f}",
    "wait_beyond_life": (
        "the oldest wait is {seconds:duration}"
        "{starts:known , longer than a live job can wait, while {starts:.1f} jobs start a minute"
        "|: CI providers cancel what has queued for a day or two; whether other jobs start is unknown}"
    ),
}
"""The evidence of a rule."""

REMEDIES = {
    "check_scaling_settings": "Check the autoscaler's step, cooldown and target; raise the minimum meanwhile.",
    "find_what_kills": "Find out what ends the machines: spot reclaims, memory, an idle timeout. Rerun the lost jobs.",
    "look_at_boot_log": "Look at the boot log of one machine, the registry and the network; wait before you add more.",
    "add_runners": "Add runners where the forecast is longer than they take to boot; cancel superseded runs.",
    "ask_what_changed": (
        "Ask what was released or changed in the last hours, and look at the providers' status pages."
    ),
    "bring_hosts_back": (
        "Bring the hosts back: restart the agents, or replace the machines; new ones do not repair these."
    ),
    "call_less": "Call less often: every further request lengthens the throttle. It recovers when the calls stop.",
    "cancel_hanging_jobs": (
        "Look at the longest running jobs, cancel what hangs, set a timeout; new runners would hang too."
    ),
    "check_account_cap": (
        "Look at the provider's status page and at the account's concurrency cap; move urgent jobs to own runners."
    ),
    "check_policies": (
        "Look at what changed in the account's policies and in the autoscaler's role; shift traffic meanwhile."
    ),
    "compare_labels": (
        "Compare the jobs' labels with the runners', and the idle ones with what really runs; more will not help."
    ),
    "correct_label": "Correct the label in the workflow or restore the pool, then rerun the whole workflow.",
    "delete_failed_runners": "Delete the failed runners; the autoscaler then creates new ones.",
    "leave_rows_out": "Leave these rows out of the metric; cancel their runs. Nothing really waits there.",
    "point_at_image": "Point the pool at an image that exists.",
    "raise_limit": "Raise the limit within what is allowed, or wait where the forecast says that it clears.",
    "raise_quota": (
        "Ask for a higher quota or free what is not used; scaling down elsewhere helps, scaling up does not."
    ),
    "read_autoscaler_log": ("Read the autoscaler's log for the error code; more requests meet the same refusal."),
    "repair_image": (
        "Repair the image or its start script before anything is created; look at one machine's boot log."
    ),
    "repair_metric_source": "Repair the metric source first; `tailback check` says what it answers.",
    "resend_requests": (
        "Resend the requests for the jobs that really wait, or raise the minimum; then look for the lost events."
    ),
    "stop_calling": "Stop what calls so often; it recovers on the hour. Each create costs further calls.",
    "stop_source": ("Stop the source and cancel its waiting runs first; only then do more runners serve anybody else."),
    "wait_for_cloud": "Look at the cloud's status page and wait; expect a catch-up of requests afterwards.",
    "wait_for_provider": ("Look at the provider's status page, hold, and do not rerun: jobs start when it recovers."),
    "wait_or_change_type": (
        "Wait, or let a person choose another machine type, zone or region; resend the requests that were refused."
    ),
}
"""What to do, as a sentence."""


def cause_name(cause: str) -> str:
    """A cause's name in a sentence; its id if only a newer release knows it."""
    return CAUSES.get(cause, cause)


def what_helps(scaling: Scaling, remedy: str) -> str:
    """Whether more runners help; unless they do, what helps instead: the remedy's first sentence."""
    first = REMEDIES.get(remedy, "").split(". ")[0].rstrip(".")
    return RUNNERS[scaling] if scaling is Scaling.HELPS or not first else f"{RUNNERS[scaling]} {first}."

"""The words of causes and figures: names, evidence and remedies."""

from bot.core.finding import Finding, Scaling

CAUSES = {
    "stale_rows": "rows that only look queued",
    "late_events": "events of jobs came late",
    "blind": "the queue is unknown",
    "unknown_label": "no runner has the label",
    "hosted": "the label belongs to the CI provider's own runners",
    "provider": "the CI provider is not assigning jobs",
    "unassigned": "idle runners are not getting the jobs",
    "offline": "hosts or agents are offline",
    "stockout": "the cloud is out of this machine type",
    "quota": "a quota is used up",
    "permission": "permission is denied",
    "cluster_full": "the cluster has no room for another runner",
    "image": "the image cannot be found",
    "throttled_api": "the CI provider's API limit is used up",
    "throttled_cloud": "the cloud's API limit is used up",
    "cloud_down": "the cloud provider has an outage",
    "refused": "the cloud refuses new machines",
    "requests_pile_up": "the autoscaler's launch requests pile up",
    "unregistered": "machines boot but their runners never register",
    "failed_fill": "failed runners use up the limit",
    "limit": "the pool's limit is reached",
    "hung": "jobs hang and do not end",
    "slower": "jobs take longer than usual",
    "all_slower": "the machines or a service that all jobs use became slow",
    "surge": "a surge of jobs",
    "runners_die": "runners die while running jobs",
    "slow_boot": "machines take far longer than usual to boot",
    "slow_scaling": "the autoscaler adds machines too slowly",
    "short_of_disk": "machines are short of disk",
    "short_of_memory": "machines are short of memory",
    "short_of_cpu": "machines are short of CPU",
    "slow_network": "the network of machines is slow",
    "slow_service": "a service that jobs need is slow",
    "too_few": "machines do not come",
    "no_runner": "no runner is online",
    "together": "a problem shared by many pools",
}
"""Cause → its name in a sentence."""

RUNNERS = {
    Scaling.HELPS: "More runners help",
    Scaling.NO: "More runners don't help",
    Scaling.HARMFUL: "More runners make it worse",
    Scaling.UNKNOWN: "Unclear whether more runners help",
}
"""Whether more runners help."""

SCALING = {Scaling.HELPS: "scaling helps", Scaling.NO: "scaling won't help", Scaling.HARMFUL: "scaling makes it worse"}
"""The same for a notification, where it is known."""

FADED = {
    **RUNNERS,
    Scaling.HELPS: "More runners may help",
    Scaling.NO: "More runners may not help",
    Scaling.HARMFUL: "More runners may make it worse",
}
"""The same once the evidence is gone: what was true then is not known now, and its remedy is left out."""

EVIDENCE = {
    "all_busy_at_limit": (
        "{busy} busy of {runners:count runner}, {offline:if {offline} offline, |}limit {limit}, none idle"
    ),
    "always_offline": "offline for as long as Tailback has data",
    "as_written": "{text}",
    "arrived": (
        "{per_minute:.1f} jobs per minute arrived{seconds:if  in the last {seconds:duration}|} (usually {usual:.1f})"
    ),
    "booted_without_runner": "{machines:count machine} booted without a runner registering",
    "boots_take": (
        "{booting:count machine} booting"
        "{seconds:known , each for {seconds:duration}|, and none registers}; usually {usual:duration}"
    ),
    "came_late": (
        "jobs made up to {made_seconds:duration} ago arrived in the last {arrived_seconds:duration}; "
        "they drain as machines boot"
    ),
    "all_busy_as_ever": "{busy:count runner} busy, none idle, of the {most} that it has had; its limit is unknown",
    "part_dead": "{dead} of {queued:count row} are dead, so {rest:count job waits|jobs wait} for another reason",
    "few_started": "{booting:count machine} booting on average, and {started:count job} started in {minutes} min",
    "partly_started": "of {created:count runner} that booted lately, {started} took a job",
    "seen_plainly": (
        "{queued:count job waits|jobs wait}"
        "{oldest_wait_seconds:known , the longest for {oldest_wait_seconds:duration}|}"
        "{busy:known ; {busy} busy|}{idle:known , {idle} idle|}{limit:known , limit {limit}|}"
    ),
    "busy_with_nothing": "{busy:count runner} busy, but only {jobs:count job} of this pool running",
    "common_mark": "{machines} of {of} failed ones have one thing in common: {mark}",
    "inferred_arrivals": "{times:.1f} × the usual jobs seem to come, for {seconds:duration}: queue and wait tell",
    "inferred_duration": "jobs seem to take {times:.1f} × as long or hang, for {seconds:duration}: queue and wait tell",
    "machines_alone": "{machines} of {of:count runner} of the machines in service have not registered",
    "run_again": (
        "{jobs} of {of:count job} that arrived in the last 15 min run once more{failed:known , {failed} failed|}"
    ),
    "scales_on_cpu": "the autoscaler looks at CPU, not at the queue",
    "burst": "bursts of up to {per_minute:.1f} jobs per minute",
    "calls_left": "{calls} API calls left at the CI provider this hour",
    "creates_fail_in_pools": "launches fail in {pools:len} pools ({pools:list})",
    "creates_failed": "{attempts:count runner launch|runner launches} failed in the last 15 min",
    "creates_refused": "{creates:count runner launch|runner launches} refused in the last 15 min: {codes:list}",
    "figure_missing": "{pool}: {figure}: {why}",
    "failed_counted": "{queued:count job} waiting, {failed:count failed runner}, and no runner booting",
    "idle_beside_queue": "{idle:count idle runner} while {queued:count job waits|jobs wait}",
    "idle_beside_wait": (
        "{idle:count idle runner} while {queued:count job waits|jobs wait}, "
        "the longest for {oldest_wait_seconds:duration}"
    ),
    "idle_in_many_pools": "idle runners despite a queue in {pools:len} pools ({pools:list 3})",
    "jobs_ended": "{jobs:count job} ended in {minutes} min, {expected:.0f} expected",
    "jobs_vanished": "{share:share} of the started jobs disappeared without an end",
    "kind_takes": (
        "{job}{repository:if  in {repository}|} takes {seconds:duration} instead of {usual:duration}"
        "{lasts:if , for {lasts:duration}|}: {jobs} of {running:count running job}"
    ),
    "all_kinds_slower": "{kinds} of {of:count known kind} of jobs became slow at once",
    "signals_well": "{signals:count signal} of machines and services: well",
    "overtaken_jobs": "{jobs:count job} of {kind} wait {seconds:duration} and longer, while newer jobs start",
    "still_end": "{jobs:count job} ended in {minutes} min",
    "jobs_take": "median job {seconds:duration}, usually {usual:duration}",
    "limit_filled": (
        "{working} working{offline:if , {offline} offline|} and {failed:count failed runner} fill the limit of {limit}"
    ),
    "limit_is_zero": "the limit is 0{busy:if  while {busy:count runner still works|runners still work}|}",
    "limit_was": "the limit was {limit:.0f} before",
    "machines_given": "{machines:count runner} granted in the same time",
    "no_runner_ever": (
        "0 runners online, 0 created and {refused:known 0 refused|refusals unknown} in 15 min, "
        "while {queued:count job waits|jobs wait}"
    ),
    "no_runner_now": "no runner is online or booting while {queued:count job waits|jobs wait}",
    "not_measured": "{pool}: {why}",
    "none_came": (
        "{runners}{idle:if | busy} of {known:if |the }{limit:count runner}{known:if | that it has had}"
        "{idle:if , none idle|}, none came for {seconds:duration} while {queued:count job waits|jobs wait}"
    ),
    "few_came": (
        "{runners}{idle:if | busy} of {known:if |the }{limit:count runner}{known:if | that it has had}"
        "{idle:if , none idle|}: {came} came{left:if  and {left} left|} in {seconds:duration}, "
        "{room} more are allowed while {queued:count job waits|jobs wait}"
    ),
    "created_of": "{created:count runner} created and {arrivals:count job} arrived in the last 15 min",
    "nothing_created": "no machine created in 15 min, {refused:known none refused|refusals unknown}",
    "nothing_started": "no job started in the last minutes",
    "machines_short": ("{machines}{of:known  of {of}|} {unit}s {says}{before:known  ({ago:duration} ago: {before})|}"),
    "often_at_limit": "at the limit in {samples} of the last {of} checks",
    "old_figures": "{pool}: the latest figures are stale",
    "overtaken": "{started:count job} started since the oldest one came, though at most {queued} waited",
    "partly_registered": "of {created:count runner} that booted lately, {registered} registered",
    "pool_not_configured": "the alert names {pool}, which is not among the configured pools",
    "pools_queue_at_once": "{pools:len} of {measured:count measured pool} have a queue ({pools:list 3})",
    "provider_down": "the provider's status says that no jobs are assigned",
    "provider_label": "{pool} is a label of the CI provider's own runners",
    "queue_unknown": "{pool}: queue length unknown",
    "requests_given_up": "{requests:count launch request} given up",
    "requests_wait": "{requests:count launch request} waiting{seconds:known , the oldest for {seconds:duration}|}",
    "rows_left_out": "{rows:count stale row} left out of the figures",
    "runners_offline": "{offline} of {runners:count runner} offline ({share:share})",
    "runners_left": "{online:count runner} online, {before} before: they leave although jobs wait",
    "runners_share": "about {runners:count runner} on each machine",
    "signal_crossed": (
        "{name} is at {value:,.4g}{usual:known  (usually {usual:,.4g})|}, "
        "{above:known above {above:,.4g}|below {below:,.4g}} for {seconds:duration}"
    ),
    "running_flat": (
        "exactly {jobs:count job} running, unchanged for {seconds:duration}: probably the account's concurrency limit"
    ),
    "should_have_ended": (
        "{jobs} of {running:count running job} should have ended by now; a job usually takes {usual:duration}"
    ),
    "source_sent": "{source} sent {jobs:,.0f} of {total:count job} in the last 15 min ({share:share})",
    "unknown_codes": "error codes: {codes:list}",
    "unservable": "no runner has what {jobs} of {queued:count waiting job} ask for",
    "usually_offline": "usually {runners:.0f} offline",
    "wait_beyond_life": (
        "the longest wait is {seconds:duration}"
        "{starts:known , too long for a live job, while {starts:.1f} jobs start per minute"
        "|: CI providers cancel jobs after a day or two in the queue, and starts are unknown}"
    ),
}
"""The evidence of a rule."""

REMEDIES = {
    "add_machines_cpu": "Add machines or use bigger ones, or let jobs run with fewer threads.",
    "add_machines_memory": "Use machines with more memory, or find the job that takes it.",
    "clean_disks": "Clean or replace these machines: jobs on them fail or crawl.",
    "fewer_on_a_machine": "Run fewer runners on each machine, or add machines. More runners share the same machines.",
    "look_at_network": "Check the network of these machines: switches, NAT gateway, bandwidth limits, DNS.",
    "repair_service": "Repair the service first. Jobs wait for it, on every runner.",
    "check_scaling_settings": "Check that the autoscaler runs, and its log. Then check its step, cooldown and target.",
    "scale_on_queue": "Let the autoscaler look at the queue: runners that wait are no load, so their CPU is low.",
    "launch_faster": "Add runners now. Then raise how many machines the autoscaler may launch at once.",
    "find_what_kills": "Find out what ends them: spot reclaims, memory, an idle timeout. New ones die too.",
    "look_at_boot_log": "Check one machine's boot log, the image registry and the network. New ones boot as slowly.",
    "add_runners": "Add runners if the forecast is longer than their boot time. Cancel superseded runs.",
    "ask_what_changed": ("Find out what was released or changed in the last hours. Check the providers' status pages."),
    "bring_hosts_back": ("Bring the hosts back: restart the agents or replace the machines."),
    "call_less": "Make the autoscaler call less often: each call prolongs the throttling. It ends when they stop.",
    "find_slow_machines": "Look at the machines, and at services that all jobs use: kinds became slow together.",
    "find_slow_jobs": "Look at what changed in the jobs that became slow, and at the machines and services they use.",
    "cancel_hanging_jobs": ("Check the longest running jobs, cancel those that hang, and set a timeout."),
    "check_account_cap": "Check the provider's status page and the account's job limit. Move urgent jobs elsewhere.",
    "check_policies": (
        "Check recent changes of the account's policies and of the autoscaler's role. Move jobs elsewhere until then."
    ),
    "check_autoscaler": "Check that the autoscaler runs and serves the jobs' labels. Its log says what it does.",
    "compare_labels": (
        "Compare the jobs' labels with the labels of the idle runners, and check that these still run. "
        "Rerun one job: some are assigned only then."
    ),
    "correct_label": "Correct the label in the workflow or restore the pool. Then rerun the whole workflow.",
    "delete_failed_runners": "Delete the failed runners. The autoscaler then creates new ones.",
    "leave_rows_out": "Exclude these rows from the metric and cancel their runs. No job waits behind them.",
    "point_at_image": "Point the pool at an image that exists.",
    "free_places": "Find what holds the places that do no work, and free them. Then raise the limit if it still binds.",
    "raise_limit": "Raise the limit, or wait if the forecast says that the queue drains.",
    "raise_quota": ("Request a higher quota or free unused machines. Scaling down elsewhere helps."),
    "read_launch_log": "Read the log of the autoscaler's launch function: it says why no machine comes.",
    "read_autoscaler_log": ("Look up the error code in the autoscaler's log. Further requests are refused too."),
    "repair_image": ("Repair the image or its start script first. Check one machine's boot log."),
    "repair_metric_source": "Repair the metrics source first. `tailback check` shows what it answers.",
    "restore_limit": "Put the limit back to what it was, or find out who lowered it and why.",
    "add_nodes": "Add nodes to the cluster, or lower what its pods request. Its autoscaler's log says why none came.",
    "wait_for_machines": "Wait: the jobs start as machines boot. Check the provider's status page for delayed events.",
    "find_the_queue": "Check which source gives the queue of this pool: `tailback check` names it and what it lacks.",
    "resend_requests": ("Resend the requests for the waiting jobs, or raise the minimum. Then find the lost events."),
    "stop_calling": "Stop the client that calls so often. The limit resets within an hour. Each launch costs calls.",
    "stop_source": ("Stop the source and cancel its waiting runs first. Only then do more runners help others."),
    "wait_for_cloud": "Check the cloud's status page and wait. Expect many requests at once afterwards.",
    "wait_for_provider": ("Check the provider's status page. Do not rerun: jobs start when it recovers."),
    "wait_or_change_type": ("Wait, or choose another machine type, zone or region. Then resend the refused requests."),
}
"""What to do, as a sentence."""


def remedy_of(finding: Finding) -> str:
    """What to do; where the operator's settings say it, in their words."""
    own = next((str(text) for seen in finding.evidence if (text := seen.values.get("remedy"))), "")
    return own if finding.remedy == "as_written" else REMEDIES.get(finding.remedy, "")


def cause_name(cause: str) -> str:
    """A cause's name in a sentence; its id if only a newer release knows it."""
    return CAUSES.get(cause, cause)


FIGURES = {
    "api_remaining": "API quota",
    "arrivals_by_source": "sources of new jobs",
    "arrivals_per_minute": "arrivals",
    "booting": "booting runners",
    "busy": "busy runners",
    "changes": "releases and changes",
    "completions_per_minute": "completions",
    "create_failures": "failed runner launches",
    "create_failures_by_code": "reasons for failed runner launches",
    "creates": "created runners",
    "dead_requests": "launch requests given up",
    "duration_p50_seconds": "durations of jobs",
    "requests": "waiting launch requests",
    "failed": "failed runners",
    "idle": "idle runners",
    "kinds": "how long each kind of job takes",
    "limit": "runner limit",
    "offline": "offline runners",
    "oldest_wait_seconds": "longest wait",
    "provider_up": "CI provider status",
    "machines": "machines in service",
    "registered": "registered runners",
    "running_longest_seconds": "longest running job",
    "starts_per_minute": "starts",
    "cpu": "CPU of the machines",
    "memory": "memory of the machines",
    "disk": "disk space of the machines",
    "io": "disk speed of the machines",
    "network": "network of the machines",
    "service": "services that jobs need",
    "machines_before": "the machines before the trouble",
    "signals": "signals of machines and services",
    "usual_by_source": "usual sources",
    "usual_offline": "usual number of offline runners",
}
"""Figures that a rule may lack."""

GAPS = {
    "source": "one of the sources",
    "rates": "arrivals, starts and completions per minute",
    "runners": "busy, idle and offline runners",
    "webhooks": "comparison of the webhooks with GitHub",
}
"""Gaps of a source that are more than one figure."""


def gap_name(figure: str) -> str:
    """The name of a gap; for a single figure the name of its setting."""
    return GAPS.get(figure, figure)

"""Converts documents of older releases when they are read.

Each document carries its format. To change a record: raise FORMAT, and add a function here.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.core.finding import HIGH, MEDIUM
from bot.diagnosis.registry import RULES

FORMAT = 3
"""Increase it when older releases must not use the records any more. 1: release 0.1; 2: release 0.2.0."""

Document = dict[str, Any]

CAUSES_0_2_0 = {
    "rows that only look queued": "stale_rows",
    "the metric source is blind": "blind",
    "no runner carries the label": "unknown_label",
    "a hosted label: the machines are the CI provider's": "hosted",
    "the CI provider assigns no jobs": "provider",
    "idle runners are not given the jobs": "unassigned",
    "hosts or agents are offline": "offline",
    "the cloud has no such machines left": "stockout",
    "a quota of the cloud account is used up": "quota",
    "the cloud refuses for lack of permission": "permission",
    "the machine image cannot be found": "image",
    "an API limit is exhausted": "throttled_api",
    "the cloud itself fails": "cloud_down",
    "the cloud refuses new machines": "refused",
    "machines boot but their runners never register": "unregistered",
    "failed runners fill the limit": "failed_fill",
    "the pool's limit is reached": "limit",
    "the autoscaler does not hear of the jobs": "too_few",
    "one source floods the pool": "surge",
    "jobs hang or run far longer than usual": "hung",
    "a surge of jobs": "surge",
    "something that many pools share": "together",
}
"""Cause's sentence in 0.2.0 → its id; 0.2.0 did not say whose API limit was exhausted."""


GAPS_0_2_0 = {
    "arrivals, starts and completions per minute": "rates",
    "busy, idle and offline": "runners",
    "comparison of the webhooks with GitHub": "webhooks",
}

DECISIONS_0_2_0 = {
    "Approved.": "approved",
    "Declined.": "declined",
    "Extended.": "extended",
    "It ends soon; see below.": "ends_soon",
    "It has run out.": "ran_out",
    "What came of it: see below.": "settled",
}
"""Last line of a decided reply → the decision's id."""
NEW_THREAD_0_2_0 = "The first message of this incident was deleted; this is its new thread."
BLOCKS_0_2_0 = {
    "Redis has lost records, and they are being healed": "records_lost",
    "actions are switched off (`actions.enabled = false` in tailback.toml)": "actions_off",
    "shadow mode is on (`actions.shadow = true` in tailback.toml)": "shadow_mode",
    "its scaler is not configured any more": "no_scaler",
}
"""Reason of a blocked return → its id."""
SILENCE_ENDS_0_2_0 = {
    "the queue has drained": "drained",
    "the incident is over": "incident_over",
    "the incident is over, and nobody measures the queue any more": "not_measured",
}
"""Reason of an early end of a silence → its id."""
BODIES_0_2_0: dict[str, tuple[str, dict[str, str]]] = {
    "scale_up": ("scale_up", {"target": "target", "from": "from_size"}),
    "hand_back": (
        "hand_back",
        {"share": "lease", "for": "asked_for", "why": "why", "target": "target", "result": "result", "last": "last"},
    ),
    "silence": ("silence", {"seconds": "seconds", "back_end": "alertmanager", "above": "above"}),
    "prolong": ("extend_silence", {"of": "made_by", "seconds": "seconds", "until": "ends_at"}),
    "unsilence": (
        "end_silence",
        {"silence": "silence", "back_end": "alertmanager", "act": "made_by", "for": "asked_for", "why": "why",
         "waiting": "waiting", "above": "above"},
    ),
    "diagnose": ("diagnose", {}),
}  # fmt: skip
"""Action → the kind of its body, and how its parameters are called now."""
TOO_MANY_0_2_0 = re.compile(r"([\d,]+) jobs wait, more than ([\d,]+)")
MOVED_0_2_0 = re.compile(r"left .* since Tailback had set ([\d,]+)\.")


REASONS_0_2_0 = {
    name: re.compile(form)
    for name, form in {
        "arrivals_unknown": "the rate of arrivals is unknown",
        "busy_unknown": "the number of busy runners is unknown",
        "calibrated": r"after (?P<scored>\d+) scored forecasts?",
        "few_samples": r"(?P<known>\d+) of the (?P<needed>\d+) measurements that it takes",
        "no_runners": "no runner is there to take a job, and none is booting",
        "not_assigned": r"(?P<idle>\d+) runners? idle beside the queue: jobs are not being assigned",
        "pace_unknown": "neither completions nor durations are known",
        "provider_down": "the CI provider assigns no jobs; nothing drains until it does",
        "queue_unknown": "the length of the queue is unknown",
        "rates": r"(?P<arrivals>[\d.]+) jobs arrive a minute, about (?P<finished>[\d.]+) are finished",
        "servable_unknown": "it is unknown which part of the queue can be served",
        "too_close": (r"arrivals and completions are too close to call; not before (?P<not_before_minutes>\d+) min"),
    }.items()
}
"""Id of a reason → its sentence in 0.2.0."""


def migrated(kind: str, document: Document) -> Document:
    """The document in today's format; `kind` as in `records.KINDS`."""
    if migrate := MIGRATIONS.get(kind):
        migrate(document)
    return document


def _reason(forecast: Document | None) -> None:
    if forecast is None or not isinstance(known := forecast.get("reason"), str):
        return
    if forecast["verdict"] == "cannot say":
        forecast["verdict"] = "unsaid"
    fits = ((name, form.fullmatch(known)) for name, form in REASONS_0_2_0.items())
    name, found = next(((name, found) for name, found in fits if found), ("", None))
    given = found.groupdict() if found else {}
    values = {key: int(value) if value.isdigit() else float(value) for key, value in given.items()}
    forecast["reason"] = {"id": name or "unknown", "values": values} if known else None


def _pool(pool: Document) -> None:
    _gaps(pool.get("samples", ()))
    for forecast in (pool.get("outlook"), *pool.get("forecasts", ())):
        _reason(forecast)
    _scores(pool)


def _scores(record: Document) -> None:
    for score in record.get("scores", ()):
        _reason(score["forecast"])


def _gaps(snapshots: Sequence[Document]) -> None:
    """`figure: why; remedy` became a value."""
    for snapshot in snapshots:
        gaps = [gap for gap in snapshot.get("missing", ()) if isinstance(gap, str)]
        if gaps:
            snapshot["missing"] = [_gap(gap) for gap in gaps]


def _gap(sentence: str) -> Document:
    figure, _, rest = sentence.partition(": ")
    why, _, remedy = rest.partition("; ")
    return {"figure": GAPS_0_2_0.get(figure, figure), "why": why, "remedy": remedy}


def _incident(incident: Document) -> None:
    """An incident was one flat record, and an entry had a sentence, which is unchanged except for a decision."""
    for course in incident.get("courses", {}).values():
        known = course.get("causes", {})
        course["causes"] = {CAUSES_0_2_0.get(cause, cause): looks for cause, looks in known.items()}
    for entry in incident.get("timeline", ()):
        _gaps(entry.get("figures", ()))
        if "text" in entry:
            text, lines = entry.pop("text"), list(entry.pop("lines", ()))
            entry["decisions"] = [DECISIONS_0_2_0[lines.pop()]] if lines and lines[-1] in DECISIONS_0_2_0 else []
            note = {"kind": "note", "note": "new_thread"}
            entry["details"] = note if text == NEW_THREAD_0_2_0 else {"kind": "text", "text": text, "lines": lines}
    _scores(incident)
    incident["why"] = incident.pop("trouble", None)
    for part, names in PARTS_0_2_0.items():
        incident[part] = {name: incident.pop(name) for name in names.split() if name in incident}


def _leases(pool: Document) -> None:
    pool["leases"] = pool.pop("shares", [])
    for lease in pool["leases"]:
        lease["stuck"] = BLOCKS_0_2_0.get(lease.get("stuck", ""))


def _request(request: Document) -> None:
    """A silence or a lease that was ending during the update."""
    params = request.get("params", {})
    reason = params.get("why", "")
    if found := TOO_MANY_0_2_0.fullmatch(reason):
        waiting, above = (number.replace(",", "") for number in found.groups())
        params |= {"why": "too_many_jobs", "waiting": waiting, "above": above}
    elif reason:
        params["why"] = SILENCE_ENDS_0_2_0.get(reason, reason)
    if request.get("name") == "hand_back" and request.get("before"):
        moved = MOVED_0_2_0.fullmatch(request.get("outcome", ""))
        result = "returned" if params.get("target") else "moved" if moved else "nothing_left"
        params |= {"result": result, "last": moved[1].replace(",", "") if moved else "0"}
    if "params" in request:
        request["body"] = _body(request.get("name", ""), request.pop("pool", None) or "", request.pop("params"))


def _body(name: str, pool: str, params: Document) -> Document:
    kind, renamed = BODIES_0_2_0.get(name, ("at_once", {}))
    values = {new: params[old] for old, new in renamed.items() if old in params}
    if kind == "silence":
        values["until_drained"] = "until" in params
    return {"kind": kind, **({"pool": pool} if kind in {"scale_up", "hand_back", "diagnose"} else {}), **values}


PARTS_0_2_0 = {
    "group": "key source receiver group_key title kind alerts truncated deliveries",
    "ownership": "owner acked_at owner_knows escalated_at muted",
    "pools": "candidates affected unknown_pools peaks streaks seen maxima courses reported scores",
    "log": "timeline entries outbox redraw charts",
    "trouble": "attempts retry_at why",
}
"""Part of an incident → the fields of the flat record that are in it now."""


LIKELY_0_2_0 = re.compile(r"Likely cause: (?P<cause>.+) \((?P<sure>high|medium|low) confidence\)\. (?P<seen>.+)\.")
CONFIDENCE_0_2_0 = {"high": HIGH, "medium": MEDIUM, "low": 0.0}


def _warning(warning: Document) -> None:
    """The sentence of a warning's cause became a finding; its evidence stays as it was written."""
    match = LIKELY_0_2_0.fullmatch(next(iter(warning.pop("why", ())), ""))
    rule = next((rule for rule in RULES if match and rule.cause == CAUSES_0_2_0.get(match["cause"])), None)
    if match and rule:
        seen = {"id": "as_written", "values": {"text": match["seen"]}}
        warning["finding"] = {
            "cause": rule.cause,
            "confidence": CONFIDENCE_0_2_0[match["sure"]],
            "evidence": [seen],
            "scaling": rule.scaling,
            "remedy": rule.remedy,
            "pool": warning["id"],
        }


MIGRATIONS: Mapping[str, Callable[[Document], None]] = {
    "inc": _incident,
    "pool": _pool,
    "lease": _leases,
    "act": _request,
    "early": _warning,
}
"""Kind of record → the conversion of older documents."""

"""Builds a sample from HUD's rows; figures that HUD does not show stay unknown, with the reason."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.adapters.metrics.rows import Row, link, longest, number, rows, text, whole
from bot.core.pool.pool import Counted, Gap, Job, Snapshot

MAIN = "pytorch/pytorch"
"""The only repository in HUD's lists of single jobs."""
LIVE_SECONDS = 86_400.0
"""GitHub cancels jobs queued for a day, so older rows are not live jobs (docs/design/diagnosis.md#definitions)."""
LATELY_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class HudFigures:
    """HUD's responses to one set of requests: rows, or why there are none."""

    jobs: Sequence[Row] | str
    """`queued_jobs`: jobs of pytorch/pytorch that have waited over 5 min."""
    labels: Sequence[Row] | str
    """`queued_jobs_by_label`: the same jobs by label; `avg_queue_s` is the longest wait, in spite of its name."""
    others: Sequence[Row] | str
    """`queued_jobs_aggregate`: jobs of all repositories of the organizations, counted by label and repository."""
    runners: Sequence[Row] | str
    """Groups of runners of the organizations."""

    def know(self, label: str) -> bool:
        known = (part for part in (self.jobs, self.labels) if not isinstance(part, str))
        seen = [text(row, "machine_type") for part in known for row in part]
        seen += [] if isinstance(self.others, str) else [text(row, "runner_label") for row in self.others]
        return label in seen or (not isinstance(self.runners, str) and bool(list(_carrying(self.runners, label))))


@dataclass(frozen=True, slots=True)
class HudQueue:
    """The live jobs of one label; `why` says why they cannot be counted, if so."""

    queued: int = 0
    oldest_wait_seconds: float = 0.0
    why: str = ""


def drawn(  # noqa: PLR0913, PLR0917 - a pool, the answers, and what is wrong with them
    pool: str, label: str, at: float, looks: HudFigures, unknown: str, remedy: str = ""
) -> Snapshot:
    """The pool's sample; `unknown` says why the label is unknown, else it is empty."""
    singles = isinstance(looks.jobs, str)
    mine = [] if isinstance(looks.jobs, str) else [row for row in looks.jobs if text(row, "machine_type") == label]
    live = [row for row in mine if (number(row, "queue_s") or 0.0) <= LIVE_SECONDS]
    queue = HudQueue(why=unknown) if unknown else _queue(live, len(mine), looks, label)
    busy, idle, offline, why = _runners(looks.runners, label)
    missing = [Gap("queued", queue.why, remedy)] if queue.why else []
    missing += [Gap(name, why) for name in ("busy", "idle", "offline") if why]
    missing += [Gap("waiting", looks.jobs)] if isinstance(looks.jobs, str) else []
    return Snapshot(
        pool,
        at,
        queued=None if queue.why else queue.queued,
        oldest_wait_seconds=queue.oldest_wait_seconds if queue.queued and not queue.why else None,
        busy=busy,
        idle=idle,
        offline=offline,
        ghosts=None if singles else len(mine) - len(live),
        arrivals_by_source=_sources(live),
        waiting=longest(_job(row) for row in live),
        missing=tuple(missing),
    )


def complete(body: Row) -> bool:
    groups = rows(body.get("groups"))
    return whole(body, "totalRunners") == sum(len(rows(group.get("runners"))) for group in groups)


def _queue(live: Sequence[Row], rows_of_label: int, looks: HudFigures, label: str) -> HudQueue:
    if isinstance(looks.others, str):
        return HudQueue(why=f"what other repositories queue is unknown: {looks.others}")
    if isinstance(looks.labels, str) and not rows_of_label:
        return HudQueue(why=f"how many jobs wait is unknown: {looks.labels}")
    labels = () if isinstance(looks.labels, str) else looks.labels
    counts = [(len(live), max((number(row, "queue_s") or 0.0 for row in live), default=0.0))]
    if not rows_of_label:
        counts = [(whole(row, "count") or 0, number(row, "avg_queue_s") or 0.0) for row in labels
                  if text(row, "machine_type") == label]  # fmt: skip
    if any(wait > LIVE_SECONDS for _, wait in counts):
        words = looks.jobs if isinstance(looks.jobs, str) else "HUD counts jobs that are older than a day"
        return HudQueue(why=f"{words}, and does not say which" if words is not looks.jobs else words)
    counts += [
        (whole(row, "num_queued_jobs") or 0, 60 * (number(row, "max_queue_time_minutes") or 0.0))
        for row in looks.others
        if text(row, "runner_label") == label and f"{text(row, 'org')}/{text(row, 'repo')}" != MAIN
    ]
    return HudQueue(sum(number for number, _ in counts), max((wait for number, wait in counts if number), default=0.0))


def _runners(found: Sequence[Row] | str, label: str) -> tuple[int | None, int | None, int | None, str]:
    """(busy, idle, offline, why they are unknown)."""
    if isinstance(found, str):
        return None, None, None, found
    carrying = list({text(row, "name"): row for row in _carrying(found, label)}.values())
    if not carrying:
        return None, None, None, "HUD lists no runner with this label, as for runners of other organizations"
    online = [row for row in carrying if text(row, "status") == "online"]
    busy = sum(row.get("busy") is True for row in online)
    return busy, len(online) - busy, len(carrying) - len(online), ""


def _carrying(groups: Iterable[Row], label: str) -> Iterable[Row]:
    """A label's runners; HUD joins the labels of a group by ` / ` and knows some groups by name only."""
    for group in groups:
        whole_group = label in text(group, "label").split(" / ")
        for runner in rows(group.get("runners")):
            if whole_group or any(text(one, "name") == label for one in rows(runner.get("labels"))):
                yield runner


def _sources(live: Iterable[Row]) -> tuple[Counted, ...]:
    """Jobs that arrived 5 to 15 min ago and still wait, by source; HUD does not list jobs that started sooner."""
    lately = (row for row in live if (number(row, "queue_s") or 0.0) <= LATELY_SECONDS)
    counts = Counter(source for row in lately if (source := text(row, "source_type")))
    return tuple(Counted(name, number) for name, number in counts.most_common())


def _job(row: Row) -> Job:
    return Job(text(row, "name") or "unnamed job", number(row, "queue_s") or 0.0, MAIN, link(row, "html_url"))


def no_such_label(label: str, known: Iterable[str]) -> str:
    """Why the label is unknown; suggests similar ones."""
    alike = sorted(name for name in known if name and (name in label or label in name))[:3]
    like = f" (alike are {', '.join(alike)})" if alike else ""
    return f'no job of the last 3 days asked for the label "{label}", correct known_as{like}'

"""`tailback export` and `tailback audit`: read the store and change nothing."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.config import seconds
from bot.core.audit_chain import broken_at
from bot.core.incident.closing import scored_later
from bot.core.incident.incident import Incident
from bot.core.pool.pool import Pool
from bot.core.record import AuditEntry, Stored
from bot.core.words import count, listed
from bot.ports import Refused, Store
from bot.views.export.export_json import as_json
from bot.views.export.markdown import markdown, sev
from handlers.logs import escaped

PERMALINK = re.compile(r"https://[\w.-]+/archives/(?P<channel>[A-Z0-9]+)/p(?P<whole>\d{10})(?P<part>\d{6})")
PAGE = 1000
PACIFIC = "America/Los_Angeles"

Row = tuple[str, AuditEntry, str]
"""(stream id, entry, hash)."""


async def exported(store: Store, named: str, form: str, now: float) -> str:
    """The incident as `markdown`, `json` or `sev`; `named` is its id or the link of its first message.

    `now` is epoch seconds. Raises Refused for an unknown incident.
    """
    incident = (await _incident(store, named)).value
    pools = await store.get_many(Pool, list(incident.pools.affected))
    incident = scored_later(incident, {name: held.value for name, held in pools.items()})
    if form == "json":
        return as_json(incident, now)
    if form == "sev":
        zone, name = _pacific()
        return sev(incident, now, zone, name)
    return markdown(incident, now)


async def _incident(store: Store, named: str) -> Stored[Incident]:
    link = PERMALINK.match(named)
    if link:
        thread = re.search(r"[?&]thread_ts=(\d+\.\d+)", named)
        ts = thread[1] if thread else f"{link['whole']}.{link['part']}"
        found = await store.find(f"thread:{link['channel']}:{ts}")
    else:
        found = named
    held = await store.get(Incident, found) if found else None
    if held is None:
        open_now = sorted(await store.members("open"))
        known = f"open now: {listed(open_now, 10)}" if open_now else "none is open now"
        raise Refused(
            f"There is no incident {named[:200]!r} ({known}); name its id, or the link of its first message in Slack. "
            "Incidents are kept for 30 days after their end."
        )
    return held


def _pacific() -> tuple[tzinfo, str]:
    """The zone of the `ci: sev` template; UTC, with a note, where no zone data is installed."""
    try:
        return ZoneInfo(PACIFIC), "Pacific"
    except (ZoneInfoNotFoundError, OSError):
        return UTC, "UTC, no Pacific time zone data is installed here"


@dataclass(frozen=True, slots=True)
class RecordQuery:
    """Selects entries of the trail."""

    since: float = 0.0
    """Epoch seconds."""
    who: str = ""

    def shows(self, entry: AuditEntry) -> bool:
        """Whether an entry is selected."""
        return entry.at >= self.since and self.who in {"", entry.who}


async def trail_of(store: Store) -> list[Row]:
    """The whole audit trail, oldest first."""
    rows: list[Row] = []
    after = "-"
    while page := await store.audit_trail(after, PAGE):
        rows += page
        after = page[-1][0]
    return rows


def verified(rows: Sequence[Row], head: str = "") -> str:
    """One line that confirms the chain. Raises Refused with the first entry that breaks it.

    `head` is the last written hash according to the store, read before `rows`; without it a truncated end is not
    noticed.
    """
    broken = broken_at(rows)
    if broken is None and head and head not in {row[2] for row in rows}:
        raise Refused(
            f"The end of the trail is missing: {count(len(rows), 'entry', 'entries')} are there and fit, but the one "
            f"that was written last, with the hash {head}, is not. Keep this Redis as it is, and compare with an "
            "earlier export."
        )
    if broken is None:
        if not rows:
            return "The audit trail is empty, so there is nothing to verify."
        return (
            f"The chain of {count(len(rows), 'entry', 'entries')} holds, from {_time(rows[0][1].at)} to "
            f"{_time(rows[-1][1].at)} UTC. Its last hash is {rows[-1][2]}: kept elsewhere, it also shows a cut end."
        )
    number, entry = next((n, row[1]) for n, row in enumerate(rows, 1) if row[0] == broken)
    raise Refused(
        f"The chain breaks at entry {number:,} of {len(rows):,} (id {broken}, {_time(entry.at)} UTC, "
        f"{escaped(entry.who) or 'nobody'}: {escaped(entry.what)}): it was changed after it was written, or one before "
        "it was changed, removed or added. Keep this Redis as it is, and compare with an earlier export."
    )


def table(rows: Iterable[Row], wanted: RecordQuery) -> str:
    """The entries for people, one line each; times in UTC."""
    shown = [_cells(entry) for _, entry, _ in rows if wanted.shows(entry)]
    if not shown:
        return "No entry of the audit trail fits."
    head = ("time (UTC)", "who", "what", "incident", "parameters", "before → after", "outcome")
    widths = [max(len(row[column]) for row in (head, *shown)) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (head, *shown)]
    return "\n".join(line.rstrip() for line in lines)


def json_lines(rows: Iterable[Row], wanted: RecordQuery) -> str:
    """One JSON object per entry, with its place in the chain."""
    shown = [{"id": stream_id, **asdict(entry), "at": _iso(entry.at), "hash": hashed}
             for stream_id, entry, hashed in rows if wanted.shows(entry)]  # fmt: skip
    return "\n".join(json.dumps(row) for row in shown)


def since(text: str, now: float) -> float:
    """Parse `--since` to epoch seconds: a duration before `now`, or a date or time (UTC by default).

    Raises Refused with a remedy.
    """
    try:
        return now - seconds(text)
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Refused(f'--since: {text!r} is no time; write for example 2h, "3d 12h", 2026-09-01 or '
                      "2026-09-01T18:00:00Z.") from None  # fmt: skip
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _cells(entry: AuditEntry) -> tuple[str, ...]:
    parameters = " ".join(f"{name}={value}" for name, value in sorted(entry.parameters.items()))
    change = f"{entry.before or '?'} → {entry.after or '?'}" if entry.before or entry.after else ""
    cells = (_time(entry.at), entry.who, entry.what, entry.incident, parameters, change, entry.outcome)
    return tuple(escaped(cell) for cell in cells)


def _time(at: float) -> str:
    moment = _moment(at)
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment else "unknown time"


def _iso(at: float) -> str | None:
    moment = _moment(at)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z") if moment else None


def _moment(at: float) -> datetime | None:
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=at) if at else None
    except (OverflowError, ValueError):
        return None

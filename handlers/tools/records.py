"""`tailback export` and `tailback audit`: read the store and change nothing."""

import json
import re
from collections.abc import AsyncIterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from math import inf

from bot.config import File
from bot.context.queries import names_of
from bot.core.audit_chain import AuditEntry, ChainCheck
from bot.core.durations import seconds
from bot.core.incident.closing import scored_later
from bot.core.incident.incident import Incident
from bot.core.pool.pool import Pool
from bot.core.record import Stored
from bot.core.reporting.issue import SEV, form_of
from bot.core.words import count, listed
from bot.ports import Chat, Refused, Store
from bot.reporting.follow_ups import follow_ups
from bot.views.export.export_json import as_json
from bot.views.export.markdown import issue_text, markdown
from bot.views.export.review import people_of
from handlers.logs import escaped

PERMALINK = re.compile(r"https://[\w.-]+/archives/(?P<channel>[A-Z0-9]+)/p(?P<whole>\d{10})(?P<part>\d{6})")
PAGE = 1000
NAME_SECONDS = 5.0
"""How long an export waits for the names of people: nobody holds a dialog open, and Slack may be slow."""
KEEP = "Keep this Redis as it is, and compare with the log, which has each entry with its hash."
HEAD = ("time (UTC)", "who", "what", "incident", "parameters", "before → after", "outcome")

Row = tuple[str, AuditEntry, str]
"""(stream id, entry, hash)."""


async def exported(  # noqa: PLR0913 - which incident, from where, and in what form
    store: Store, file: File, named: str, form: str, now: float, *, chat: Chat | None = None
) -> str:
    """The incident as `markdown`, `json` or `sev`; `named` is its id or the link of its first message.

    `now` is epoch seconds. With `chat` the texts for people have their names; JSON has their ids. Raises Refused for
    an unknown incident.
    """
    incident = (await _incident(store, named)).value
    pools = await store.get_many(Pool, list(incident.pools.affected))
    incident = scored_later(incident, {name: held.value for name, held in pools.items()})
    if form == "json":
        return as_json(incident, now)
    proposals = await follow_ups(store, file, incident, now)
    names = await names_of(chat, people_of(incident), NAME_SECONDS) if chat else {}
    if form == "sev":
        return issue_text(incident, now, form_of(SEV), proposals=proposals, names=names)
    return markdown(incident, now, proposals, names)


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
            f"There is no incident {named[:200]!r} ({known}); name its id, or the link to its first message in Slack. "
            "Incidents are kept for 30 days after their end."
        )
    return held


async def pages(store: Store, since: float = -inf, who: str = "") -> AsyncIterator[list[Row]]:
    """The audit trail page by page, oldest first: a long one does not fit into memory.

    With `since` (epoch seconds) and `who` the entries from then on and of that person.
    """
    after = "-"
    while page := await store.audit_trail(after, PAGE):
        yield [row for row in page if row[1].at >= since and who in {"", row[1].who}]
        after = page[-1][0]


async def verified(store: Store, known: str = "") -> str:
    """One line that confirms the chain. Raises Refused with the first entry that breaks it.

    `known` is a hash that was kept elsewhere: its entry must be there. The last written hash according to the store is
    read before the trail, so that a cut end is noticed and entries written meanwhile only extend it.
    """
    head = await store.audit_head()
    check, number, broken, first, last = ChainCheck(), 0, None, None, None
    async for page in pages(store):
        for row in page:
            number += 1
            first, last = first or row, row
            if not check.fits(row[1], row[2]) and broken is None:
                broken = (number, row)
    if broken is not None:
        raise Refused(_breaks(*broken, number))
    for hash_value, which in ((head, "the one that was written last"), (known, "the one that you know")):
        if hash_value not in check.known:
            raise Refused(
                f"An entry of the trail is missing: {count(number, 'entry', 'entries')} are there and fit, but "
                f"{which}, with the hash {escaped(hash_value)}, is not. {KEEP}"
            )
    if first is None or last is None:
        return "The audit trail is empty, so there is nothing to verify."
    return (
        f"The chain of {count(number, 'entry', 'entries')} holds, from {_time(first[1].at)} to "
        f"{_time(last[1].at)} UTC. {'It has the entry that you know. ' if known else ''}Its last hash is {last[2]}: "
        "keep it elsewhere, and check later with --verify --has HASH that nothing was cut off."
    )


def _breaks(number: int, row: Row, total: int) -> str:
    stream_id, entry, _ = row
    return (
        f"The chain breaks at entry {number:,} of {total:,} (id {stream_id}, {_time(entry.at)} UTC, "
        f"{escaped(entry.who) or 'nobody'}: {escaped(entry.what)}): it was changed after it was written, or one before "
        f"it was changed, removed or added. {KEEP}"
    )


async def table(store: Store, since: float = -inf, who: str = "") -> AsyncIterator[str]:
    """Entries of `pages` for people, one line each; times in UTC. Columns widen from page to page as they need to."""
    widths = [len(title) for title in HEAD]
    rows: list[tuple[str, ...]] = [HEAD]
    found = False
    async for page in pages(store, since, who):
        rows += [_cells(entry) for _, entry, _ in page]
        found = found or len(rows) > 1
        if found and rows:
            widths = [max(width, *(len(row[column]) for row in rows)) for column, width in enumerate(widths)]
            for row in rows:
                yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            rows = []
    if not found:
        yield "No entry of the audit trail matches."


async def json_lines(store: Store, since: float = -inf, who: str = "") -> AsyncIterator[str]:
    """One JSON object for each entry of `pages`, with its place in the chain."""
    async for page in pages(store, since, who):
        for stream_id, entry, hashed in page:
            moment = _moment(entry.at)
            at = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z") if moment else None
            yield json.dumps({"id": stream_id, **asdict(entry), "at": at, "hash": hashed})


def moment_of(text: str, now: float) -> float:
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
        raise Refused(f'--since: {text!r} is not a time; write for example 2h, "3d 12h", 2026-09-01 or '
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


def _moment(at: float) -> datetime | None:
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=at) if at else None
    except (OverflowError, ValueError):
        return None

"""The journal of a replay as JSON lines: judgements, warnings, messages and other events, in order of time."""

import json
from collections.abc import Iterator

from bot.core.pool.early_warning import warning_of
from bot.playground.replay.journal import Journal, JournalArrival, JournalForm, JournalJudgement, JournalMessage
from bot.playground.replay.summary import Json, Played, document


def json_lines(played: Played) -> Iterator[str]:
    """One JSON object each, with its `type`; the last one is the summary."""
    for line in played.journal.lines:
        for one in _lines(line, played.journal):
            yield json.dumps(one, ensure_ascii=False)
    yield json.dumps({"type": "summary", **document(played)}, ensure_ascii=False)


def _lines(line: JournalMessage | JournalArrival | JournalJudgement, journal: Journal) -> Iterator[Json]:
    if isinstance(line, JournalJudgement):
        yield dict(line.words)
    elif isinstance(line, JournalArrival):
        yield {"type": "arrival", "at": line.at, "what": line.what, "outcome": line.outcome}
    else:
        warned = warning_of(line.key) if line.form is JournalForm.POST else None
        if warned is not None:
            yield {"type": "warning", "at": line.at, "pool": warned[0]}
        yield {"type": "message", "at": line.at, "channel": line.channel, "thread": line.thread or None,
               "event": _event(line, journal), "text": line.text, "form": line.form.value, "ts": line.ts}  # fmt: skip


def _event(line: JournalMessage, journal: Journal) -> str:
    """The event that a message reports: the entry of a reply, `opened` for a first message, else its form."""
    incident, _, number = line.key.rpartition("/")
    if line.form is JournalForm.REPLY and incident in journal.incidents and number.isdecimal():
        entry = journal.incidents[incident].log.entry(int(number))
        return entry.event.value if entry else "reply"
    if line.form is JournalForm.POST:
        if warning_of(line.key):
            return "early_warning"
        return "opened" if line.key.partition(".")[0] in journal.incidents else "other"
    return line.form.value

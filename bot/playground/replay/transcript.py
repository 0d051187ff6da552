"""Formats a journal as plain text: events, threads, replies, and changes of first messages."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.core.words import count
from bot.playground.replay.journal import JournalArrival, JournalForm, JournalJudgement, JournalMessage

WIDTH = 110
REPEATED = "repeated"
"""A repeated webhook: counted, not shown."""
OUTCOMES = {
    "opened": "opened an incident",
    "joined": "joined its incident",
    "nothing_open": "resolved nothing that is open",
    "outdated": "arrived after its alert had resolved",
    "tested": "was a test, and opened nothing",
}
"""The outcome of a webhook in words."""
_MENTION = re.compile(r"<(?:@|#|!subteam\^)([A-Z0-9]+)(?:\|[^>]*)?>")
_DATE = re.compile(r"<!date\^[^>|]*\|([^>]*)>")
_LINK = re.compile(r"<(https?://[^>|]+)\|([^>]*)>")
_ADDRESS = re.compile(r"<(https?://[^>|]+)>")
_BOLD = re.compile(r"^\*([^*\n]+)\*")
_FIGURES = re.compile(r"(?:[0-9][0-9.,:]*(?: (?:s|min|h|d)\b)? ?)+|[▁▂▃▄▅▆▇█·]+")


def transcript(
    journal: Sequence[JournalMessage | JournalArrival | JournalJudgement], every_seconds: float
) -> Iterator[str]:
    """Line by line, without ends of line.

    A message in a channel is shown again when its words have changed, at most once in `every_seconds` unless something
    was said or done in between; and when it is edited for the last time. Else its figures alone had changed.
    """
    seen, lines = _Seen(), [one for one in journal if not isinstance(one, JournalJudgement)]
    last = {
        one.ts: place
        for place, one in enumerate(lines)
        if isinstance(one, JournalMessage) and one.form is JournalForm.EDIT
    }
    for place, one in enumerate(lines):
        if isinstance(one, JournalArrival):
            if one.outcome != REPEATED:
                yield from ("", f"{stamp(one.at)} · {one.what}: {OUTCOMES.get(one.outcome, plain(one.outcome))}")
                seen.news = True
        elif one.form is JournalForm.EDIT and not seen.shows(one, every_seconds, last=last[one.ts] == place):
            seen.edits[one.ts] = seen.edits.get(one.ts, 0) + 1
        elif one.form is not JournalForm.REWORDED:
            yield from ("", f"{stamp(one.at)} · {seen.where(one)}", *_indented(one))
            seen.took(one)


@dataclass(slots=True)
class _Seen:
    """The content the transcript has shown so far."""

    numbers: dict[str, int] = field(default_factory=dict)
    """Numbers of channel messages by `ts`."""
    shown: dict[str, tuple[float, str]] = field(default_factory=dict)
    """By `ts`: when it was last shown, and its words then."""
    edits: dict[str, int] = field(default_factory=dict)
    """By `ts`: edits since then."""
    news: bool = False
    """Whether anything happened since an edit was shown."""

    def shows(self, one: JournalMessage, every_seconds: float, *, last: bool) -> bool:
        """Whether an edit should be shown."""
        at, known = self.shown.get(one.ts, (0.0, ""))
        return last or (words(one.text) != known and (self.news or one.at - at >= every_seconds))

    def where(self, one: JournalMessage) -> str:
        """The place of a message."""
        if one.form is JournalForm.POST:
            self.numbers[one.ts] = len(self.numbers) + 1
        number = f"message {self.numbers.get(one.thread or one.ts, '?')}"
        if one.form is JournalForm.POST:
            return f"#{one.channel} · {number}"
        if one.form is JournalForm.EDIT:
            edits = self.edits.pop(one.ts, 0)
            return f"{number} now reads" + (f" (after {count(edits, 'edit')} not shown)" if edits else "")
        return f"reply to {number}" + (", also shown in the channel" if one.broadcast else "")

    def took(self, one: JournalMessage) -> None:
        """Record that it was shown."""
        if one.form in {JournalForm.POST, JournalForm.EDIT}:
            self.shown[one.ts] = (one.at, words(one.text))
        self.news = one.form is not JournalForm.EDIT


def _indented(one: JournalMessage) -> Iterator[str]:
    margin = "    " if one.form in {JournalForm.POST, JournalForm.EDIT} else "        "
    for part in plain(one.text).splitlines():
        yield from textwrap.wrap(part, WIDTH, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False,
                                 break_long_words=False) or [""]  # fmt: skip


def plain(text: str) -> str:
    """Slack's markup as plain text."""
    text = _LINK.sub(r"\2 (\1)", _DATE.sub(r"\1", _MENTION.sub(r"@\1", text)))
    text = _BOLD.sub(r"\1", _ADDRESS.sub(r"\1", text))
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def words(text: str) -> str:
    """The text without figures and bars, to see whether anything else changed."""
    return _FIGURES.sub("#", text)


def stamp(at: float) -> str:
    """`2026-03-02 10:05:07 UTC`."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC"

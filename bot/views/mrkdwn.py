"""Converts values to Slack's markup: anything that is not `Marked` is escaped at the last step."""

import re
import unicodedata
from datetime import UTC, datetime
from functools import lru_cache
from typing import LiteralString
from urllib.parse import quote, urlsplit

MOST_VALUE = 200
"""Characters of one value in a sentence, unless the caller sets another limit."""
MOST_URL = 1000
_FIRST_TIME, _LAST_TIME = 946_684_800.0, 4_102_444_800.0
"""2000-01-01 to 2100-01-01; anything outside is invalid (Alertmanager writes year 1 for "none")."""

_CONTROL = re.compile("[\u0000-\u0008\u000e-\u001f\u007f]")
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Zl", "Zp"})
"""Invisible Unicode categories, and those that change direction."""
_SELECTORS = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
"""Variation selectors, which change the look of the character before them at most."""
_FILLERS = frozenset(
    ["\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u2800", "\u3164", "\uffa0"]
    + [chr(code) for codes in _SELECTORS for code in codes]
)
"""Characters that show nothing, though by category they are letters, marks or symbols: Hangul fillers, the grapheme
joiner, Khmer vowels, the blank Braille cell, variation selectors. They hide a word, or make two names look alike."""
_FORMATTING = re.compile(r"[*_~](?:(?<![^\W_][*_~])|(?![^\W_]))")
"""`*`, `_` and `~` where Slack would begin or end a format; inside a word they mean nothing."""
_MARKUP = re.compile("[*_~&<>`]")
_LOOK_ALIKES = str.maketrans("*_~", "\u2217\u02cd\u223c")
_USER, _GROUP, _CHANNEL = (re.compile(rf"[{first}][A-Z0-9]{{1,20}}") for first in ("UW", "S", "CGD"))
_PLAIN_URL = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9.-]*(:[0-9]{1,5})?(/[A-Za-z0-9!#$%&'()*+,/:;=?@._~-]*)?")
"""Most addresses; they need no closer look."""
_DATE = re.compile(r"<!date\^[^|>]*\|([^>]*)>")
_MENTION = re.compile(r"<(?:@|!subteam\^)[A-Z0-9]+>")
_LINK = re.compile(r"<https?://[^|>]*\|([^>]*)>")
_BOLD = re.compile(r"\*([^*\n]+)\*")
_TAIL = re.compile(r"&[#a-zA-Z0-9]{0,6}$")


class Marked(str):
    """Safe Slack mrkdwn; only this module creates it."""

    __slots__ = ()


def say(template: LiteralString, **values: str | int) -> Marked:
    """A sentence: `template` is our markup, values that are not `Marked` are escaped and cut."""
    return Marked(template.format(**{name: escaped(value) for name, value in values.items()}))


def restored(text: str) -> Marked:
    """A text that our views made before, as it came back from a record or a message."""
    return Marked(text)


def joined(separator: LiteralString, *parts: Marked | None) -> Marked:
    return Marked(separator.join(part for part in parts if part))


def escaped(value: str | int, most: int = MOST_VALUE) -> Marked:
    """Untrusted text as mrkdwn: on one line, cut, and unable to ping, link or format (C5)."""
    if isinstance(value, Marked):
        return value
    text = clipped(clean(f"{value:,}" if isinstance(value, int) else value), most)
    if _MARKUP.search(text) is None:
        return Marked(text)
    text = _FORMATTING.sub(lambda found: found[0].translate(_LOOK_ALIKES), text)
    return Marked(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("`", "ˋ"))


def sentence(value: str, most: int) -> Marked:
    """One of our sentences: back-ticks stay, quoted values can neither ping nor link."""
    text = clipped(clean(value), most)
    return Marked(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def unformatted(value: str, most: int) -> str:
    """What a person typed, to be quoted in one of our sentences: it formats nothing there."""
    text = _FORMATTING.sub(lambda found: found[0].translate(_LOOK_ALIKES), clipped(clean(value), most))
    return text.replace("`", "ˋ")


def flat(value: str, most: int) -> str:
    """Untrusted text for a `plain_text` object.

    Angle brackets become look-alikes: whether clients unescape `plain_text` is not documented, and
    this reads right either way.
    """
    return clipped(clean(value), most).replace("<", "‹").replace(">", "›")


def code(lines: list[str]) -> Marked:
    """A monospaced block; each line is escaped, spaces are kept."""
    rows = [line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("`", "ˋ") for line in lines]
    return Marked("```\n" + "\n".join(rows) + "\n```")


def clean(value: str) -> str:
    """One line without control characters, direction overrides and broken surrogates."""
    return _cleaned_short(value) if len(value) <= MOST_VALUE else _cleaned(value)


def _cleaned(value: str) -> str:
    whole = value[:20_000]
    if whole.isprintable() and (whole.isascii() or _FILLERS.isdisjoint(whole)):
        return " ".join(whole.split())
    whole = whole.encode("utf-8", "replace").decode("utf-8")
    if hidden := [ord(one) for one in set(whole) if not (one.isascii() or one.isspace() or _visible(one))]:
        whole = whole.translate(dict.fromkeys(hidden))
    return " ".join(_CONTROL.sub("", whole).split())


_cleaned_short = lru_cache(256)(_cleaned)
"""A message shows its title and names several times, and each one our own labels."""


def _visible(one: str) -> bool:
    return unicodedata.category(one) not in _INVISIBLE and one not in _FILLERS


def clipped(text: str, most: int) -> str:
    """At most `most` characters; the cut is shown."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def shortened(text: str, most: int) -> str:
    """At most `most` characters without the middle, because names differ at both ends."""
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def mention(who: str) -> Marked:
    """A mention of a person or user group by Slack id; otherwise plain text."""
    if _USER.fullmatch(who):
        return Marked(f"<@{who}>")
    return Marked(f"<!subteam^{who}>") if _GROUP.fullmatch(who) else escaped(who, 80)


def channel(where: str) -> Marked:
    """A channel link by Slack id; otherwise plain text."""
    return Marked(f"<#{where}>") if _CHANNEL.fullmatch(where) else escaped(where, 80)


def link(url: str, label: str) -> Marked:
    """A link if the address is valid http or https, else only its label."""
    words = escaped(label, 80)
    address = safe_url(url)
    if not address or not words:
        return words
    return Marked(f"<{address.replace('&', '&amp;')}|{words.replace('|', '¦')}>")


@lru_cache(128)
def safe_url(url: str) -> str:
    """The address with link-ending characters encoded; empty for others than http and https.

    An address with a user name is dropped, because it displays another host.
    """
    if len(url) > MOST_URL:
        return ""
    return url if _PLAIN_URL.fullmatch(url) else _checked_url(url)


def _checked_url(url: str) -> str:
    if clean(url) != url:
        return ""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        return ""
    return quote(url, safe="!#$%&'()*+,/:;=?@[]~") if usable else ""


def date(at: float) -> Marked:
    """A time in the reader's zone, with UTC as fallback."""
    known = _FIRST_TIME <= at <= _LAST_TIME
    return Marked(f"<!date^{int(at)}^{{date_short_pretty}} {{time}}|{utc(at)}>" if known else utc(at))


def time(at: float) -> Marked:
    """The same without the day, for what ends within hours."""
    return Marked(f"<!date^{int(at)}^{{time}}|{utc(at)[11:]}>")


def undated(text: Marked) -> Marked:
    """The text with its times in UTC, for a notification, which may not show them otherwise."""
    return Marked(_DATE.sub(r"\1", text))


def unmarked(text: Marked) -> str:
    """The text as its reader sees it, with times in UTC, for an export."""
    return undated(text).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def outside(text: Marked) -> str:
    """The text for people who are not in Slack: no ids, no formats, no addresses behind words."""
    named = _MENTION.sub("somebody in Slack", _LINK.sub(r"\1", undated(text)))
    return unmarked(Marked(_BOLD.sub(r"\1", named)))


def utc(at: float) -> str:
    """`2025-12-01 02:23 UTC`."""
    if not _FIRST_TIME <= at <= _LAST_TIME:
        return "unknown time"
    return f"{datetime.fromtimestamp(at, UTC).isoformat(' ', 'minutes')[:16]} UTC"


def cut(text: Marked, most: int) -> Marked:
    """At most `most` characters, never ending inside a link, an entity or an open code block."""
    if len(text) <= most:
        return text
    head = str(text[: most - 6])
    line = head.rfind("\n")
    if line > len(head) // 2:
        head = head[:line]
    if head.rfind("<") > head.rfind(">"):
        head = head[: head.rfind("<")]
    head = _TAIL.sub("", head)
    return Marked(f"{head.rstrip()}\n…\n```" if head.count("```") % 2 else f"{head.rstrip()} …")

"""Sets up logging: one line per event, control characters escaped, secrets removed."""

import contextlib
import json
import logging
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import Any, TextIO, cast

import structlog

from bot.config import Settings

HIDDEN = "[hidden]"
SHORTEST_SECRET = 8
"""Shorter values are not searched for, because they would match ordinary words."""
SECRET_NAME = re.compile(r"token|secret|password|passwd|authorization|cookie|credential|private_?key|api_?key", re.I)
QUIET = (
    *("slack_bolt", "slack_sdk", "httpx", "httpcore", "aiohttp", "uvicorn", "apscheduler", "asyncio", "redis"),
    *("boto3", "botocore", "urllib3"),
)
"""Libraries whose messages below WARNING contain requests and addresses, which never belong in a log (C13).

See docs/design/measurements.md#bolt-request-checks. At DEBUG botocore logs every signed header, including session
tokens.
"""

_SHAPES = re.compile(
    r"xox[a-z](?:\.xox[a-z])?-[\w-]{8,}|xapp-[\w-]{8,}"  # Slack
    r"|gh[pousr]_[\w.-]{20,}|github_pat_\w{20,}"  # GitHub
    r"|gl(?:sa|c)_\w{16,}"  # Grafana
    r"|gl[a-z]{2,6}-[\w.-]{16,}|bkua_\w{20,}"  # GitLab, Buildkite
    r"|A[KS]IA[0-9A-Z]{16}"  # AWS
    r"|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"  # a signed token of JSON: service accounts, GitHub Apps
    r"|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?"
    r"|(?<=hooks\.slack\.com/services/)[\w/]+"
    r"|(?i:(?<=bearer )|(?<=basic ))[\w.+/=~-]{8,}"
    r"|(?<=://)[^/\s@]*:[^/\s@]+(?=@)"  # user:password of an address
)
_NAMED = re.compile(r'_env":"([^"]+)"')
"""The variables that tailback.toml names as secrets, in its JSON: values of keys that end in `_env`."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")

REMIND_SECONDS = 300.0
"""How long a line that repeats is left out."""
MOST_KNOWN = 1000
"""Different lines that are remembered."""

Event = MutableMapping[str, Any]  # structlog's own event dictionary: any value that somebody logs


class LogStream:
    """Writes log lines; one that cannot be written is lost, because no work may fail for its log.

    The disk of the log can be full, and whoever reads it through a pipe can have ended.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.flush()


def set_up(level: str, form: str, stream: TextIO, secrets: Iterable[str] = ()) -> None:
    """Send every log line of this process to `stream`.

    `form` is `json`, `console`, or empty: console on a terminal, else JSON. `secrets` are values to remove; common
    shapes of tokens are removed as well. Lines of the standard library's loggers have the same format.
    """
    console = form == "console" or (not form and stream.isatty())
    least = logging.getLevelNamesMapping()[level]
    repeats = Repeats(REMIND_SECONDS if least > logging.DEBUG else 0.0)
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        repeats.processed,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        Redaction(secrets),
    ]
    plain = structlog.dev.ConsoleRenderer(colors=stream.isatty(), exception_formatter=structlog.dev.plain_traceback)
    json_lines = structlog.processors.JSONRenderer(serializer=_json)
    last: list[structlog.typing.Processor] = [_tame, plain] if console else [json_lines]
    lines = cast("TextIO", LogStream(stream))
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(least),
        logger_factory=structlog.WriteLoggerFactory(lines),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(lines)
    handler.addFilter(_worth_it)
    handler.addFilter(repeats.heard)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[_name, *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    logging.basicConfig(handlers=[handler], level=least, force=True)


def secrets_of(settings: Settings) -> tuple[str, ...]:
    """The values of secret environment variables; both halves of a rotation separately."""
    env, of_file = settings.env, set(_NAMED.findall(settings.file.model_dump_json()))
    named = [value for name, value in settings.variables.items() if SECRET_NAME.search(name) or name in of_file]
    senders = (token for token, _ in (*settings.sender_tokens, *settings.api_tokens))
    return (*named, *(value.strip() for value in named), *env.webhook_tokens, *senders, *env.github_secrets)


class Repeats:
    """Leaves out what a retry logs again within `pause` seconds; the next line says how many were left out.

    Such are lines with `repeats=True`, and warnings of libraries. With `repeats="why"` those of one reason are alike,
    whatever pool they are about; so it is with any other fact. What a person or a sender causes is always logged.
    """

    def __init__(self, pause: float = REMIND_SECONDS, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._pause, self._monotonic = pause, monotonic
        self._known: dict[str, tuple[float, int]] = {}
        """By event: when it was logged, and how often it was left out since."""

    def processed(self, _logger: object, _method: str, event: Event) -> Event:
        """The event; raises DropEvent for one to leave out."""
        if not (alike := event.pop("repeats", False)):
            return event
        facts = event if alike is True else {name: event[name] for name in ("event", alike)}
        raised = sys.exc_info()[1] if event.get("exc_info") else None
        times = self._seen(repr((sorted((name, str(value)) for name, value in facts.items()), raised)))
        if times is None:
            raise structlog.DropEvent
        return {**event, "left_out": times} if times else event

    def heard(self, record: logging.LogRecord) -> bool:
        """Whether a line of a library is written."""
        if record.levelno < logging.WARNING:
            return True
        times = self._seen(f"{record.name} {record.getMessage()}")
        if times:
            record.msg, record.args = f"{record.getMessage()} ({times:,} left out before)", ()
        return times is not None

    def _seen(self, event: str) -> int | None:
        """How often the event was left out before this one; None if this one is left out."""
        now = self._monotonic()
        since, times = self._known.get(event, (now, 0))
        if event in self._known and now - since < self._pause:
            self._known[event] = (since, times + 1)
            return None
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[event] = (now, 0)
        return times


class Redaction:
    """A processor that removes secrets from all text, in case one is logged by mistake (C12)."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = sorted({value for value in secrets if len(value) >= SHORTEST_SECRET}, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, known))) if known else None

    def __call__(self, _logger: object, _method: str, event: Event) -> Event:
        return {name: self._field(name, value) for name, value in event.items()}

    def _field(self, name: str, value: object) -> object:
        if name.startswith("_"):
            return value  # structlog's own, gone before anything is written
        if isinstance(value, str) and value and SECRET_NAME.search(name):
            return HIDDEN
        return self._cleaned(value)

    def _cleaned(self, value: object) -> object:
        match value:
            case str():
                shown = self._known.sub(HIDDEN, value) if self._known else value
                return _SHAPES.sub(HIDDEN, shown)
            case Mapping():
                return {str(name): self._field(f"{name}", item) for name, item in value.items()}
            case list() | tuple() | set() | frozenset():
                return [self._cleaned(item) for item in value]
            case bool() | int() | float() | None:
                return value
        return self._cleaned(repr(value))


def escaped(text: str) -> str:
    """The text with control, direction and line characters escaped, so that nobody can forge a log line."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text)


def _json(event: Event, **_: object) -> str:
    """JSON with time, level and event first; ASCII only, so that control characters are escaped."""
    first = {name: event[name] for name in ("timestamp", "level", "event") if name in event}
    return json.dumps({**first, **event}, default=repr)


def _tame(_logger: object, _method: str, event: Event) -> Event:
    """Escape all text; traceback lines are indented so that none looks like an event."""
    trace = event.pop("exception", None)
    plain = (bool, int, float, type(None))
    tamed = {
        name: value if isinstance(value, plain) else escaped(value if isinstance(value, str) else repr(value))
        for name, value in event.items()
    }
    if trace:
        tamed["exception"] = "\n".join(f"    {escaped(line)}" for line in str(trace).split("\n"))
    return tamed


def _name(_logger: object, _method: str, event: Event) -> Event:
    """Name the library that logged the line.

    A failed connection is one line; its traceback, some 6 kB per attempt, is logged at DEBUG only.
    """
    if isinstance(record := event.get("_record"), logging.LogRecord):
        event["library"] = record.name
        failed = record.exc_info[1] if record.exc_info else None
        if isinstance(failed, OSError) and not logging.getLogger().isEnabledFor(logging.DEBUG):
            event.pop("exc_info", None)
    return event


def _worth_it(record: logging.LogRecord) -> bool:
    if record.name.startswith("slack_bolt") and "will be ignored" in str(record.msg):
        return False  # Bolt warns at every start that we set the token ourselves
    return record.levelno >= logging.WARNING or record.name.split(".", 1)[0] not in QUIET

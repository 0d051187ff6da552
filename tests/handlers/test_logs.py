"""The log: one line per event, nothing forged, no secret, libraries included, no library's chatter."""

import io
import json
import logging
from collections.abc import Iterator
from errno import ENOSPC

import pytest
import structlog
from pydantic import SecretStr

from bot.config import Environment, File, OutsideTable, Settings
from bot.settings import SenderTable
from handlers.logs import Repeats, secrets_of, set_up

HOSTILE = 'a\nFORGED {"event": "x"}\r\x1b[31mred\x7f\x9b\u202egnp.exe\u2028end'


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Gives the process its logging back."""
    root, level = list(logging.root.handlers), logging.root.level
    yield
    structlog.reset_defaults()
    logging.root.handlers[:] = root
    logging.root.setLevel(level)


def set_to(form: str, level: str = "INFO", secrets: tuple[str, ...] = ()) -> io.StringIO:
    """The stream that the log goes to."""
    stream = io.StringIO()
    set_up(level, form, stream, secrets)
    return stream


@pytest.mark.parametrize(
    "problem", [OSError(ENOSPC, "No space left on device"), BrokenPipeError(), ValueError("closed")]
)
def test_no_work_fails_for_its_log(problem: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log's disk is full, or whoever read its pipe has ended. It goes on when there is space again."""
    stream = set_to("json")

    def fails(*_: object) -> int:
        raise problem

    for name in ("write", "flush"):
        with monkeypatch.context() as full:
            full.setattr(stream, name, fails)
            structlog.get_logger().info("alert")
            logging.getLogger("library").error("lost")
    stream.truncate(0)
    structlog.get_logger().info("again")
    assert '"again"' in stream.getvalue()


def test_a_hostile_text_stays_on_its_one_line() -> None:
    """SE-5: line ends, escapes and direction marks are written as escapes, and can be read back."""
    stream = set_to("json")
    structlog.get_logger().info("alert", title=HOSTILE, labels={"a": [HOSTILE]})
    (line,) = stream.getvalue().splitlines()
    assert line.isascii()
    assert line.isprintable()
    entry = json.loads(line)
    assert list(entry)[:3] == ["timestamp", "level", "event"]
    assert (entry["event"], entry["level"], entry["title"]) == ("alert", "info", HOSTILE)
    assert entry["timestamp"].endswith("Z")
    stream = set_to("console")  # a terminal obeys escapes, so none reaches it
    structlog.get_logger().info(HOSTILE, title=HOSTILE, labels=[HOSTILE])
    (line,) = stream.getvalue().splitlines()
    assert line.isprintable(), line


@pytest.mark.parametrize("form", ["json", "console"])
def test_secrets_are_taken_out_wherever_they_stand(form: str) -> None:
    """C12: known values, well-known shapes, fields with a telling name, nested, and inside an exception's text."""
    secret = "known-secret-value"
    shapes = [
        "xoxb-123-abcdefghijk",
        "xapp-1-A0-123-abcdefghijk",
        "ghp_abcdefghijklmnopqrst1234",
        "glsa_abcdefghijklmnopqrst",
        "AKIAIOSFODNN7EXAMPLE",
    ]
    stream = set_to(form, secrets=(secret, "short"))
    log = structlog.get_logger()
    log.info(
        f"text {secret}",
        nested={"deep": [secret, *shapes]},
        url="redis://bob:hunter2hunter2@redis:6379/0",
        header="Authorization: Bearer abcdefgh12345678",
        slack_token="anything",
        kept="a short word",
    )
    log.error("raised", exc_info=ValueError(f"refused {secret}"))
    output = stream.getvalue()
    for gone in (secret, *shapes, "hunter2hunter2", "abcdefgh12345678", "anything"):
        assert gone not in output, gone
    assert "a short word" in output
    assert "redis:6379/0" in output
    assert "ValueError" in output


def test_a_traceback_on_the_console_cannot_pass_for_events() -> None:
    """The lines of a traceback are indented and escaped."""
    stream = set_to("console")
    structlog.get_logger().error("raised", exc_info=ValueError("x\n2026-01-01 [info] forged"))
    first, *rest = stream.getvalue().splitlines()
    assert "raised" in first
    assert rest
    assert all(line.startswith("    ") or not line for line in rest)


def test_libraries_speak_through_the_same_log() -> None:
    """A library's warning is JSON too, with its name; its chatter, bodies included, is dropped at every level."""
    stream = set_to("json", level="DEBUG")
    logging.getLogger("slack_bolt.AsyncApp").info("Invalid request signature detected (body: %s)", "secret body")
    logging.getLogger("httpx").info("HTTP Request: GET http://x/?token=1")
    logging.getLogger("uvicorn.error").warning("cannot %s", "bind")
    logging.getLogger("somebody").debug("hello\nworld")
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [(line["library"], line["level"], line["event"]) for line in lines] == [
        ("uvicorn.error", "warning", "cannot bind"),
        ("somebody", "debug", "hello\nworld"),
    ]


@pytest.mark.parametrize(("level", "problem", "traced"), [
    ("INFO", ConnectionRefusedError("no"), False),
    ("DEBUG", ConnectionRefusedError("no"), True),
    ("INFO", KeyError("ours"), True),
])  # fmt: skip
def test_a_connection_that_a_library_cannot_make_is_one_line(level: str, problem: Exception, traced: bool) -> None:
    """Socket Mode tries every few seconds: the reason stands in the line; what is a fault keeps its traceback."""
    stream = set_to("json", level=level)
    try:
        raise problem
    except (OSError, KeyError):
        logging.getLogger("slack_bolt.AsyncApp").exception("Failed to connect (error: no); Retrying...")
    (line,) = stream.getvalue().splitlines()
    assert ("exception" in json.loads(line)) is traced
    assert json.loads(line)["event"] == "Failed to connect (error: no); Retrying..."


def test_the_level_is_kept() -> None:
    """What is below LOG_LEVEL is not written, by us or by a library. LOG_FORMAT unset: console is for who watches."""
    stream = set_to("", level="WARNING")
    structlog.get_logger().info("no")
    logging.getLogger("somebody").info("no")
    structlog.get_logger().warning("yes")
    assert [json.loads(line)["event"] for line in stream.getvalue().splitlines()] == ["yes"]


def test_the_secrets_of_an_installation_are_known_by_name_and_by_configuration() -> None:
    """Variables that sound like secrets, those that tailback.toml names, and each half of a rotation."""
    variables = {
        "SLACK_BOT_TOKEN": "xoxb-1",
        "TAILBACK_WEBHOOK_TOKEN": "old-token-value,new-token-value",
        "PAGER": "https://pager.example/abc",
        "PROD": "prod-old,prod-new",
        "HOME": "/home/somebody",
    }
    env = Environment(tailback_webhook_token=SecretStr(variables["TAILBACK_WEBHOOK_TOKEN"]))
    sender = SenderTable(name="prod", token_env="PROD")
    file = File(outside_slack=OutsideTable(url_env="PAGER"), sender=[sender])
    found = secrets_of(Settings(env, file, variables))
    rotated = {"old-token-value", "new-token-value", "prod-old", "prod-new"}
    assert {"xoxb-1", *rotated, "https://pager.example/abc"} <= set(found)
    assert "/home/somebody" not in found


def test_what_a_retry_logs_again_is_left_out_for_five_minutes() -> None:
    """Ours and a library's alike. Another fact makes another line, and what a person causes is never left out."""
    now = [0.0]
    library = logging.LogRecord("slack_bolt", logging.ERROR, "", 1, "lost", (), None)
    repeats = Repeats(monotonic=lambda: now[0])

    def kept(**facts: object) -> bool:
        try:
            return bool(repeats.processed(None, "warning", {"event": "not reached", **facts}))
        except structlog.DropEvent:
            return False

    assert [kept(system="a", repeats=True), kept(system="b", repeats=True), kept(), kept()] == [True] * 4
    assert [kept(system="a", repeats=True), kept(system="a", repeats=True), repeats.heard(library)] == [
        False,
        False,
        True,
    ]
    assert not repeats.heard(library)
    assert [kept(pool=pool, why=why, repeats="why") for pool, why in ("a1", "b1", "b2", "a1")] == [
        True,
        False,
        True,
        False,
    ]
    now[0] = 300.0
    again = repeats.processed(None, "warning", {"event": "not reached", "system": "a", "repeats": True})
    assert again == {"event": "not reached", "system": "a", "left_out": 2}
    assert repeats.heard(library)
    assert library.getMessage() == "lost (1 left out before)"


@pytest.mark.parametrize(("level", "lines"), [("INFO", 2), ("DEBUG", 4)])
def test_at_debug_every_retry_is_logged(level: str, lines: int) -> None:
    stream = set_to("json", level)
    for _ in range(2):
        structlog.get_logger().warning("not reached", system="a", repeats=True)
        logging.getLogger("slack_bolt").error("lost")
    assert len(stream.getvalue().splitlines()) == lines
    assert "repeats" not in stream.getvalue()

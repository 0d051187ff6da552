"""The command line: one function for each command; what fails says in one line what is wrong and what to do."""

import asyncio
import os
import sys
from collections.abc import Coroutine, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Never, TypeVar

import structlog
import typer
import uvloop

from bot.config import ConfigError, Settings, load
from bot.playground.fleet.scenarios import DEFAULT, DEFAULT_SEED, DEMO_SPEED
from bot.ports import Refused, Unreachable
from bot.sources.table import SOURCES
from handlers import check as doctor
from handlers import demo as playground
from handlers import findings, logs, replay, send
from handlers.manifest import printed
from handlers.records import Row, Wanted, exported, json_lines, since, table, trail_of, verified
from handlers.run import run as served
from handlers.wiring import now, variables
from handlers.wiring_tools import EmbeddedRedisError, instruments, records

T = TypeVar("T")

app = typer.Typer(
    name="tailback",
    help="One alert, one Slack thread, true until the queue has drained.\n\nStart with: tailback demo",
    epilog="Settings come from the environment (.env.example) and from tailback.toml.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


class Form(StrEnum):
    """What `export` writes."""

    MARKDOWN = "markdown"
    JSON = "json"


@app.command()
def demo(
    scenario: Annotated[str, typer.Option(metavar="NAME", help="The story to play; see --list.")] = DEFAULT,
    listed: Annotated[bool, typer.Option("--list", help="Show the stories, and stop.")] = False,
    seed: Annotated[int, typer.Option(help="The same seed plays the same story.")] = DEFAULT_SEED,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 takes any free one.")] = 8080,
    speed: Annotated[float, typer.Option(min=1, help="Simulated seconds in one real second.")] = DEMO_SPEED,
) -> None:
    """Try it: no token, no Slack, no Redis.

    Runs the product itself against a local workspace, with a page to click on, and a simulated fleet.

    \b
    Example: tailback demo --scenario surge
    """
    if listed:
        typer.echo(playground.listing())
        return
    _quiet()
    _waited(playground.run_demo(scenario, seed=seed, port=port, speed=speed))


@app.command()
def run() -> None:
    """Run web and worker in one process.

    With its own Redis in TAILBACK_DATA, unless REDIS_URL is set.

    \b
    Example: TAILBACK_CONFIG=./tailback.toml tailback run
    """
    _serve(web=True, worker=True)


@app.command()
def web() -> None:
    """Run a web process of a larger installation.

    Any number of them share REDIS_URL with any number of workers.

    \b
    Example: HOST=0.0.0.0 PORT=8080 REDIS_URL=redis://redis:6379/0 tailback web
    """
    _serve(web=True, worker=False)


@app.command()
def worker() -> None:
    """Run a worker of a larger installation.

    Any number of them share REDIS_URL with any number of web processes.

    \b
    Example: REDIS_URL=redis://redis:6379/0 tailback worker
    """
    _serve(web=False, worker=True)


@app.command()
def check(
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON: ok, and findings with their remedies.")] = False,
) -> None:
    """Look at every part, and say what to do.

    Configuration, tokens and scopes, channels, Redis, clock and every back end: one line for each finding with its
    remedy. Nothing is posted or changed. Exits with 0, or with 1 when there is a problem.

    \b
    Example: tailback check --json
    """
    _quiet()
    try:
        settings = load()
    except ConfigError as error:
        found = doctor.unusable(error.problems)
    else:
        found = _waited(_examined(settings))
    typer.echo(findings.for_machines(found) if as_json else findings.for_people(found))
    if findings.failed(found):
        raise typer.Exit(1)


@app.command()
def manifest(
    socket: Annotated[bool, typer.Option("--socket", help="For Socket Mode: Slack needs no way to this host.")] = False,
    url: Annotated[str, typer.Option(metavar="https://…", help="For HTTP: the public address of `tailback web`.")] = "",
) -> None:
    """Print the Slack app manifest.

    Paste it at api.slack.com/apps under Create New App, From a manifest.

    \b
    Example: tailback manifest --url https://tailback.example.com
    """
    if socket == bool(url):
        raise Refused("Say how Slack reaches Tailback: --socket (no public address needed), or --url https://….")
    try:
        typer.echo(printed(url or None))
    except ValueError as error:
        raise Refused(f"--url: {error}.") from None


@app.command("send")
def send_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A JSON payload, as its sender posts it.")],
    url: Annotated[str, typer.Option(help="The instance; else the one that HOST and PORT name.")] = "",
    to: Annotated[str, typer.Option(metavar="SOURCE", help=f"{' or '.join(SOURCES)}; else seen by its fields.")] = "",
) -> None:
    """Post an alert payload to a running instance.

    With the credentials of this environment, to try an installation.

    \b
    Example: tailback send alert.json --url http://127.0.0.1:8080
    """
    _quiet()
    body = send.read(file)
    if to and to not in SOURCES:
        raise Refused(f"--to: there is no source {to!r}; known: {', '.join(SOURCES)}.")
    kind = to or send.kind_of(body, SOURCES)
    typer.echo(send.send(send.parcel(load().env, url, kind, body, now())))


@app.command()
def export(
    incident: Annotated[str, typer.Argument(metavar="INCIDENT", help="Its id, or the link of its message in Slack.")],
    form: Annotated[Form, typer.Option("--format", help="What to write.")] = Form.MARKDOWN,
    sev: Annotated[bool, typer.Option("--sev", help="Markdown with the headings of a `ci: sev` issue.")] = False,
) -> None:
    """Write an incident's timeline.

    \b
    Example: tailback export https://acme.slack.com/archives/C0CIONCALL/p1764555780000100 --sev
    """
    if sev and form is Form.JSON:
        raise Refused("--sev is Markdown; leave out --format json.")
    _quiet()
    typer.echo(_waited(_exported(load(), incident, "sev" if sev else form)))


@app.command()
def audit(
    verify: Annotated[
        bool, typer.Option("--verify", help="Check the hash chain; exits with 1 when it breaks.")
    ] = False,
    after: Annotated[str, typer.Option("--since", metavar="TIME", help="2h, 3d, 2026-09-01, ….")] = "",
    who: Annotated[str, typer.Option(metavar="USER", help="Only what this Slack user id did.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object a line.")] = False,
) -> None:
    """Show or verify who asked for what.

    The audit trail with what came of each request; --verify checks that nobody changed it afterwards.

    \b
    Example: tailback audit --since 24h --who U0ALEX
    """
    _quiet()
    rows = _waited(_trail(load()))
    if verify:
        typer.echo(verified(rows))
        return
    wanted = Wanted(since(after, now()) if after else 0.0, who)
    typer.echo(json_lines(rows, wanted) if as_json else table(rows, wanted))


@app.command("replay")
def replay_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Holds webhooks.jsonl and metrics.jsonl.")],
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Else tailback.toml in DIR.")] = None,
    until: Annotated[str, typer.Option(metavar="TIME", help="Stop there, for example 2026-03-02T12:00:00Z.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON: the summary and everything said.")] = False,
) -> None:
    """Play recorded webhooks and figures through a configuration.

    Prints threads, proposals and how good the forecasts were. Nothing is asked of any system outside.

    \b
    Example: tailback replay docs/examples/replay
    """
    _quiet()
    typer.echo(replay.replayed(replay.Wanted(folder, config, until, as_json)))


def main(arguments: Sequence[str] | None = None) -> Never:
    """Run one command and exit: 0 done, 1 failed, 2 wrong options, 130 interrupted; never a traceback."""
    try:
        code = app(args=arguments, prog_name="tailback", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        _fail(f"{_sentence(error.format_message())} See `tailback --help`.", code=2)
    except ConfigError as error:
        _fail(*error.problems)
    except (Refused, Unreachable, EmbeddedRedisError) as error:
        _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        _fail("stopped.", code=130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:  # noqa: BLE001 (the outermost door: a person gets one line, never a traceback)
        structlog.get_logger().debug("command failed", exc_info=True)
        _fail(f"{type(error).__name__}: {error}; this is a bug of Tailback: please report it, with LOG_LEVEL=DEBUG.")
    sys.exit(code if isinstance(code, int) else 0)


def _serve(*, web: bool, worker: bool) -> None:
    settings = load()
    env = settings.env
    logs.set_up(env.log_level, env.log_format, sys.stdout, logs.secrets_of(settings))
    try:
        _waited(served(settings, web=web, worker=worker))
    except SystemExit:  # uvicorn's way to say that it cannot listen; its own line is in the log
        raise Refused(
            f"PORT: cannot listen on {env.host}:{env.port}; another program may be using it, so set PORT."
        ) from None


def _quiet() -> None:
    """A command's answer belongs to standard output; its log goes to standard error, and only if it is asked for."""
    level = variables().get("LOG_LEVEL", "")
    logs.set_up(level if level in {"DEBUG", "INFO", "WARNING"} else "ERROR", "console", sys.stderr)


async def _examined(settings: Settings) -> list[findings.Finding]:
    async with instruments(settings) as tools:
        return await doctor.examined(settings, tools)


async def _exported(settings: Settings, incident: str, form: str) -> str:
    async with records(settings) as store:
        return await exported(store, incident, form, now())


async def _trail(settings: Settings) -> list[Row]:
    async with records(settings) as store:
        return await trail_of(store)


def _waited(work: Coroutine[object, object, T]) -> T:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def _fail(*lines: str, code: int = 1) -> Never:
    for line in lines:
        sys.stderr.write(f"tailback: {logs.escaped(' '.join(line.split()))}\n")
    sys.exit(code)


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."

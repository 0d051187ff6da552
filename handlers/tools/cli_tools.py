"""The commands other than the servers; each imports what it uses when it runs."""

import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from string import hexdigits
from typing import Annotated, Any, Literal, TypeVar

import typer

from bot.core.durations import MOST_REPORT_DAYS, REPORT_DAYS
from handlers.terminal import log_to_stderr, run_async

tools = typer.Typer(rich_markup_mode=None)


T = TypeVar("T")
HASH_DIGITS = 64
"""Of an entry of the audit trail."""


@tools.command()
def check(
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON: ok, and findings with their remedies.")] = False,
) -> None:
    """Check the configuration and every connection.

    Configuration, tokens and scopes, channels, Redis, clock and every back end: one line for each finding with its
    remedy. Nothing is posted or changed. Exits with 0, or with 1 when there is a problem.

    \b
    Example: tailback check --json
    """
    log_to_stderr()
    if run_async(_checked(as_json=as_json)):
        raise typer.Exit(1)


@tools.command()
def manifest(
    socket: Annotated[bool, typer.Option("--socket", help="For Socket Mode: no public address needed.")] = False,
    url: Annotated[str, typer.Option(metavar="https://…", help="For HTTP: the public address of `tailback web`.")] = "",
) -> None:
    """Print the Slack app manifest.

    Paste it at api.slack.com/apps under Create New App, From a manifest.

    \b
    Example: tailback manifest --url https://tailback.example.com
    """
    from bot.ports import Refused
    from handlers.slack_app.manifest import printed

    if socket == bool(url):
        raise Refused("Choose how Slack reaches Tailback: --socket (no public address needed), or --url https://….")
    try:
        typer.echo(printed(url or None))
    except ValueError as error:
        raise Refused(f"--url: {error}.") from None


@tools.command("send")
def send_command(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A JSON payload, as its sender posts it; - reads standard input."),
    ] = None,
    example: Annotated[bool, typer.Option("--example", help="Send a neutral test alert instead of a file.")] = False,
    resolved: Annotated[bool, typer.Option("--resolved", help="With --example: end that alert.")] = False,
    url: Annotated[str, typer.Option(help="Address of the instance; else by HOST and PORT.")] = "",
    to: Annotated[str, typer.Option(metavar="SOURCE", help="Its format, such as grafana; recognized by default.")] = "",
) -> None:
    """Post an alert payload to a running instance.

    With the credentials of this environment, to try an installation.

    \b
    Example: tailback send --example
    """
    from bot.config import load
    from bot.ports import Refused
    from bot.sources.registry import SOURCES
    from handlers.machine import now
    from handlers.tools import send

    log_to_stderr()
    if example == bool(file) or (resolved and not example):
        raise Refused("Name one FILE with a payload, or --example; --resolved goes with --example.")
    body = send.read(file) if file else send.example(now(), resolved=resolved)
    if to and to not in SOURCES:
        raise Refused(f"--to: there is no source {to!r}; known: {', '.join(SOURCES)}.")
    kind = to or send.kind_of(body, SOURCES)
    typer.echo(send.send(send.parcel(load().env, url, kind, body, now())))


@tools.command()
def export(
    incident: Annotated[str, typer.Argument(metavar="INCIDENT", help="Its id, or the link of its message in Slack.")],
    form: Annotated[Literal["markdown", "json"], typer.Option("--format", help="What to write.")] = "markdown",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    sev: Annotated[bool, typer.Option("--sev", help="Markdown with the headings of a `ci: sev` issue.")] = False,
) -> None:
    """Write an incident's review, a first draft of a post-mortem.

    What happened, impact, cause, what was tried, what worked, and follow-ups. From the records at REDIS_URL, or in
    TAILBACK_DATA. With SLACK_BOT_TOKEN, people have their names in Slack.

    \b
    Example: tailback export https://acme.slack.com/archives/C0CIONCALL/p1764555780000100 --sev
    """
    from bot.config import load
    from bot.ports import Refused, Store
    from handlers.machine import now
    from handlers.tools.records import exported
    from handlers.wiring_tools import chat_of

    log_to_stderr()
    as_json = as_json or form == "json"
    if sev and as_json:
        raise Refused("--sev is Markdown; leave out --json.")
    form_name = "json" if as_json else "sev" if sev else form
    settings = load()

    async def written(store: Store) -> str:
        async with chat_of(settings, store) as chat:
            return await exported(store, settings.file, incident, form_name, now(), chat=chat)

    typer.echo(_of_records(settings, written))


@tools.command()
def audit(
    verify: Annotated[
        bool, typer.Option("--verify", help="Check the hash chain; exits with 1 when it breaks.")
    ] = False,
    has: Annotated[
        str, typer.Option("--has", metavar="HASH", help="With --verify: the entry with this hash must be there.")
    ] = "",
    after: Annotated[str, typer.Option("--since", metavar="TIME", help="Only since then: 2h, 3d, 2026-09-01.")] = "",
    who: Annotated[str, typer.Option(metavar="USER", help="Only what this Slack user id did.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object a line.")] = False,
) -> None:
    """Show or verify who asked for what.

    The audit trail with what came of each request; --verify checks that nobody changed it afterwards. From the
    records at REDIS_URL, or in TAILBACK_DATA.

    \b
    Example: tailback audit --since 24h --who U0ALEX
    """
    from bot.config import load
    from bot.ports import Refused, Store
    from handlers.machine import now
    from handlers.tools.records import json_lines, moment_of, table, verified

    log_to_stderr()
    if has and not verify:
        raise Refused("--has goes with --verify.")
    known = has.strip().lower()
    if known and (len(known) != HASH_DIGITS or not set(known) <= set(hexdigits)):
        raise Refused(
            f"--has: a hash has {HASH_DIGITS} hexadecimal digits. Copy it from a line `audit entry` of the log."
        )
    if verify:
        typer.echo(_of_records(load(), lambda store: verified(store, known)))
        return
    since = moment_of(after, now()) if after else 0.0

    async def printed(store: Store) -> None:
        async for line in (json_lines if as_json else table)(store, since, who):
            typer.echo(line)

    _of_records(load(), printed)


@tools.command()
def report(
    pool: Annotated[str, typer.Argument(metavar="POOL", help="One pool; else all of them.", show_default=False)] = "",
    days: Annotated[int, typer.Option(min=1, max=MOST_REPORT_DAYS, metavar="DAYS", help="How far back.")] = REPORT_DAYS,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
) -> None:
    """Report on the last days.

    Waits, incidents, what recurs and what would help, like `/queue report` in Slack; hours in the zone of
    report.zone. From the records at REDIS_URL, or in TAILBACK_DATA.

    \b
    Example: tailback report linux.2xlarge --days 14
    """
    from bot.config import load
    from bot.context.queries import known_pool
    from bot.ports import Store
    from bot.reporting.collect import longer_view
    from bot.views.report import report as drawn
    from handlers.machine import now

    log_to_stderr()
    settings = load()
    only = known_pool(settings.file, pool) if pool else None

    async def read(store: Store) -> str:
        made = await longer_view(store, settings.file, days, now(), only)
        return drawn.as_json(made) if as_json else drawn.plain(made)

    typer.echo(_of_records(settings, read))


@tools.command("replay")
def replay_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Holds webhooks.jsonl and metrics.jsonl.")],
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The configuration; else tailback.toml in DIR.")
    ] = None,
    until: Annotated[str, typer.Option(metavar="TIME", help="Stop there, for example 2026-03-02T12:00:00Z.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON lines: judgements, messages, summary.")] = False,
) -> None:
    """Play recorded webhooks and figures through a configuration.

    Prints threads, proposals and how good the forecasts were. No outside system is contacted.

    \b
    Example: tailback replay docs/examples/replay
    """
    from handlers.tools import replay

    log_to_stderr()
    typer.echo(replay.replayed(folder, config, until, as_json=as_json))


@tools.command("example")
def example_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name; leave it out to list all.")] = "",
) -> None:
    """Print an example: configuration, rules, dashboard, unit.

    \b
    Example: tailback example tailback.toml > tailback.toml
    """
    from handlers.tools import examples

    typer.echo(examples.example(name) if name else examples.listing(), nl=not name)


@tools.command()
def completion(
    context: typer.Context,
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="The shell that completes.")],
) -> None:
    """Print the completion script of a shell.

    \b
    Example: tailback completion bash > ~/.local/share/bash-completion/completions/tailback
    """
    from handlers.machine import variable_set

    with variable_set("_TAILBACK_COMPLETE", f"source_{shell}"):  # as a shell asks typer for it
        context.find_root().command.main([], "tailback")


async def _checked(*, as_json: bool) -> bool:
    """Print what the doctor finds; True when there is a problem. A configuration that cannot be read is one."""
    from bot.config import ConfigError, load
    from handlers.doctor import check, findings
    from handlers.wiring import unbuildable
    from handlers.wiring_tools import check_targets

    try:
        settings = load()
    except ConfigError as error:
        more = await unbuildable(error.readable) if error.readable else []
        found = check.unusable([*error.problems, *more], error.readable)
    else:
        async with check_targets(settings) as parts:
            found = await check.examined(settings, parts, _show_progress)
    typer.echo(findings.for_machines(found) if as_json else findings.for_people(found))
    return findings.failed(found)


def _show_progress(waiting: Sequence[str]) -> None:
    """Say on a terminal who has not answered yet; the line is gone at the end."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[KWaiting for {', '.join(dict.fromkeys(waiting))} …" if waiting else "\r\x1b[K")
        sys.stderr.flush()


def _of_records(settings: Any, work: Callable[[Any], Coroutine[object, object, T]]) -> T:
    """The result of work on the records at REDIS_URL, or in TAILBACK_DATA."""
    from handlers.wiring_tools import records

    async def worked() -> T:
        async with records(settings) as store:
            return await work(store)

    return run_async(worked())

"""The command line.

Each command imports what it uses when it runs, so that `--help` and every other command start quickly.
"""

from collections.abc import Sequence
from typing import Annotated

import typer

from bot.playground.fleet.scenarios import DEFAULT, DEFAULT_SEED, DEMO_SPEED
from handlers.machine import read_dotenv, variables
from handlers.terminal import exit_with, log_to_stderr, run_async, serve
from handlers.tools.cli_tools import tools
from handlers.tools.remote.cli_remote import remote
from handlers.version import VERSION

app = typer.Typer(
    name="tailback",
    help="One alert, one Slack thread, true until the queue has drained.\n\nStart with: tailback demo",
    epilog="Settings come from the environment (.env.example) and from tailback.toml.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.add_typer(tools)
app.add_typer(remote)


def _version(requested: bool) -> None:
    if requested:
        typer.echo(f"tailback {VERSION}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[  # noqa: ARG001 - its callback has answered
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Read `.env` before the command; options that stand before a command."""
    read_dotenv()


@app.command()
def demo(
    scenario: Annotated[str, typer.Option(metavar="NAME", help="The story to play; see --list.")] = DEFAULT,
    listed: Annotated[bool, typer.Option("--list", help="Show the stories, and stop.")] = False,
    seed: Annotated[int, typer.Option(help="The same seed plays the same story.")] = DEFAULT_SEED,
    host: Annotated[str, typer.Option(help="Address of the page; 0.0.0.0 opens it to the network.")] = "127.0.0.1",
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port of the page; 0 takes any free one.")] = None,
    speed: Annotated[float, typer.Option(min=1, help="Simulated seconds in one real second.")] = DEMO_SPEED,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the page in a browser.")] = False,
    workspace_only: Annotated[
        bool, typer.Option("--workspace-only", help="Only the workspace: print variables for `tailback run`.")
    ] = False,
) -> None:
    """Try it: no token, no Slack, no Redis.

    Runs the product itself against a local workspace, with a page to click on, and a simulated fleet.

    \b
    Example: tailback demo --scenario surge
    """
    from handlers.tools import demo as playground

    if listed:
        typer.echo(playground.listing())
        return
    log_to_stderr()
    if port is None:
        port = playground.WORKSPACE_PORT if workspace_only else playground.PAGE_PORT
    if workspace_only:
        run_async(playground.run_workspace(host, port))
        return
    browser = not no_browser and playground.is_desktop(variables())
    run_async(playground.run_demo(scenario, (host, port), seed, speed, browser=browser))


@app.command()
def run() -> None:
    """Run web and worker in one process.

    With its own Redis in TAILBACK_DATA, unless REDIS_URL is set. `tailback check` says what is missing.

    \b
    Example: TAILBACK_CONFIG=./tailback.toml tailback run
    """
    serve(web=True, worker=True)


@app.command()
def web() -> None:
    """Run the web process (multi-process setup).

    Any number of them share REDIS_URL with any number of workers.

    \b
    Example: HOST=0.0.0.0 PORT=8080 REDIS_URL=redis://redis:6379/0 tailback web
    """
    serve(web=True, worker=False)


@app.command()
def worker() -> None:
    """Run a worker (multi-process setup).

    Any number of them share REDIS_URL with any number of web processes.

    \b
    Example: REDIS_URL=redis://redis:6379/0 tailback worker
    """
    serve(web=False, worker=True)


@app.command()
def restored() -> None:
    """Say that a backup was restored, before the first start.

    Looks for newer threads in the channels, so that no group gets a second one, and refuses every request that the
    backup still holds. Stop all processes first.

    \b
    Example: tailback restored
    """
    from bot.config import load
    from handlers.tools.restored import after_restoring

    log_to_stderr()
    typer.echo(run_async(after_restoring(load())))


@app.command()
def init(
    url: Annotated[str | None, typer.Option(help="Public https address for Slack; empty: Socket Mode.")] = None,
    bot_token: Annotated[str, typer.Option(envvar="SLACK_BOT_TOKEN", help="xoxb-…")] = "",
    app_token: Annotated[str, typer.Option(envvar="SLACK_APP_TOKEN", help="xapp-…, for Socket Mode.")] = "",
    signing_secret: Annotated[str, typer.Option(envvar="SLACK_SIGNING_SECRET", help="For --url.")] = "",
    channel: Annotated[str | None, typer.Option(help="Id of the channel for incidents.")] = None,
    alerts: Annotated[str | None, typer.Option(help="alertmanager, grafana, event, or github for no alerts.")] = None,
    prometheus: Annotated[str | None, typer.Option(help="Address of Prometheus; empty: none.")] = None,
    prometheus_token: Annotated[str, typer.Option(envvar="PROMETHEUS_TOKEN", help="Its bearer token.")] = "",
    pools: Annotated[str, typer.Option(help="Pools to watch, with commas; else all that Prometheus knows.")] = "",
    label: Annotated[str | None, typer.Option(help="Without Prometheus: a runner label, by GitHub's webhooks.")] = None,
    webhook_token: Annotated[str, typer.Option(envvar="TAILBACK_WEBHOOK_TOKEN", help="Else a new one.")] = "",
    github_secret: Annotated[str, typer.Option(envvar="GITHUB_WEBHOOK_SECRET", help="Else a new one.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    no_test: Annotated[bool, typer.Option("--no-test", help="Send no test alert.")] = False,
) -> None:
    """Set up an installation.

    Asks, writes .env and tailback.toml, checks every connection, and sends a test alert. Each answer
    can be an option or a variable. Without a terminal nothing is asked.

    \b
    Example: tailback init --channel C0CIONCALL --prometheus http://localhost:9090
    """
    from handlers.tools.init.init import initialize
    from handlers.tools.init.questions import InitOptions

    log_to_stderr()
    secrets = {
        "SLACK_BOT_TOKEN": bot_token,
        "SLACK_APP_TOKEN": app_token,
        "SLACK_SIGNING_SECRET": signing_secret,
        "SLACK_API_URL": variables().get("SLACK_API_URL", ""),
        "PROMETHEUS_TOKEN": prometheus_token,
        "TAILBACK_WEBHOOK_TOKEN": webhook_token,
        "GITHUB_WEBHOOK_SECRET": github_secret,
    }
    given = {name: one for name, one in secrets.items() if one}
    options = InitOptions(url, channel, alerts, prometheus, pools, given, label)
    if not run_async(initialize(options, force=force, test=not no_test)):
        raise typer.Exit(1)


def command(given: Sequence[str]) -> object:
    """Run one command; gives its exit code, or exits with 2 for wrong options."""
    try:
        return app(args=given or ["--help"], prog_name="tailback", standalone_mode=False)
    except typer.TyperException as error:
        words = error.format_message().replace("Value error, ", "")
        typed = getattr(getattr(error, "ctx", None), "command_path", f"tailback {given[0]}" if given else "tailback")
        exit_with(f"{words}{'' if words.endswith(('.', '?')) else '.'} See `{typed} --help`.", code=2)
    except typer.Abort:
        exit_with("stopped.", code=130)

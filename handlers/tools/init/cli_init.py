"""The command `tailback init`; it imports what it uses when it runs."""

from typing import Annotated

import typer

from handlers.terminal import quiet, waited

initial = typer.Typer(rich_markup_mode=None)


@initial.command()
def init(  # noqa: PLR0913, PLR0917 - each is an answer
    url: Annotated[str | None, typer.Option(help="Public https address for Slack; empty: Socket Mode.")] = None,
    bot_token: Annotated[str, typer.Option(envvar="SLACK_BOT_TOKEN", help="xoxb-…")] = "",
    app_token: Annotated[str, typer.Option(envvar="SLACK_APP_TOKEN", help="xapp-…, for Socket Mode.")] = "",
    signing_secret: Annotated[str, typer.Option(envvar="SLACK_SIGNING_SECRET", help="For --url.")] = "",
    channel: Annotated[str | None, typer.Option(help="Id of the channel for incidents.")] = None,
    alerts: Annotated[str | None, typer.Option(help="alertmanager, grafana, event, or github for no alerts.")] = None,
    prometheus: Annotated[str | None, typer.Option(help="Address of Prometheus; empty: none.")] = None,
    prometheus_token: Annotated[str, typer.Option(envvar="PROMETHEUS_TOKEN", help="Its bearer token.")] = "",
    pools: Annotated[str, typer.Option(help="Pools to watch, with commas; else all that Prometheus knows.")] = "",
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
    from handlers.machine import variables
    from handlers.tools.init.init import initialize
    from handlers.tools.init.questions import InitOptions

    quiet()
    secrets = {
        "SLACK_BOT_TOKEN": bot_token,
        "SLACK_APP_TOKEN": app_token,
        "SLACK_SIGNING_SECRET": signing_secret,
        "SLACK_API_URL": variables().get("SLACK_API_URL", ""),
        "PROMETHEUS_TOKEN": prometheus_token,
        "TAILBACK_WEBHOOK_TOKEN": webhook_token,
        "GITHUB_WEBHOOK_SECRET": github_secret,
    }
    options = InitOptions(url, channel, alerts, prometheus, pools, {name: one for name, one in secrets.items() if one})
    if not waited(initialize(options, force=force, test=not no_test)):
        raise typer.Exit(1)

"""The commands that ask a running installation by its API; each imports what it uses when it runs."""

from typing import Annotated

import typer

from handlers.terminal import log_to_stderr, run_async

remote = typer.Typer(rich_markup_mode=None)


@remote.command("mcp")
def mcp_command() -> None:
    """Offer the read-only tools to an assistant.

    The Model Context Protocol over standard input and output, for a program that starts this command. Asks the
    installation at TAILBACK_URL with TAILBACK_API_TOKEN; the log goes to standard error.

    \b
    Example: TAILBACK_URL=https://tailback.example.com tailback mcp
    """
    from handlers.tools.remote.assistant import serve_tools

    log_to_stderr()
    run_async(serve_tools())


@remote.command()
def job(
    address: Annotated[str, typer.Argument(metavar="JOB", help="The address of a job, a run or a pull request.")],
) -> None:
    """Say when a CI job starts, and why it waits.

    Asks the installation at TAILBACK_URL with TAILBACK_API_TOKEN, else the one of this environment.

    \b
    Example: tailback job https://github.com/acme/app/actions/runs/12/job/34
    """
    from handlers.tools.remote.job_answer import fetch_answer

    log_to_stderr()
    typer.echo(run_async(fetch_answer(address)))

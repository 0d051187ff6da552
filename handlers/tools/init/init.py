"""Runs `tailback init`: questions, files, the doctor, and a test alert through the real product."""

import asyncio
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from bot.config import Settings, load
from bot.core.incident.incident import Incident
from bot.ports import Refused, Unreachable
from handlers.doctor import check, findings
from handlers.machine import now, variables
from handlers.run import serving
from handlers.tools import send
from handlers.tools.init.files import PRIVATE, READABLE, InitSender, env_text, toml_text, write
from handlers.tools.init.questions import Asker, InitOptions, answered
from handlers.wiring import Runtime, opened
from handlers.wiring_tools import check_targets, prometheus_pools

THREAD_SECONDS = 30.0
"""How long the thread of the test alert may take."""
NEXT = {
    InitSender.ALERTMANAGER: "add a receiver for POST /alerts/alertmanager there: integrations/alertmanager.md",
    InitSender.GRAFANA: "add a contact point for POST /alerts/grafana there: integrations/grafana.md",
    InitSender.EVENT: "let your sender POST /alerts/event: integrations/event.md",
    InitSender.GITHUB: "add a webhook for POST /github to GitHub: how-to/github-webhooks-only.md",
}


async def initialize(options: InitOptions, *, force: bool, test: bool) -> bool:
    """Write the files and try them; False when the doctor has found a problem."""
    asker = Asker(sys.stdin.isatty())
    config = Path(variables().get("TAILBACK_CONFIG") or "tailback.toml")
    env = config.with_name(".env")
    _may_write([config, env], asker, force=force)
    answers = await answered(options, asker, prometheus_pools)
    write(env, env_text(answers), PRIVATE)
    write(config, toml_text(answers), READABLE)
    asker.say(f"Wrote {env} and {config}. Checking …")
    settings = load({**variables(), **answers.secrets, "TAILBACK_CONFIG": str(config)})
    async with check_targets(settings) as parts:
        found = await check.examined(settings, parts)
    asker.say(findings.for_people(found))
    if findings.failed(found):
        asker.say("Fix the problems, then run `tailback check` and `tailback run`.")
        return False
    if test:
        asker.say(await first_alert(settings))
    steps = [f"start it with `tailback run`, then {NEXT[answers.alerts]} in docs/"]
    if answers.label:
        steps.append(f"for the figures of {answers.label}, {NEXT[InitSender.GITHUB]}")
    asker.say(f"Next: {'; '.join(steps)}.")
    return True


def _may_write(files: Sequence[Path], asker: Asker, *, force: bool) -> None:
    """Raise Refused for a folder, and unless a person agrees to lose what is there."""
    if files[0].is_dir():
        raise Refused(f"{files[0]} is a folder. Name a file in TAILBACK_CONFIG. Nothing was written.")
    found = [str(path) for path in files if path.exists()]

    def agreed(text: str) -> str:
        if text.strip().lower() not in {"y", "yes"}:
            raise typer.Abort
        return text

    if found and not force:
        replaced = f"{' and '.join(found)} would be replaced"
        asker.ask("--force", None, f"{replaced}. Replace? (y/n)" if asker.terminal else replaced, agreed)


async def first_alert(settings: Settings) -> str:
    """Start Tailback for a moment and send it a test alert and its end; gives the link of the thread."""
    async with opened(settings) as runtime, serving(runtime, web=True, worker=True, drain_seconds=0) as address:
        for resolved in (False, True):
            body = send.example(now(), resolved=resolved)
            await asyncio.to_thread(send.send, send.parcel(settings.env, address, "event", body, now()))
            link = await _thread(runtime)
    return f"A test alert has opened this thread: {link}"


async def _thread(runtime: Runtime) -> str:
    """The link of the newest incident's thread. Raises Unreachable when none opens in time."""
    store = runtime.context.store
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(THREAD_SECONDS):
            while True:
                held = await store.get_many(Incident, sorted(await store.members("open")))
                for thread in (one.value.thread for one in held.values()):
                    if thread.root:
                        return await runtime.context.chat.permalink(thread.channel, thread.root)
                await asyncio.sleep(0.1)
    remedy = "the files are written; start `tailback run`, read its log, and try `tailback send --example`"
    raise Unreachable("Slack", f"no thread has opened within {THREAD_SECONDS:.0f} s", remedy=remedy)

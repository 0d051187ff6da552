"""The quickstart with real processes: a workspace without a product, `init`, `run`, and the example alert."""

import asyncio
import json
import os
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import httpx

from bot.playground.fleet.api.standin import FleetStandIn, Surroundings
from bot.playground.fleet.scenarios import HEALTHY
from bot.playground.serving import serving
from handlers.machine import now
from tests.handlers.terminal import Terminal
from tests.patience import PATIENCE_SECONDS
from tests.playground.fleet_world import Receiver


@asynccontextmanager
async def started(terminal: Terminal, ready: str, *words: str, **given: str) -> AsyncIterator[str]:
    """`tailback WORDS` until the block ends; gives what it printed up to `ready`."""
    out = terminal.folder / f"{words[0]}.log"
    pid = terminal.zygote.start(list(words), terminal.variables(given), out, cwd=terminal.folder)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while ready not in (text := out.read_text() if out.exists() else ""):
                assert terminal.zygote.code(pid) is None, text
                await asyncio.sleep(0.05)
        yield text
    finally:
        os.kill(pid, signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while terminal.zygote.code(pid) is None:  # noqa: ASYNC110 - the end of a process sets no event of ours
                await asyncio.sleep(0.05)


async def messages(address: str, count: int) -> list[str]:
    """The texts of the channel, once there are so many threads."""
    async with httpx.AsyncClient() as http, asyncio.timeout(PATIENCE_SECONDS):
        while True:
            state = (await http.get(f"{address}/ui/state", params={"user": "U0ANA"})).json()
            (ci,) = [channel for channel in state["channels"] if channel["id"] == "C0CIONCALL"]
            texts = [
                message["text"]
                for message in ci["messages"]
                if message["ts"] == message.get("thread_ts", message["ts"])
            ]
            if len(texts) >= count:
                return texts
            await asyncio.sleep(0.1)


async def test_the_quickstart_leads_to_a_thread_without_slack(terminal: Terminal) -> None:
    """Each command as the page has it; only the addresses are of this machine."""
    fleet = FleetStandIn(HEALTHY, Surroundings(now, Receiver().post))
    async with (
        serving(fleet.app) as prometheus,
        started(terminal, "# http://", "demo", "--workspace-only", "--port", "0") as printed,
    ):
        address = printed.split()[-1]
        variables = dict(re.findall(r"^([A-Z_]+)=(\S+)$", printed, re.MULTILINE))
        arguments = ["init", "--channel", "C0CIONCALL", "--alerts", "alertmanager", "--prometheus", prometheus]
        output = await asyncio.to_thread(terminal.run, *arguments, **variables, PORT="0")
        assert output.code == 0, output.out + output.err
        assert "Pools that Prometheus knows: linux.2xlarge," in output.out
        assert re.search(r"A test alert has opened this thread: http://\S+/archives/C0CIONCALL/p\d+", output.out)
        (first,) = await messages(address, 1)
        assert "Test alert" in first
        async with started(terminal, "Ready. Send a test alert: tailback send --example", "run", PORT="0") as log:
            (web,) = re.findall(r'"web": "(http://[^"]+)"', log)
            sent = await asyncio.to_thread(terminal.run, "send", "--example", "--url", web)
            assert sent.out.startswith("Stored."), sent.err
            await messages(address, 1)


async def test_github_webhooks_alone_open_a_thread(terminal: Terminal) -> None:
    """The how-to with real processes: `init --alerts github`, and GitHub tells of a job that waits for over an hour."""
    async with started(terminal, "# http://", "demo", "--workspace-only", "--port", "0") as printed:
        address = printed.split()[-1]
        variables = dict(re.findall(r"^([A-Z_]+)=(\S+)$", printed, re.MULTILINE))
        arguments = ["init", "--channel", "C0CIONCALL", "--alerts", "github", "--no-test"]
        output = await asyncio.to_thread(terminal.run, *arguments, **variables)
        assert output.code == 0, output.out + output.err
        config = terminal.folder / "tailback.toml"
        config.write_text(config.read_text() + '\n[timing]\nwatch = "1s"\npoll = "1s"\n')
        async with started(terminal, "Ready.", "run", PORT="0") as log:
            (web,) = re.findall(r'"web": "(http://[^"]+)"', log)
            (terminal.folder / "job.json").write_text(json.dumps(job_queued(now() - 3700)))
            sent = await asyncio.to_thread(terminal.run, "send", "job.json", "--url", web)
            assert sent.code == 0, sent.err
            (text,) = await messages(address, 1)
            assert "every queue" in text or "1 job" in text


def job_queued(at: float) -> dict[str, object]:
    """GitHub's webhook of a job that has waited since then."""
    job = {
        "id": 7,
        "run_id": 1,
        "name": "build",
        "workflow_name": "pull",
        "status": "queued",
        "labels": ["self-hosted", "gpu"],
        "created_at": datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "html_url": "https://github.com/example/torch/actions/runs/1/job/7",
    }
    return {"action": "queued", "workflow_job": job, "repository": {"full_name": "example/torch"}}

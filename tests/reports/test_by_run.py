"""One report of each family by `tailback run` itself: real HTTP, a real Redis, a Slack that stores messages.

VictoriaMetrics/VictoriaMetrics#4115, actions/actions-runner-controller#3649, jenkinsci/docker-plugin#361, and GitLab's
untagged jobs (https://docs.gitlab.com/ci/runners/configure_runners/): each has a queue that looks empty and is not.
"""

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.adapters.prometheus.presets import queries
from tests.adapters.github.standin import LABEL, ORG, REPO, GitHubStandIn
from tests.adapters.github.standin import TOKEN as GITHUB_TOKEN
from tests.answering import answering
from tests.ci_systems import CiSystem, Reply
from tests.journeys.alerts import queue_alert
from tests.journeys.setup import Setup
from tests.journeys.world import Process, process
from tests.processes import Zygote
from tests.reports.fleet import Prom
from tests.reports.test_jenkins_docker_361 import CLOUD, NODES, waits

pytestmark = pytest.mark.needs("redis-server")

LOOKS = 8
"""Measurements after the alert has ended; three empty ones in a row would have drained the thread."""
POOLS = ("by-prometheus", "by-arc", "by-jenkins", "by-gitlab")
TABLES = """
[metrics.prometheus]
kind = "prometheus"
url = "{prometheus}"

[metrics.listener]
kind = "prometheus"
url = "{listener}"

[metrics.github]
kind = "github"
url = "{github}"
token_env = "GITHUB_TOKEN"
organizations = ["{org}"]
repositories = ["{repo}"]
every = "500ms"
budget = 99

[metrics.jenkins]
kind = "jenkins"
url = "{jenkins}"
every = "500ms"

[metrics.gitlab]
kind = "gitlab"
url = "{gitlab}"
every = "500ms"
token_env = "GITHUB_TOKEN"
projects = ["acme/app"]

[pool."by-prometheus"]
match = {{ runner_label = "by-prometheus" }}
metrics = "prometheus"
preset = "ci"

[pool."by-arc"]
match = {{ runner_label = "by-arc" }}
metrics = ["listener", "github"]
preset = "arc"
label = "{label}"

[pool."by-jenkins"]
match = {{ runner_label = "by-jenkins" }}
metrics = "jenkins"
label = "docker"

[pool."by-gitlab"]
match = {{ runner_label = "by-gitlab" }}
metrics = "gitlab"
tags = ["docker"]
run_untagged = true
slots = 20
"""


@dataclass
class Systems:
    """What the pools are measured by."""

    prometheus: Prom
    github: GitHubStandIn
    jenkins: CiSystem
    gitlab: CiSystem
    urls: Mapping[str, str]

    def looks(self) -> int:
        """At the system that was looked at least often."""
        request = self.jenkins.count("/queue/api/json"), self.gitlab.count("/api/v4/projects/acme%2Fapp/jobs")
        return min(*request, len(self.github.requests) // 6)


@asynccontextmanager
async def systems() -> AsyncIterator[Systems]:
    now, job = time.time, {"id": 1, "name": "unit", "stage": "test", "tag_list": [], "queued_duration": 5400.0}
    empty = {"queued": 0, "oldest_wait_seconds": 0, "busy": 9, "idle": 0}
    prometheus = Prom(queries("ci", "by-prometheus"), now, {**empty})
    prometheus.more["isPartial"] = True
    listener = Prom(queries("arc", "by-arc"), now, dict.fromkeys(("queued", "busy", "idle", "booting", "failed"), 0))
    github = GitHubStandIn(now())
    for number in (1, 2, 3):
        github.job(github.run(number, age=1800), 10 + number, age=1800)
    items = {"items": [waits(now() - 1800, "Waiting for next available executor")]}
    paths = {"/queue/api/json": items, "/computer/api/json": NODES, "/label/docker/api/json": CLOUD}
    jenkins = CiSystem({path: Reply(body) for path, body in paths.items()})
    online = [{"id": 6, "description": "runner-6", "paused": False, "status": "online"}]
    gitlab = CiSystem({"/api/v4/projects/acme%2Fapp/runners": Reply(online)})
    gitlab.paths["/api/v4/projects/acme%2Fapp/jobs"] = lambda request: Reply(
        [job] if request.query["scope[]"] == "pending" else []
    )
    endpoints = {"prometheus": prometheus.endpoint, "listener": listener.endpoint, "github": github._answer}
    endpoints |= {"jenkins": jenkins._endpoint, "gitlab": gitlab._endpoint}
    async with AsyncExitStack() as stack:
        urls = {name: await stack.enter_async_context(answering(one)) for name, one in endpoints.items()}
        yield Systems(prometheus, github, jenkins, gitlab, urls)


async def ended(installation: Process, found: Systems) -> None:
    """The alerts end, and every system is looked at some more times."""
    world = installation.world
    for pool in POOLS:
        assert await world.fires(queue_alert(pool, firing=False, group=pool)) == "joined"
    before = found.looks()
    await world.eventually(lambda: found.looks() >= before + LOOKS, "some more measurements")


async def test_no_thread_drains_on_an_answer_that_only_looks_empty(tmp_path: Path, zygote: Zygote) -> None:
    """Four alerts, four threads, four ends of alerts: nothing is drained, and each thread still waits for a figure."""
    async with systems() as found:
        tables = TABLES.format(**found.urls, org=ORG, repo=REPO, label=LABEL)
        setup = Setup(pools=(), tables=tables, variables={"GITHUB_TOKEN": GITHUB_TOKEN})
        async with process(tmp_path, zygote, setup) as installation:
            world = installation.world
            for pool in POOLS:
                assert await world.fires(queue_alert(pool, group=pool)) == "opened"
            threads = [await world.slack.channel("ci").parent(pool) for pool in POOLS]
            await ended(installation, found)
            for thread in threads:
                await thread.until("EASING")
            said = " ".join([(await thread.read()).text for thread in threads])
            assert "DRAINED" not in said
            assert "3 jobs queued" in said, "the larger of two fresh figures"
            assert "1 job queued" in said, "a job without a tag, of runners that take them"

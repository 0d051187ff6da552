"""Stand-ins of CI systems for tests: they answer over real HTTP from tests/fixtures, and keep every request."""

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace

from starlette.requests import Request
from starlette.responses import Response

from tests.answering import answering
from tests.architecture.tree import ROOT

AT = 1_772_445_600.0
"""2026-03-02 10:00:00 UTC: the time of the payloads."""
PAGE = "<!DOCTYPE html><html><body>Are you a robot?</body></html>"


@dataclass(frozen=True, slots=True)
class SentRequest:
    """One request as it arrived; `path` with its escapes."""

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer."""

    body: object
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Answer = Reply | Callable[[SentRequest], Reply]


@dataclass(slots=True)
class CiSystem:
    """Answers each path from `paths`, unless it is asked without the right credentials."""

    paths: dict[str, Answer]
    header: str = "authorization"
    credentials: str = ""
    requests: list[SentRequest] = field(default_factory=list)

    def says(self, path: str, body: object, status: int = 200, **headers: str) -> None:
        self.paths[path] = Reply(body, status, headers)

    def count(self, path: str) -> int:
        return sum(one.path == path for one in self.requests)

    def url(self) -> AbstractAsyncContextManager[str]:
        return answering(self._endpoint)

    async def _endpoint(self, request: Request) -> Response:
        sent = await request.body()
        path = request.scope["raw_path"].decode().partition("?")[0]
        received = SentRequest(
            path, dict(request.query_params), dict(request.headers), json.loads(sent) if sent else {}
        )
        self.requests.append(received)
        reply = self._reply(received)
        if isinstance(reply.body, str):
            return Response(reply.body, reply.status, dict(reply.headers), "text/html")
        return Response(json.dumps(reply.body), reply.status, dict(reply.headers), "application/json")

    def _reply(self, request: SentRequest) -> Reply:
        if self.credentials and request.headers.get(self.header) != self.credentials:
            return Reply({"message": "who are you?"}, 401)
        answer = self.paths.get(request.path, Reply({"message": "404 Not Found"}, 404))
        return answer(request) if callable(answer) else answer


def recorded(name: str) -> object:
    """A payload of tests/fixtures, without its `.json`."""
    return json.loads((ROOT / "tests" / "fixtures" / f"{name}.json").read_text("utf-8"))


def hud(time: str = "") -> CiSystem:
    """HUD; `time` is what it says to be its own, else that of the payloads."""
    labels = recorded("hud/queued_jobs_by_label")
    assert isinstance(labels, list)
    rows = [{**row, "time": time or row["time"]} for row in labels]
    queries = {
        name: Reply(recorded(f"hud/{name}")) for name in ("queued_jobs", "queued_jobs_aggregate", "all_machine_types")
    }
    paths: dict[str, Answer] = {f"/api/clickhouse/{name}": reply for name, reply in queries.items()}
    paths |= {
        "/api/clickhouse/queued_jobs_by_label": Reply(rows),
        "/api/runners/pytorch": Reply(recorded("hud/runners_pytorch")),
    }
    return CiSystem(paths, "x-hud-internal-bot", "hud-token-1")


def buildkite() -> CiSystem:
    """Buildkite's agent API under /v3, and its GraphQL API under /graphql."""
    metrics = Reply(recorded("buildkite/metrics"), headers={"Buildkite-Agent-Metrics-Poll-Duration": "60"})

    def page(request: SentRequest) -> Reply:
        if request.headers.get("authorization") != "Bearer api-token-1":
            return Reply({"errors": [{"message": "unauthenticated"}]}, 401)
        variables = request.body["variables"]
        assert isinstance(variables, dict)
        return Reply(recorded(f"buildkite/jobs_page_{'2' if variables['after'] == 'c2' else '1'}"))

    def agents(request: SentRequest) -> Reply:
        right = request.headers.get("authorization") == "Token agent-token-1"
        return metrics if right else Reply({"message": "Unauthorized"}, 401)

    return CiSystem({"/v3/metrics": agents, "/graphql": page})


def gitlab() -> CiSystem:
    """GitLab with two projects; the pending jobs of the first come in two pages."""

    def jobs(name: str) -> Answer:
        def answer(request: SentRequest) -> Reply:
            scope = request.query["scope[]"]
            if (name, scope) != ("app", "pending"):
                return Reply(recorded(f"gitlab/jobs_{name}_{scope}"))
            if request.query.get("cursor") == "next":
                return Reply(recorded("gitlab/jobs_app_pending_2"))
            query = "per_page=100&pagination=keyset&scope%5B%5D=pending&cursor=next"
            link = (
                f'<https://gitlab.internal/api/v4/projects/1/jobs?{query}>; rel="next", <https://x.test/>; rel="first"'
            )
            return Reply(recorded("gitlab/jobs_app_pending_1"), headers={"Link": link})

        return answer

    def runners(request: SentRequest) -> Reply:
        here = request.query["tag_list"] == "linux,docker"
        return Reply(recorded("gitlab/runners_linux_docker") if here else [])

    projects = {"team%2Fapp": "app", "team%2Fsub%2Flib": "lib"}
    paths: dict[str, Answer] = {f"/api/v4/projects/{path}/jobs": jobs(name) for path, name in projects.items()}
    paths |= {f"/api/v4/projects/{path}/runners": runners for path in projects}
    paths["/api/v4/groups/team/runners"] = runners
    return CiSystem(paths, "private-token", "gitlab-token-1")


def jenkins() -> CiSystem:
    """Jenkins, which has a cloud for the label `pods`."""
    paths: dict[str, Answer] = {
        "/queue/api/json": Reply(recorded("jenkins/queue")),
        "/computer/api/json": Reply(recorded("jenkins/computer")),
        "/label/pods/api/json": Reply(recorded("jenkins/label_cloud")),
        "/label/lniux/api/json": Reply(recorded("jenkins/label_unknown")),
    }
    return CiSystem(paths, "authorization", "Basic Ym90OmplbmtpbnMtdG9rZW4tMQ==")


def without(system: CiSystem, path: str, key: str) -> CiSystem:
    reply = system.paths[path]
    assert isinstance(reply, Reply)
    assert isinstance(reply.body, dict)
    system.paths[path] = replace(reply, body={name: value for name, value in reply.body.items() if name != key})
    return system

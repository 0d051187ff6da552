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
class Asked:
    """One request as it arrived; `path` with its escapes."""

    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Said:
    """One answer."""

    body: object
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Answer = Said | Callable[[Asked], Said]


@dataclass(slots=True)
class CiSystem:
    """Answers each path from `paths`, unless it is asked without the right credentials."""

    paths: dict[str, Answer]
    header: str = "authorization"
    credentials: str = ""
    asked: list[Asked] = field(default_factory=list)

    def says(self, path: str, body: object, status: int = 200, **headers: str) -> None:
        self.paths[path] = Said(body, status, headers)

    def count(self, path: str) -> int:
        return sum(one.path == path for one in self.asked)

    def url(self) -> AbstractAsyncContextManager[str]:
        return answering(self._endpoint)

    async def _endpoint(self, request: Request) -> Response:
        sent = await request.body()
        path = request.scope["raw_path"].decode().partition("?")[0]
        asked = Asked(path, dict(request.query_params), dict(request.headers), json.loads(sent) if sent else {})
        self.asked.append(asked)
        said = self._said(asked)
        if isinstance(said.body, str):
            return Response(said.body, said.status, dict(said.headers), "text/html")
        return Response(json.dumps(said.body), said.status, dict(said.headers), "application/json")

    def _said(self, asked: Asked) -> Said:
        if self.credentials and asked.headers.get(self.header) != self.credentials:
            return Said({"message": "who are you?"}, 401)
        answer = self.paths.get(asked.path, Said({"message": "404 Not Found"}, 404))
        return answer(asked) if callable(answer) else answer


def recorded(name: str) -> object:
    """A payload of tests/fixtures, without its `.json`."""
    return json.loads((ROOT / "tests" / "fixtures" / f"{name}.json").read_text("utf-8"))


def hud(time: str = "") -> CiSystem:
    """HUD; `time` is what it says to be its own, else that of the payloads."""
    labels = recorded("hud/queued_jobs_by_label")
    assert isinstance(labels, list)
    told = [{**row, "time": time or row["time"]} for row in labels]
    queries = {
        name: Said(recorded(f"hud/{name}")) for name in ("queued_jobs", "queued_jobs_aggregate", "all_machine_types")
    }
    paths: dict[str, Answer] = {f"/api/clickhouse/{name}": said for name, said in queries.items()}
    paths |= {
        "/api/clickhouse/queued_jobs_by_label": Said(told),
        "/api/runners/pytorch": Said(recorded("hud/runners_pytorch")),
    }
    return CiSystem(paths, "x-hud-internal-bot", "hud-token-1")


def buildkite() -> CiSystem:
    """Buildkite's agent API under /v3, and its GraphQL API under /graphql."""
    metrics = Said(recorded("buildkite/metrics"), headers={"Buildkite-Agent-Metrics-Poll-Duration": "60"})

    def page(asked: Asked) -> Said:
        if asked.headers.get("authorization") != "Bearer api-token-1":
            return Said({"errors": [{"message": "unauthenticated"}]}, 401)
        variables = asked.body["variables"]
        assert isinstance(variables, dict)
        return Said(recorded(f"buildkite/jobs_page_{'2' if variables['after'] == 'c2' else '1'}"))

    def agents(asked: Asked) -> Said:
        right = asked.headers.get("authorization") == "Token agent-token-1"
        return metrics if right else Said({"message": "Unauthorized"}, 401)

    return CiSystem({"/v3/metrics": agents, "/graphql": page})


def gitlab() -> CiSystem:
    """GitLab with two projects; the pending jobs of the first come in two pages."""

    def jobs(name: str) -> Answer:
        def answer(asked: Asked) -> Said:
            scope = asked.query["scope[]"]
            if (name, scope) != ("app", "pending"):
                return Said(recorded(f"gitlab/jobs_{name}_{scope}"))
            if asked.query.get("cursor") == "next":
                return Said(recorded("gitlab/jobs_app_pending_2"))
            query = "per_page=100&pagination=keyset&scope%5B%5D=pending&cursor=next"
            link = (
                f'<https://gitlab.internal/api/v4/projects/1/jobs?{query}>; rel="next", <https://x.test/>; rel="first"'
            )
            return Said(recorded("gitlab/jobs_app_pending_1"), headers={"Link": link})

        return answer

    def runners(asked: Asked) -> Said:
        here = asked.query["tag_list"] == "linux,docker"
        return Said(recorded("gitlab/runners_linux_docker") if here else [])

    projects = {"team%2Fapp": "app", "team%2Fsub%2Flib": "lib"}
    paths: dict[str, Answer] = {f"/api/v4/projects/{path}/jobs": jobs(name) for path, name in projects.items()}
    paths |= {f"/api/v4/projects/{path}/runners": runners for path in projects}
    paths["/api/v4/groups/team/runners"] = runners
    return CiSystem(paths, "private-token", "gitlab-token-1")


def jenkins() -> CiSystem:
    """Jenkins, which has a cloud for the label `pods`."""
    paths: dict[str, Answer] = {
        "/queue/api/json": Said(recorded("jenkins/queue")),
        "/computer/api/json": Said(recorded("jenkins/computer")),
        "/label/pods/api/json": Said(recorded("jenkins/label_cloud")),
        "/label/lniux/api/json": Said(recorded("jenkins/label_unknown")),
    }
    return CiSystem(paths, "authorization", "Basic Ym90OmplbmtpbnMtdG9rZW4tMQ==")


def without(system: CiSystem, path: str, key: str) -> CiSystem:
    said = system.paths[path]
    assert isinstance(said, Said)
    assert isinstance(said.body, dict)
    system.paths[path] = replace(said, body={name: value for name, value in said.body.items() if name != key})
    return system

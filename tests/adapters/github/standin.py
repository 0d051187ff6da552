"""A stand-in for GitHub's REST API over real HTTP: pages, ETags, rate limits, permissions, Apps, and a status page."""

import hashlib
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.playground.serving import serving
from tests.sources.payloads import FIXTURES

ORG, REPO = "example-org", "example-org/engine"
LABEL = "linux.2xlarge"
TOKEN = "github_pat_standin_0123456789"
PERMISSIONS = {
    "/actions/runners": "organization_self_hosted_runners=read",
    "/actions/runner-groups": "organization_self_hosted_runners=read",
    "/actions/runs": "actions=read",
    "/repos": "metadata=read",
}


def sample(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FIXTURES / "github" / f"rest_{name}.json").read_text("utf-8"))
    return found


def stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@cache
def app_key() -> rsa.RSAPrivateKey:
    """The private key of the App, made once: that takes a moment."""
    return rsa.generate_private_key(65537, 2048)


@dataclass(frozen=True, slots=True)
class SentRequest:
    path: str
    query: Mapping[str, str]
    status: int


@dataclass(slots=True)
class GitHubStandIn:
    now: float
    runners: list[dict[str, Any]] = field(default_factory=list)
    groups: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Group name → its runners."""
    runs: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    """Repository → run id → its row."""
    jobs: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Run id → rows."""
    unlisted: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Run id → the row of a run that no list has."""
    remaining: int = 5000
    resets_at: float = 0.0
    denied: list[str] = field(default_factory=list)
    """Parts of paths that answer 403 for lack of a permission."""
    says: list[tuple[int, dict[str, str], str]] = field(default_factory=list)
    """(status, headers, message) of the next answers, whatever is asked."""
    enterprise: list[dict[str, Any]] = field(default_factory=list)
    """The runners of the enterprise `big-corp`."""
    moved: dict[str, str] = field(default_factory=dict)
    """A path's beginning → where its redirect leads, such as `/repos/old/name` → `/repositories/7`."""
    hidden_rows: int = 0
    """So many runners are counted but not listed."""
    status_word: str = "operational"
    requests: list[SentRequest] = field(default_factory=list)
    key: rsa.RSAPrivateKey = field(default_factory=app_key)
    tokens: list[str] = field(default_factory=lambda: [TOKEN])
    token_seconds: float = 3600.0

    def __post_init__(self) -> None:
        self.resets_at = self.now + 1800
        self.runs.setdefault(REPO, {})

    @property
    def pem(self) -> str:
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()).decode()

    def runner(self, *labels: str, online: bool = True, busy: bool = False) -> dict[str, Any]:
        row = {
            **sample("runners")["runners"][0],
            "id": 7000 + len(self.runners),
            "status": "online" if online else "offline",
            "busy": busy,
            "labels": [{"id": 0, "name": name, "type": "custom"} for name in ("self-hosted", "Linux", *labels)],
        }
        self.runners.append(row)
        return row

    def run(self, number: int, status: str = "queued", age: float = 600.0, repo: str = REPO, **more: Any) -> str:
        started = self.now - age
        row = {
            **sample("runs")["workflow_runs"][0],
            "id": number,
            "status": status,
            "created_at": stamp(started),
            "updated_at": stamp(started + 60),
            **more,
        }
        self.runs.setdefault(repo, {})[str(number)] = row
        self.jobs.setdefault(str(number), [])
        return str(number)

    def job(self, run: str, number: int, status: str = "queued", age: float = 600.0, **more: Any) -> dict[str, Any]:
        row = {
            **sample("run_jobs")["jobs"][0],
            "id": number,
            "run_id": int(run),
            "status": status,
            "created_at": stamp(self.now - age),
            "labels": ["self-hosted", LABEL],
            "html_url": f"https://github.com/{REPO}/actions/runs/{run}/job/{number}",
            **more,
        }
        self.jobs[run].append(row)
        return row

    def over(self, run: str, repo: str = REPO, conclusion: str = "cancelled") -> None:
        self.runs[repo][run] |= {"status": "completed", "conclusion": conclusion, "updated_at": stamp(self.now)}
        for row in self.jobs[run]:
            row |= {"status": "completed", "conclusion": conclusion, "completed_at": stamp(self.now)}

    def hide_runs(self, repo: str = REPO) -> None:
        """The lists of runs are empty from now on."""
        self.unlisted, self.runs[repo] = self.runs[repo], {}

    def calls(self, *, since: int = 0) -> list[str]:
        return [one.path for one in self.requests[since:]]

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        routes = [Route("/{path:path}", self._answer, methods=["GET", "POST"])]
        async with serving(Starlette(routes=routes)) as url:
            yield url

    async def _answer(self, request: Request) -> Response:
        path, query = request.url.path, dict(request.query_params)
        response = self._judged(request, path, query)
        self.requests.append(SentRequest(path, query, response.status_code))
        return response

    def _judged(self, request: Request, path: str, query: Mapping[str, str]) -> Response:
        if path == "/status/components.json":
            return _json(200, self._components())
        if self.says:
            status, headers, message = self.says.pop(0)
            return _json(status, {"message": message}, {**self._limits(), **headers})
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        if path.startswith("/app/installations/"):
            return self._token(path, bearer)
        if bearer not in self.tokens:
            return _json(401, {"message": "Bad credentials"})
        return self._allowed(request, path, query)

    def _allowed(self, request: Request, path: str, query: Mapping[str, str]) -> Response:
        if self.remaining <= 0:
            return _json(403, {"message": "API rate limit exceeded for user ID 1."}, self._limits())
        permission = next((name for part, name in PERMISSIONS.items() if part in path), "metadata=read")
        headers = {"x-accepted-github-permissions": permission}
        if any(part in path for part in self.denied):
            message = "Resource not accessible by personal access token"
            return _json(403, {"message": message}, {**headers, **self._limits()})
        return self._listed(request, path, query, headers)

    def _listed(self, request: Request, path: str, query: Mapping[str, str], headers: dict[str, str]) -> Response:
        for old, new in self.moved.items():
            if path.startswith(f"{old}/"):
                self.remaining -= 1
                place = path.replace(old, new if "://" in new else f"{str(request.base_url).rstrip('/')}{new}")
                return _json(301, {"message": "Moved Permanently", "url": place}, {**self._limits(), "location": place})
        if (one := self._page(path.strip("/").split("/"))) is not None:
            self.remaining -= 1
            return _json(200, one, {**headers, **self._limits()})
        found = self._rows(path, query)
        if found is None:
            self.remaining -= 1
            return _json(404, {"message": "Not Found"}, self._limits())
        key, rows = found
        size, page = int(query.get("per_page", "30")), int(query.get("page", "1"))
        total = len(rows) + (self.hidden_rows if key == "runners" else 0)
        part = rows[(page - 1) * size : page * size]
        body: object = {"total_count": total, key: part} if key else part
        etag = f'W/"{hashlib.sha256(json.dumps(body).encode()).hexdigest()}"'
        last = max(1, -(-len(rows) // size))
        headers |= {"etag": etag, **_links(path, query, page, last)}
        if request.headers.get("if-none-match") == etag:
            return Response(status_code=304, headers={**headers, **self._limits()})
        self.remaining -= 1
        return _json(200, body, {**headers, **self._limits()})

    def _page(self, parts: list[str]) -> dict[str, Any] | None:
        """The own page of a run, which knows it also while the lists do not, or of a job."""
        match parts:
            case ["repos", owner, name, "actions", "runs", number]:
                return {**self.unlisted, **self.runs.get(f"{owner}/{name}", {})}.get(number)
            case ["repos", _, _, "actions", "jobs", number]:
                return next((row for rows in self.jobs.values() for row in rows if str(row["id"]) == number), None)
        return None

    def _rows(self, path: str, query: Mapping[str, str]) -> tuple[str, list[dict[str, Any]]] | None:
        parts = path.strip("/").split("/")
        if parts[:2] in (["orgs", ORG], ["enterprises", "big-corp"]):
            return self._of_org(parts[2:]) if parts[0] == "orgs" else self._of_enterprise(parts[-1])
        if parts[:2] == ["repositories", "7"]:
            parts = ["repos", *REPO.split("/"), *parts[2:]]
        repo = "/".join(parts[1:3])
        if parts[0] != "repos" or repo not in self.runs:
            return None
        match parts[3:]:
            case ["actions", "runners"]:
                return "runners", self.runners
            case ["actions", "runs"]:
                return "workflow_runs", [r for r in self.runs[repo].values() if r["status"] == query.get("status")]
            case ["actions", "runs", run, "jobs"] if run in self.jobs:
                return "jobs", self.jobs[run]
        return None

    def _of_enterprise(self, last: str) -> tuple[str, list[dict[str, Any]]]:
        return ("runners", self.enterprise) if last == "runners" else ("runner_groups", [{"id": 0, "name": "shared"}])

    def _of_org(self, parts: list[str]) -> tuple[str, list[dict[str, Any]]] | None:
        match parts:
            case ["actions", "runners"]:
                return "runners", self.runners
            case ["actions", "runner-groups"]:
                rows = [{"id": n, "name": name, "inherited": False} for n, name in enumerate(self.groups)]
                inherited = [{"id": 99, "name": "shared", "inherited": True}] if self.enterprise else []
                return "runner_groups", [*rows, *inherited]
            case ["actions", "runner-groups", number, "runners"]:
                return "runners", list(self.groups.values())[int(number)]
            case ["repos"]:
                return "", [{"id": n, "full_name": name, "archived": False} for n, name in enumerate(self.runs)]
        return None

    def _token(self, path: str, proof: str) -> Response:
        try:
            options: Any = {"verify_exp": False, "verify_iat": False}
            claims = jwt.decode(proof, self.key.public_key(), algorithms=["RS256"], options=options)
        except jwt.InvalidTokenError:
            return _json(401, {"message": "A JSON web token could not be decoded"})
        if claims["iss"] != "4242" or not claims["iat"] <= self.now < claims["exp"] <= self.now + 600:
            return _json(401, {"message": "Integration not found"})
        if path != "/app/installations/77/access_tokens":
            return _json(404, {"message": "Not Found"})
        token = f"ghs_standin_{len(self.tokens):020}"
        self.tokens.append(token)
        return _json(201, {"token": token, "expires_at": stamp(self.now + self.token_seconds)})

    def _components(self) -> dict[str, Any]:
        found = sample("status_components")
        found["components"][1]["status"] = self.status_word
        return found

    def _limits(self) -> dict[str, str]:
        return {
            "x-ratelimit-limit": "5000",
            "x-ratelimit-remaining": str(max(0, self.remaining)),
            "x-ratelimit-reset": str(int(self.resets_at)),
            "x-ratelimit-resource": "core",
        }


def _links(path: str, query: Mapping[str, str], page: int, last: int) -> dict[str, str]:
    """Like GitHub's own: by the number of the organisation instead of its name."""
    if page >= last:
        return {}
    place = path.replace(f"/orgs/{ORG}", "/organizations/800001")
    rest = "&".join(f"{name}={value}" for name, value in query.items() if name != "page")
    base = f"https://api.github.com{place}?{rest}&page="
    return {"link": f'<{base}{page + 1}>; rel="next", <{base}{last}>; rel="last"'}


def _json(status: int, body: object, headers: Mapping[str, str] | None = None) -> Response:
    content = json.dumps(body)
    return Response(content, status, {"content-type": "application/json; charset=utf-8", **(headers or {})})

"""A stand-in for a Kubernetes API server: versions and conflicts, rights, a token, scale subresources, ARC."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.playground.serving import ABORT, serving

DEPLOYMENT = "/apis/apps/v1/namespaces/ci/deployments/runners/scale"
SCALE_SET = "/apis/actions.github.com/v1alpha1/namespaces/arc-runners/autoscalingrunnersets/linux-2xlarge"


@dataclass
class KubernetesApi:
    """Objects by path. Every change has a new resourceVersion, and a patch that names an older one is a conflict."""

    objects: dict[str, dict[str, dict[str, object]]] = field(default_factory=dict)
    token: str = "cluster-token"
    verbs: frozenset[str] = frozenset({"GET", "PATCH"})
    """What the token may do."""
    silent: bool = False
    """Changes are made, and their answers are lost."""
    interferences: list[dict[str, dict[str, object]]] = field(default_factory=list)
    """What others change right before the next patches arrive: spec and status, or nothing but the version."""
    patches: list[dict[str, object]] = field(default_factory=list)
    reviews: list[dict[str, str]] = field(default_factory=list)
    """The rights that were asked about."""
    reviews_refused: bool = False
    version: int = 100

    def put(self, path: str, spec: dict[str, object], status: dict[str, object]) -> None:
        """An object as it is now."""
        self.version += 1
        metadata: dict[str, object] = {"name": Path(path).name, "resourceVersion": str(self.version)}
        self.objects[path] = {"metadata": metadata, "spec": spec, "status": status}

    def change(self, path: str, parts: dict[str, dict[str, object]]) -> None:
        """Merge into an object."""
        known = self.objects[path]
        self.put(path, {**known["spec"], **parts.get("spec", {})}, {**known["status"], **parts.get("status", {})})

    async def endpoint(self, request: Request) -> Response:
        """GET and PATCH, as the API server answers them."""
        path, verb = request.url.path, request.method
        if request.headers.get("authorization", "") != f"Bearer {self.token}":
            return failure(401, "Unauthorized")
        if path.endswith("/selfsubjectaccessreviews"):
            return await self.reviewed(request)
        if verb not in self.verbs:
            who, what = "system:serviceaccount:ci:tailback", path.split("/")[-2]
            return failure(403, f'{what} is forbidden: User "{who}" cannot {verb.lower()} resource "{what}"')
        if path not in self.objects:
            return failure(404, f'"{Path(path).name}" not found')
        if verb == "PATCH":
            return await self.patched(request, path)
        return JSONResponse(shown(self.objects[path]))

    async def reviewed(self, request: Request) -> Response:
        """Whether the token may do what it asks about; the object must be named as it is."""
        body = await request.json()
        asked = body["spec"]["resourceAttributes"]
        self.reviews.append(asked)
        if self.reviews_refused:
            return failure(403, "selfsubjectaccessreviews.authorization.k8s.io is forbidden")
        return JSONResponse({**body, "status": {"allowed": asked["verb"].upper() in self.verbs}}, 201)

    async def patched(self, request: Request, path: str) -> Response:
        """A JSON merge patch; a conflict when it names an older version."""
        assert request.headers["content-type"] == "application/merge-patch+json"
        body = await request.json()
        if self.interferences:
            self.change(path, self.interferences.pop(0))
        if body["metadata"]["resourceVersion"] != self.objects[path]["metadata"]["resourceVersion"]:
            return failure(409, "the object has been modified; please apply your changes to the latest version")
        if any(number < 0 for number in body["spec"].values()):
            return failure(422, "must be greater than or equal to 0")
        self.patches.append(body["spec"])
        self.change(path, {"spec": body["spec"]})
        if self.silent:
            request.scope["extensions"][ABORT]()
        return JSONResponse(shown(self.objects[path]))


def shown(found: dict[str, dict[str, object]]) -> dict[str, object]:
    """As the API server writes it: a number of replicas that is 0 is left out."""
    spec = {name: value for name, value in found["spec"].items() if (name, value) != ("replicas", 0)}
    return {**found, "spec": spec}


def failure(code: int, message: str) -> Response:
    """A Status object."""
    return JSONResponse({"kind": "Status", "status": "Failure", "message": message, "code": code}, code)


@asynccontextmanager
async def serving_kubernetes(api: KubernetesApi) -> AsyncIterator[str]:
    """The stand-in at a real address, as through a proxy without TLS."""
    async with serving(
        Starlette(routes=[Route("/{path:path}", api.endpoint, methods=["GET", "PATCH", "POST"])])
    ) as url:
        yield url

"""Alertmanager's API v2 for the simulated alerts and silences, in Alertmanager's or Grafana's variant.

It lists what fires and all silences; the parameters that would narrow a listing are ignored.
"""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.playground.fleet.alerting.alerts import AlertBook, FleetAlert
from bot.playground.fleet.alerting.payloads import ALERTMANAGER_RECEIVER, GRAFANA_RECEIVER, generator_url
from bot.playground.fleet.alerting.rules import Flavour, Labels
from bot.playground.fleet.alerting.silences import SilenceRefused, Silences
from bot.playground.fleet.api.wire import written

Endpoint = Callable[[Request], Awaitable[Response]]
PREFIX = {Flavour.ALERTMANAGER: "/api/v2", Flavour.GRAFANA: "/api/alertmanager/grafana/api/v2"}
UNRESOLVED_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class AlertmanagerApi:
    """One flavour of the API; a non-empty `token` must be presented as bearer. Without a `book` nothing fires."""

    flavour: Flavour
    silences: Silences
    book: AlertBook | None
    now: Callable[[], float]
    external_url: Callable[[], str]
    token: str = ""

    def routes(self) -> list[Route]:
        """Return the routes under the flavour's prefix."""
        at = PREFIX[self.flavour]
        return [
            Route(f"{at}/alerts", self._guarded(self._alerts)),
            Route(f"{at}/alerts/groups", self._guarded(self._groups)),
            Route(f"{at}/silences", self._guarded(self._list), methods=["GET"]),
            Route(f"{at}/silences", self._guarded(self._post), methods=["POST"]),
            Route(f"{at}/silence/{{silence_id}}", self._guarded(self._get), methods=["GET"]),
            Route(f"{at}/silence/{{silence_id}}", self._guarded(self._delete), methods=["DELETE"]),
        ]

    def _guarded(self, endpoint: Endpoint) -> Endpoint:
        async def answer(request: Request) -> Response:
            if self.token and request.headers.get("authorization") != f"Bearer {self.token}":
                return JSONResponse({"message": "Unauthorized"}, status_code=401)
            try:
                return await endpoint(request)
            except SilenceRefused as refused:
                return self._refusal(refused)

        return answer

    def _refusal(self, refused: SilenceRefused) -> Response:
        if self.flavour is Flavour.GRAFANA:
            return JSONResponse({"message": refused.reason, "traceID": ""}, status_code=refused.status)
        body: object = refused.reason
        if refused.status == HTTPStatus.UNPROCESSABLE_ENTITY:
            body = {"code": 602, "message": refused.reason}
        return JSONResponse(body, status_code=refused.status)

    async def _alerts(self, _: Request) -> Response:
        return JSONResponse([self._shown(*row) for row in self._found()])

    async def _groups(self, _: Request) -> Response:
        """One group per rule, as in the webhooks."""
        names = ("alertname", "grafana_folder") if self.flavour is Flavour.GRAFANA else ("alertname",)
        groups: dict[Labels, list[dict[str, object]]] = {}
        for row in self._found():
            labels = tuple(pair for pair in row[0].labels_to_match(row[1].breach.labels) if pair[0] in names)
            groups.setdefault(labels, []).append(self._shown(*row))
        receiver = {"name": self._receiver()}
        return JSONResponse(
            [{"labels": dict(labels), "receiver": receiver, "alerts": alerts} for labels, alerts in groups.items()]
        )

    def _receiver(self) -> str:
        return GRAFANA_RECEIVER if self.flavour is Flavour.GRAFANA else ALERTMANAGER_RECEIVER

    def _found(self) -> Iterator[tuple[AlertBook, FleetAlert, list[str]]]:
        """The firing alerts, each with its active silences."""
        if (book := self.book) is not None:
            for labels, alert in sorted(book.alerts.items()):
                if alert.firing:
                    yield book, alert, self.silences.active_for(book.labels_to_match(labels))

    def _shown(self, book: AlertBook, alert: FleetAlert, held: list[str]) -> dict[str, object]:
        return {
            "labels": dict(book.labels_to_match(alert.breach.labels)),
            "annotations": dict(alert.breach.annotations),
            "startsAt": written(alert.starts_at),
            "endsAt": written(alert.updated_at + UNRESOLVED_SECONDS),
            "updatedAt": written(alert.updated_at),
            "fingerprint": alert.fingerprint,
            "generatorURL": generator_url(book.rule, self.external_url()),
            "receivers": [{"name": self._receiver()}],
            "status": {
                "state": "suppressed" if held else "active",
                "silencedBy": held,
                "inhibitedBy": [],
                "mutedBy": [],
            },
        }

    async def _list(self, _: Request) -> Response:
        now = self.now()
        return JSONResponse([s.as_json(now) for s in self.silences.listed()])

    async def _post(self, request: Request) -> Response:
        accepted = 202 if self.flavour is Flavour.GRAFANA else 200
        return JSONResponse({"silenceID": self.silences.post(await request.json())}, status_code=accepted)

    async def _get(self, request: Request) -> Response:
        return JSONResponse(self.silences.get(request.path_params["silence_id"]).as_json(self.now()))

    async def _delete(self, request: Request) -> Response:
        self.silences.expire(request.path_params["silence_id"])
        if self.flavour is Flavour.GRAFANA:
            return JSONResponse({"message": "silence deleted"})
        return Response(status_code=200)

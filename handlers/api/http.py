"""`/api/v1` over HTTP: who asks, which path, and one object with its ETag or a problem document."""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from urllib.parse import parse_qsl, unquote_to_bytes

import structlog
from pydantic_core import to_json
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from bot.context.context import Context
from bot.ports import Unreachable
from handlers.api.access import Access
from handlers.api.endpoints import LONGEST, matched
from handlers.api.openapi import PREFIX, document
from handlers.api.problems import ApiRefused
from handlers.api.reading import Reading
from handlers.http import metrics
from handlers.http.front_door import FrontDoor, address_of

METHODS = ("GET", "HEAD")
LATER, LATER_SECONDS = "The records cannot be read now. Try again later.", 5.0
OPENAPI = "openapi.json"
_CACHING = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}

log = structlog.get_logger()


class AnyTextConvertor(Convertor[str]):
    """The rest of a path, whatever it holds: Starlette's own ends at a line break."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("anything", AnyTextConvertor())


class Api:
    """The API of one web process, as an ASGI application."""

    def __init__(self, context: Context, door: FrontDoor) -> None:
        self._context, self._door, self._access = context, door, Access(context)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._answer(Request(scope, receive))
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        began, asking = self._context.monotonic(), _Asking()
        try:
            response = await self._read(request, asking)
        except ApiRefused as refused:
            response = refused.answer()
            if refused.status == 401:
                await self._door.throttle.wrong(address_of(request), "api", str(refused.__cause__ or ""))
        except Unreachable as error:
            log.warning("API not answered", operation=asking.operation, why=str(error))
            response = ApiRefused(503, LATER, retry_after=LATER_SECONDS).answer()
        if asking.who:
            seconds = round(self._context.monotonic() - began, 3)
            log.info("api", client=asking.who, operation=asking.operation, status=response.status_code, seconds=seconds)
        metrics.API.labels(asking.who, asking.operation, str(response.status_code)).inc()
        return response

    async def _read(self, request: Request, asking: "_Asking") -> Response:
        table, parts = self._context.settings.file.api, _parts(request.scope)
        if table is None:
            raise ApiRefused(404, "There is no API here: tailback.toml has no table [api].")
        if parts == [OPENAPI]:
            asking.operation = "openapi"
            _check_method(request)
            _no_parameters(request)
            return _tagged(request, _openapi(table.url))
        client = self._access.client(request.headers)
        asking.who = client.name
        await self._access.admit(client)
        if (found := matched(parts)) is None:
            raise ApiRefused(404, f"There is no such path. {PREFIX}/{OPENAPI} lists them.")
        endpoint, named = found
        asking.operation = endpoint.operation
        _check_method(request)
        answer = await endpoint.read(Reading(self._access, client), *named, **endpoint.given(_query(request)))
        return _tagged(request, to_json(answer, inf_nan_mode="null"))


@dataclass(slots=True)
class _Asking:
    """What is known of a request so far, for the log."""

    who: str = ""
    operation: str = "unknown"


def _parts(scope: Scope) -> list[str]:
    """The parts of the path below the prefix; a name may hold an encoded slash, so it is split before decoding."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    parts = raw.partition(b"?")[0].rstrip(b"/").split(b"/")[3:]
    try:
        found = [unquote_to_bytes(part).decode() for part in parts]
    except UnicodeDecodeError:
        raise ApiRefused(404, "The path is not valid UTF-8.") from None
    if any(len(part) > LONGEST for part in found):
        raise ApiRefused(404, "The path is too long.")
    return found


def _query(request: Request) -> list[tuple[str, str]]:
    try:
        return parse_qsl(request.url.query, keep_blank_values=True, max_num_fields=20, errors="strict")
    except (ValueError, UnicodeDecodeError):
        raise ApiRefused(400, "The parameters cannot be read.") from None


def _no_parameters(request: Request) -> None:
    if request.url.query:
        raise ApiRefused(400, "This path takes no parameters.")


def _check_method(request: Request) -> None:
    if request.method not in METHODS:
        allow = ", ".join(METHODS)
        raise ApiRefused(405, f"The API only reads. Use {allow}.", allow=allow)


@lru_cache(maxsize=2)
def _openapi(url: str) -> bytes:
    return to_json(document(url))


def _tagged(request: Request, body: bytes) -> Response:
    """The object with its ETag, which depends on nothing but the body; 304 if the client has it."""
    tag = f'"{sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": tag, **_CACHING}
    known = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    if tag in known or "*" in known:
        return Response(None, 304, headers)
    return Response(body, 200, headers, "application/json")

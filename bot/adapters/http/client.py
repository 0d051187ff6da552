"""The HTTP client of back ends: one address each, short time limits, bounded responses, classified failures."""

import base64
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any

import httpx

from bot.adapters.http.bulkhead import Bulkhead, NoTurnError, Trace
from bot.adapters.http.connection import DIRECT, ConnectOptions, transport_to
from bot.adapters.http.json_answer import decoded, message_of
from bot.adapters.http.redaction import credentials, hidden, sendable
from bot.adapters.outages import Outages
from bot.ports import Failure, Unreachable

TOTAL_SECONDS = 8.0
"""Time limit from the call to the last byte, waiting for a slot included; shorter than a worker's lease."""
LARGEST_ANSWER = 8 * 1024 * 1024
LONGEST_PAUSE_SECONDS = 300.0
READS = frozenset({"GET", "HEAD"})
Words = Mapping[str, str] | None
UNSENDABLE = "the token for it has line breaks or letters that no header may have; correct it"

NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError, httpx.UnsupportedProtocol)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A response below 500.

    Redirects, 401, 403 and 429 raise `Unreachable` before, unless the client lists them in `answers`.
    """

    status: int
    body: object
    """The decoded JSON; None if the body is not JSON."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """By lower-case name."""
    content: bytes = field(default=b"", repr=False)
    """The unchanged body."""
    cleaned: Callable[[str], str] = field(default=str, repr=False)
    """Removes secrets."""
    seconds: float = 0.0
    """From the request, without waiting for a slot, to the last byte."""

    @property
    def text(self) -> str:
        """The back end's own explanation: its `error` or `message`, else the start of the body; one line."""
        return message_of(self.body, self.content, self.cleaned)

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


class HttpPool:
    """The HTTP connections of this process, apart for each back end; call `close` at the end."""

    def __init__(self, transport: httpx.AsyncBaseTransport | None = None, total_seconds: float = TOTAL_SECONDS) -> None:
        """`transport` replaces the network in tests.

        httpx logs every URL at INFO, and some URLs are secrets, so its logger is silenced.
        """
        self._total_seconds, self._transport = total_seconds, transport
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self._bulkheads: dict[tuple[str, ConnectOptions, int], Bulkhead] = {}
        self._outages = Outages()

    def http(  # noqa: PLR0913 - what a client of a back end is made of
        self,
        system: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        options: ConnectOptions = DIRECT,
        answers: frozenset[int] = frozenset(),
        seconds: float | None = None,
    ) -> "Http":
        """A client of one back end at `url` (see `base_url`); `headers` are sent with every request.

        `answers` are statuses (304, 401, 403, 429, redirects) that do not raise, because their headers matter.
        `seconds` limits one request; None: as all of these connections. Raises OSError if `ca_file` cannot be read.
        """
        address = httpx.URL(url)
        back_end = (address.netloc.decode(), options, options.version)
        if back_end not in self._bulkheads:
            self._bulkheads[back_end] = self._bulkhead(address, options)
        seconds = seconds or self._total_seconds
        return Http(self._bulkheads[back_end], system, url, headers or {}, seconds, answers, options, self._outages)

    def _bulkhead(self, address: httpx.URL, options: ConnectOptions) -> Bulkhead:
        verify = options.verify  # read now, so that a wrong file is told at the start

        def opened() -> httpx.AsyncClient:
            transport = self._transport or transport_to(options, verify)
            return httpx.AsyncClient(follow_redirects=False, trust_env=False, transport=transport)

        first = httpx.URL(options.proxy) if options.proxy else address
        tls = sum(one.scheme == "https" for one in {address, first})
        port = first.port or (443 if first.scheme == "https" else 80)
        return Bulkhead(opened, first.host, port, steps=1 + tls + bool(options.proxy))

    async def close(self) -> None:
        for bulkhead in self._bulkheads.values():
            await bulkhead.aclose()

    async def __aenter__(self) -> "HttpPool":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


@dataclass(frozen=True, slots=True)
class Http:
    """A client of one back end. A call is one request; it raises `Unreachable` and never retries."""

    bulkhead: Bulkhead = field(repr=False)
    system: str
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    total_seconds: float = TOTAL_SECONDS
    answers: frozenset[int] = frozenset()
    """Statuses among 304, 401, 403, 429 and redirects that the caller handles."""
    options: ConnectOptions = DIRECT
    outages: Outages = field(default_factory=Outages, repr=False)

    async def get(self, path: str = "", params: Words = None, headers: Words = None) -> HttpAnswer:
        """GET; the response may be any status below 500, and need not be JSON."""
        return await self._call("GET", path, headers, params=params or None)

    async def post_form(self, path: str, form: Mapping[str, str]) -> HttpAnswer:
        """POST a form, for a query that is too long for an address; the response as for `get`."""
        return await self._call("POST", path, data=form)

    async def send(
        self, method: str, path: str = "", body: object = None, headers: Words = None, params: Words = None
    ) -> HttpAnswer:
        """Send a JSON document; the response may be any status below 500, and need not be JSON."""
        return await self._call(method, path, headers, json=body, params=params or None)

    async def send_json(self, method: str, path: str = "", body: object = None) -> object:
        """Send a JSON document and return the JSON response; anything but a 2xx with JSON raises Unreachable."""
        answer = await self.send(method, path, body)
        if not answer.ok:
            raise self.problem(f"answered HTTP {answer.status}: {answer.text}", Failure.SHAPE)
        if answer.body is None:
            raise self.problem(f"its answer is not JSON: {answer.text}", unsure(method))
        return answer.body

    def problem(
        self, what: str, failure: Failure, retry_after_seconds: float | None = None, *, remedy: str = ""
    ) -> Unreachable:
        """The error to raise for this system, without any of its secrets."""
        what, remedy = self._clean(what), self._clean(remedy) if remedy else ""
        return Unreachable(self.system, what, remedy=remedy, failure=failure, retry_after_seconds=retry_after_seconds)

    async def _call(self, method: str, path: str, headers: Words = None, **given: Any) -> HttpAnswer:
        """One request with what httpx is `given` for it."""
        return await self.outages.log_outages(self.system, self._request(method, path, headers, given))

    async def _request(self, method: str, path: str, headers: Words, given: Mapping[str, Any]) -> HttpAnswer:
        if path and (not path.startswith("/") or ".." in path.split("/") or "?" in path or "#" in path):
            raise ValueError(f"{path!r} is not a path under the configured address")
        headers = {**await self._renewed(), **(headers or {})}
        sent = {"Accept": "application/json", "Accept-Encoding": "identity", **self.headers, **headers}
        if not sendable(sent):
            raise self.problem(UNSENDABLE, Failure.CREDENTIALS)
        send = partial(self._received, {"method": method, "url": self.url + path, "headers": sent, **given})
        try:
            (response, content), seconds = await self.bulkhead.called(send, self.total_seconds)
        except NEVER_SENT as error:
            raise self._unreached(error) from None
        except TimeoutError as error:
            failure = Failure.UNCONNECTED if isinstance(error, NoTurnError) else unsure(method)
            raise self.problem(f"{self._place} did not answer within {self.total_seconds:g} s", failure) from None
        except httpx.HTTPError as error:
            raise self.problem(
                f"{self._place} did not send a complete answer ({reason(error)})", unsure(method)
            ) from None
        return replace(self._judged(method, response, content, credentials(headers)), seconds=seconds)

    async def _renewed(self) -> dict[str, str]:
        try:
            return await self.options.fresh()
        except (OSError, UnicodeDecodeError) as error:
            what = f"cannot read the token in {self.options.token_file} ({error})"
            raise self.problem(what, Failure.CREDENTIALS, remedy="correct token_file, or let us read it") from None

    async def _received(
        self, arguments: Mapping[str, Any], client: httpx.AsyncClient, trace: Trace
    ) -> tuple[httpx.Response, bytes]:
        connect = self.bulkhead.connect_seconds(self.total_seconds)
        limits = httpx.Timeout(self.total_seconds, connect=connect, pool=connect)
        request = client.build_request(timeout=limits, extensions={"trace": trace}, **arguments)
        response = await client.send(request, stream=True)
        content = bytearray()
        try:
            encoding = response.headers.get("Content-Encoding", "").strip().lower()
            if encoding not in {"", "identity"}:
                what = f"its answer is compressed ({encoding[:20]}), which was not asked for; switch that off there"
                raise self.problem(what, unsure(request.method))
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > LARGEST_ANSWER:
                    what = f"its answer is larger than {LARGEST_ANSWER // 1024**2} MiB"
                    raise self.problem(what, unsure(request.method), remedy="ask for less")
        finally:
            await response.aclose()
        return response, bytes(content)

    def _judged(self, method: str, response: httpx.Response, content: bytes, also: Iterable[str]) -> HttpAnswer:
        status = response.status_code
        headers = {name.lower(): value for name, value in response.headers.items()}
        answer = HttpAnswer(status, decoded(content), headers, content, lambda text: self._clean(text, also))
        if response.is_redirect and status not in self.answers:
            what = f"{self._place} answered with a redirect, and those are not followed"
            raise self.problem(what, Failure.PLACE, remedy="configure the final address")
        if status in {401, 403} - self.answers:
            raise self.problem(f"refused the credentials (HTTP {status}): {answer.text}", Failure.CREDENTIALS)
        if status in {429} - self.answers:
            pause = retry_after(headers.get("retry-after", ""), headers.get("date", ""))
            raise self.problem(f"limits the rate of requests (HTTP 429): {answer.text}", Failure.LATER, pause)
        if status >= 500:
            raise self.problem(f"failed (HTTP {status}): {answer.text}", unsure(method))
        return answer

    def _unreached(self, error: Exception) -> Unreachable:
        proxy = self.options.proxy
        remedy = "check proxy and its login, and that it lets this host through" if proxy else ""
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            remedy = "name the file of the authority that signed its certificate in ca_file"
        if "WRONG_VERSION_NUMBER" in str(error):
            remedy = "write http://, or another port: this one does not speak TLS"
        through = f" through the proxy {httpx.URL(proxy).netloc.decode()}" if proxy else ""
        words = f"cannot be reached at {self._place}{through} ({reason(error)})"
        return self.problem(words, Failure.UNCONNECTED, remedy=remedy)

    @property
    def _place(self) -> str:
        return httpx.URL(self.url).netloc.decode()

    def _clean(self, text: str, also: Iterable[str] = ()) -> str:
        return hidden(text, (*self.headers.values(), *also))


def unsure(method: str) -> Failure:
    """Classify a missing response: a read can be repeated later, a write may have happened."""
    return Failure.LATER if method in READS else Failure.UNKNOWN


def reason(error: Exception) -> str:
    """The error in a few words: its kind, and the system's own text if any."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__).lower()
    return f"{words}: {error}" if str(error) else words


def retry_after(value: str, date: str = "") -> float:
    """Seconds of a Retry-After header, 1 to 300 (C17); 30, about the window of rate limits, if it is unreadable.

    A date is compared with `date`, that of the same answer, so that our clock does not matter.
    """
    try:
        if re.fullmatch(r"\s*-?\d{1,9}(\.\d{1,9})?\s*", value):
            pause = float(value)
        else:
            pause = (parsedate_to_datetime(value) - parsedate_to_datetime(date)).total_seconds()
    except (ValueError, TypeError):
        return 30.0
    return min(max(pause, 1.0), LONGEST_PAUSE_SECONDS)


def basic(login: str) -> dict[str, str]:
    """The header with `user:password`; empty without one."""
    return {"Authorization": f"Basic {base64.b64encode(login.encode()).decode()}"} if login else {}


def bearer(token: str) -> dict[str, str]:
    """The header with a bearer token; empty without one."""
    return {"Authorization": f"Bearer {token}"} if token else {}

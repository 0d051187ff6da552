"""HTTP routes of the page and the test driver: state, live changes, and people's actions, as JSON."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from bot.playground.fleet.scenarios import SCENARIOS
from bot.playground.serving import CLOSING
from bot.playground.slack.page_api.acts import CannotError, ClickOutcome, People
from bot.playground.slack.page_api.screen import screen
from bot.playground.slack.page_api.submissions import Submissions
from bot.playground.slack.record import Log
from bot.playground.slack.settings import AppContext
from bot.playground.slack.wire import Json, SlackError, compact, text

FASTEST = 600
_QUIET_SECONDS = 2.0
_COALESCE_SECONDS = 0.1
_MOST_BYTES = 1_000_000

Act = Callable[[Json], Awaitable[ClickOutcome]]


class _Json(Response):
    """JSON that also carries the lone surrogates a test may have posted."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        """Encodes without blanks."""
        return compact(content).encode("utf-8", "surrogatepass")


def _answer(outcome: ClickOutcome) -> Json:
    if outcome.ok:
        return {"ok": True, "status": outcome.status}
    return {"ok": False, "status": outcome.status, "error": outcome.error}


class Ui:
    """Routes under `/ui`."""

    def __init__(self, slack: AppContext, people: People, submissions: Submissions, log: Log) -> None:
        self._slack = slack
        self._people = people
        self._submissions = submissions
        self._log = log

    def routes(self) -> list[Route]:
        """All routes."""
        acts: Mapping[str, Act] = {
            "click": self._people.click,
            "slash": self._people.slash,
            "say": self._people.say,
            "shortcut": self._people.shortcut,
            "home": self._people.home,
            "close": self._submissions.close,
        }
        return [
            Route("/ui/state", self._state),
            Route("/ui/events", self._events),
            Route("/ui/log", self._read_log),
            Route("/ui/clock", self._post_handler(self._set_rate), methods=["POST"]),
            Route("/ui/story", self._post_handler(self._tell_story), methods=["POST"]),
            Route("/ui/submit", self._post_handler(self._submit), methods=["POST"]),
            *(Route(f"/ui/{name}", self._post_handler(_plain(act)), methods=["POST"]) for name, act in acts.items()),
        ]

    def _post_handler(self, act: Callable[[Json], Awaitable[Json]]) -> Callable[[Request], Awaitable[Response]]:
        """Reads a JSON object and turns what cannot be done into a sentence.

        Only `application/json` is read: another site's page cannot send that here without asking first.
        """

        async def answer(request: Request) -> Response:
            if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
                return JSONResponse({"ok": False, "error": "Send JSON with Content-Type: application/json."}, 415)
            raw = await request.body()
            try:
                body = json.loads(raw) if len(raw) <= _MOST_BYTES else None
            except ValueError:
                body = None
            if not isinstance(body, dict):
                return JSONResponse({"ok": False, "error": "The body must be a JSON object."}, 400)
            try:
                return _Json(await act(body))
            except CannotError as sentence:
                return JSONResponse({"ok": False, "error": str(sentence)})
            except SlackError as refused:
                return JSONResponse({"ok": False, "error": f"Slack would refuse this: {refused.code}."})

        return answer

    async def _submit(self, body: Json) -> Json:
        done = await self._submissions.submit(body)
        return {**_answer(done.outcome), "errors": done.errors} if done.errors else _answer(done.outcome)

    async def _set_rate(self, body: Json) -> Json:
        frame, rate = self._slack.settings.frame, body.get("rate")
        if frame is None or isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= FASTEST:
            raise CannotError(f"The clock of a demo runs at 0 to {FASTEST} times the real speed.")
        frame.clock.run_at(rate)
        self._slack.workspace.touch()
        return {"ok": True}

    async def _tell_story(self, body: Json) -> Json:
        frame, name = self._slack.settings.frame, text(body, "name")
        if frame is None or frame.choose is None or name not in SCENARIOS:
            raise CannotError(f"There is no story {name or '(none given)'} here.")
        frame.choose(name)
        return {"ok": True}

    async def _state(self, request: Request) -> Response:
        query = request.query_params
        seq = self._slack.workspace.seq
        if query.get("since") == str(seq):
            return _Json({"seq": seq, "unchanged": True})
        return _Json(screen(self._slack, query.get("user", "")))

    async def _read_log(self, request: Request) -> Response:
        given = request.query_params.get("since", "0")
        since = int(given) if given.isdigit() else 0
        calls = self._log.calls[since:]
        return _Json({"next": since + len(calls), "requests": [call.public() for call in calls]})

    async def _events(self, request: Request) -> Response:
        extensions = request.scope.get("extensions") or {}
        closing = extensions.get(CLOSING)
        stream = self._changes(closing if isinstance(closing, asyncio.Event) else asyncio.Event())
        return StreamingResponse(stream, media_type="text/event-stream", headers={"cache-control": "no-store"})

    async def _changes(self, closing: asyncio.Event) -> AsyncIterator[str]:
        workspace = self._slack.workspace
        changed = asyncio.Event()
        workspace.on_change.add(changed.set)
        try:
            while not closing.is_set():
                changed.clear()
                yield f"data: {json.dumps({'seq': workspace.seq, 'now': workspace.clock()})}\n\n"
                await _either(changed, closing)
                await asyncio.sleep(_COALESCE_SECONDS)
        finally:
            workspace.on_change.discard(changed.set)


async def _either(changed: asyncio.Event, closing: asyncio.Event) -> None:
    """Waits for one of the two, two seconds at most, so that the page's clock is never far off."""
    waits = [asyncio.create_task(changed.wait()), asyncio.create_task(closing.wait())]
    try:
        await asyncio.wait(waits, timeout=_QUIET_SECONDS, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


def _plain(act: Act) -> Callable[[Json], Awaitable[Json]]:
    async def run(body: Json) -> Json:
        return _answer(await act(body))

    return run

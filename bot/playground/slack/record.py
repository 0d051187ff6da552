"""The append-only log of every request that reached the stand-in: the oracle of tests."""

from dataclasses import asdict, dataclass

from bot.playground.slack.wire import Json


@dataclass(slots=True)
class ApiCall:
    """One request and its outcome.

    `outcome` is `ok`, an error code, `http 503`, or `pending` while it is being answered. `effect` says whether the
    method itself succeeded, whatever the client received. `ts` is the written message, if any.
    """

    number: int
    at_seconds: float
    method: str
    args: Json
    outcome: str = "pending"
    effect: bool = False
    ts: str | None = None
    fault: str | None = None

    def public(self) -> Json:
        """The call as JSON."""
        row = asdict(self)
        return {"at": row.pop("at_seconds"), **row}


@dataclass(slots=True)
class SentRecord:
    """One delivery of the stand-in to the app; `status` 0 means that no answer came, `problem` then says why."""

    number: int
    at_seconds: float
    kind: str
    what: str
    retry: int
    status: int
    problem: str | None


class Log:
    """Calls of the app in the order of their arrival, and deliveries to it."""

    def __init__(self) -> None:
        self.calls: list[ApiCall] = []
        self.sent: list[SentRecord] = []

    def open(self, at_seconds: float, method: str, args: Json) -> ApiCall:
        """Writes down a request the moment it arrives."""
        public = {key: value for key, value in args.items() if key != "token"}
        call = ApiCall(len(self.calls), at_seconds, method, public)
        self.calls.append(call)
        return call

    def of(self, method: str, channel: str | None = None, since: int = 0) -> list[ApiCall]:
        """Calls of one method, from number `since` on, of one channel if it is named."""
        return [
            call
            for call in self.calls[since:]
            if call.method == method and (channel is None or call.args.get("channel") == channel)
        ]

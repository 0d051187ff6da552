"""What every endpoint for senders shares: clocks, limits, and the refusal of a route whose secret is not set."""

from collections.abc import Callable

from starlette.requests import Request

from bot.context.context import Context
from bot.sources.credentials import CredentialVerdict
from handlers.http.body_limits import BodyBudget
from handlers.http.store_or_503 import RequestRefused
from handlers.http.throttle import Throttle


class FrontDoor:
    """One per web process."""

    def __init__(self, context: Context, machine_now: Callable[[], float]) -> None:
        """`machine_now` is this machine's own clock, in epoch seconds."""
        self.context, self._machine_now = context, machine_now
        self.throttle = Throttle(context.monotonic)
        self.body_budget = BodyBudget(context.settings.file.http.max_body_bytes, self.throttle.refusals)

    @property
    def clocks(self) -> tuple[float, float]:
        """The clocks by which a sender's signature may be fresh: that of Redis, and this machine's own."""
        return self.context.now(), self._machine_now()


def closed(setting: str, more: str = "") -> RequestRefused:
    """The refusal of a route that is not in use here: nothing is read of what was sent."""
    return RequestRefused(404, f"{setting} is not set here, so nothing is received at this address{more}", "", setting)


def address_of(request: Request) -> str:
    """Who sends: the connection's other end, or what a proxy in FORWARDED_ALLOW_IPS tells."""
    return request.client.host if request.client else ""


def let_in(verdict: CredentialVerdict | None) -> None:
    """Raise RequestRefused for a request that the headers alone condemn."""
    if verdict is not None and not verdict.ok:
        raise RequestRefused(401, verdict.sentence, verdict.reason)

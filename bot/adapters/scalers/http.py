"""The `http` scaler for your own autoscaler: GET reads the size, PUT sets an absolute target."""

from collections.abc import Mapping

from bot.adapters.build_context import BuildContext, ReachTable, read
from bot.adapters.http.address import BaseUrl
from bot.adapters.http.client import Http, HttpAnswer, bearer
from bot.adapters.scalers.policy import PolicyTable
from bot.core.scaling.limits import ScalePolicy
from bot.ports import Capacity, Failure, Refused

SHAPE = '{"current": 10, "min": 0, "max": 40}'


class HttpScalerTable(PolicyTable, ReachTable):
    url: BaseUrl
    token_env: str = ""


class HttpScaler:
    """A scaler with `GET url` → `{"current", "min", "max"}` and `PUT url` `{"desired": n}`.

    If `current` counts the running machines instead of the target, the answer should also contain `"desired"`.
    """

    def __init__(self, pool: str, http: Http) -> None:
        self._pool, self._http = pool, http

    async def read(self) -> Capacity:
        """The present size; missing figures are None."""
        answer = await self._http.get()
        self._accepted(answer, "reading its size")
        if (capacity := capacity_of(answer.body)) is None:
            raise self._http.problem(
                f"its answer to GET is no size ({answer.text})", Failure.LATER, remedy=f"let it be like {SHAPE}"
            )
        return capacity

    async def set(self, target: int, request_id: str) -> None:
        """Set an absolute target; safe to repeat with the same id. Refused contains the autoscaler's reason."""
        answer = await self._http.send("PUT", "", {"desired": target}, {"Idempotency-Key": request_id})
        self._accepted(answer, f"the target {target:,}")

    def _accepted(self, answer: HttpAnswer, what: str) -> None:
        if not answer.ok:
            raise Refused(f"The scaler of {self._pool} refused {what} (HTTP {answer.status}): {answer.text}")


def capacity_of(body: object) -> Capacity | None:
    """The size in a document; missing figures are None. None if it has no `current`."""
    if not isinstance(body, dict) or whole(body, "current") is None:
        return None
    return Capacity(whole(body, "current"), whole(body, "min"), whole(body, "max"), whole(body, "desired"))


def whole(body: Mapping[str, object], key: str) -> int | None:
    """A number of runners under a key; None for anything else."""
    value = body.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def build(pool: str, place: str, raw: Mapping[str, object], context: BuildContext) -> tuple[HttpScaler, ScalePolicy]:
    table = read(HttpScalerTable, place, raw)
    headers = bearer(context.token(place, "token_env", table.token_env))
    http = context.http(f"Scaler of {pool}", place, table, table.url, headers=headers)
    return HttpScaler(pool, http), table.policy

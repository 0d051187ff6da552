"""The `http` scaler of each simulated pool: its size and an absolute target, idempotent by key."""

from dataclasses import dataclass

from bot.playground.fleet.simulation import OutOfRangeError, SimulatedFleet

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class ScalerAnswer:
    """An HTTP status and its JSON document."""

    status: int
    document: Json


class SimulatedScaler:
    """`current` counts booting, idle and busy runners; `max` is the ceiling, `limit` what the pool may have now."""

    def __init__(self, fleet: SimulatedFleet) -> None:
        self._fleet = fleet
        self._answered: dict[tuple[str, str], tuple[object, ScalerAnswer]] = {}

    def get(self, name: str) -> ScalerAnswer:
        """Return the size of a pool; 404 when it is unknown."""
        if name not in self._fleet.pools:
            return ScalerAnswer(404, {"error": f"no pool named {name}", "pools": list(self._fleet.pools)})
        pool = self._fleet.pools[name]
        document: Json = {
            "current": pool.capacity, "min": pool.spec.minimum, "max": pool.spec.ceiling,
            "limit": self._fleet.limit(name), "desired": pool.target,
        }  # fmt: skip
        return ScalerAnswer(200, document)

    def put(self, name: str, body: object, key: str) -> ScalerAnswer:
        """Set an absolute target. The same key gives the same answer and does nothing again; with another body 409."""
        seen = self._answered.get((name, key)) if key else None
        if seen is not None:
            before, answer = seen
            if before != body:
                return ScalerAnswer(409, {"error": "this Idempotency-Key was used with another body"})
            return answer
        answer = self._put(name, body)
        if key:
            self._answered[name, key] = (body, answer)
        return answer

    def _put(self, name: str, body: object) -> ScalerAnswer:
        found = self.get(name)
        if found.status != 200:
            return found
        desired = body.get("desired") if isinstance(body, dict) else None
        if not isinstance(desired, int) or isinstance(desired, bool):
            return ScalerAnswer(422, {"error": 'send {"desired": n} with a whole number'})
        try:
            self._fleet.set_target(name, desired)
        except OutOfRangeError as refused:
            bounds = {side: found.document[side] for side in ("min", "max")}
            return ScalerAnswer(422, {"error": str(refused), **bounds})
        return ScalerAnswer(200, {**self.get(name).document, "desired": desired})

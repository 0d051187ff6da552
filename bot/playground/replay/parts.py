"""The context of a replay: recorded figures, read-only scalers, Alertmanagers that answer nothing."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.core.alert import Alert, Delivery, Matcher
from bot.core.pool.pool import Snapshot
from bot.core.words import clock
from bot.ports import Capacity, Refused, SilenceFound, Unreachable

SYSTEM = "The recording"
UNTOUCHED = "A replay changes nothing outside."


@dataclass(slots=True)
class ReplayClock:
    """A clock that moves only when told to."""

    at: float
    """Epoch seconds."""

    def now(self) -> float:
        """Epoch seconds; also usable as monotonic time, because it never goes back."""
        return self.at

    def reach(self, at: float) -> None:
        """Move to that time; an earlier one changes nothing."""
        self.at = max(self.at, at)


class RecordedMetrics:
    """A metrics source that returns the newest recorded measurement."""

    def __init__(self, samples: Mapping[str, Sequence[Snapshot]], now: Callable[[], float]) -> None:
        """`samples` by pool, oldest first; `now` gives epoch seconds."""
        self._samples, self._now = samples, now
        self._times = {pool: [sample.at for sample in found] for pool, found in samples.items()}

    def latest(self, pool: str) -> Snapshot | None:
        """The last measurement; None if there is none yet."""
        place = bisect_right(self._times.get(pool, []), self._now())
        return self._samples[pool][place - 1] if place else None

    async def snapshot(self, pool: str) -> Snapshot:
        """The last measurement of the pool with its time. Raises Unreachable before the first one."""
        if (found := self.latest(pool)) is None:
            when = f"before {clock(self._times[pool][0])} UTC" if self._times.get(pool) else "at any time"
            raise Unreachable(SYSTEM, f"no figures of {pool} {when}", remedy="add them to metrics.jsonl")
        return found

    async def history(self, pool: str, since: float, until: float, step_seconds: float) -> tuple[Snapshot, ...]:
        """The measurements of that time, at most one per step."""
        found: list[Snapshot] = []
        for sample in self._samples.get(pool, ()):
            inside = since <= sample.at <= min(until, self._now())
            if inside and (not found or sample.at - found[-1].at >= step_seconds):
                found.append(sample)
        return tuple(found)


class RecordedScaler:
    """A read-only scaler with the recorded number of runners."""

    def __init__(self, pool: str, figures: RecordedMetrics) -> None:
        self._pool, self._figures = pool, figures

    async def read(self) -> Capacity:
        """Online and booting runners; unknown if not recorded."""
        last = self._figures.latest(self._pool)
        online = last.online if last else None
        return Capacity(None if online is None or last is None else online + (last.booting or 0))

    async def set(self, target: int, request_id: str) -> None:  # noqa: ARG002 - the port's shape
        """Raises Refused."""
        raise Refused(UNTOUCHED)


class RecordedAlertmanager:
    """An Alertmanager with addresses that answers nothing."""

    def __init__(self, kind: str, max_silence_seconds: float, addresses: tuple[str, ...]) -> None:
        self.kind, self.max_silence_seconds, self.addresses = kind, max_silence_seconds, addresses

    async def silence(
        self,
        matchers: Sequence[Matcher],  # noqa: ARG002 - the port's shape
        *,
        starts_at: float,  # noqa: ARG002
        ends_at: float,  # noqa: ARG002
        by: str,  # noqa: ARG002
        comment: str,  # noqa: ARG002
    ) -> str:
        """Raises Refused."""
        raise Refused(UNTOUCHED)

    async def find(self, tag: str) -> SilenceFound | None:  # noqa: ARG002 - the port's shape
        """None: silences are not recorded."""
        return None

    async def get(self, silence_id: str) -> SilenceFound | None:  # noqa: ARG002 - the port's shape
        """None."""
        return None

    async def silenced(self) -> tuple[SilenceFound, ...]:
        """None: silences are not recorded."""
        return ()

    async def extend(self, silence_id: str, ends_at: float) -> SilenceFound:  # noqa: ARG002 - the port's shape
        """Raises Refused."""
        raise Refused(UNTOUCHED)

    async def end(self, silence_id: str) -> None:  # noqa: ARG002 - the port's shape
        """Raises Refused."""
        raise Refused(UNTOUCHED)

    async def firing(self) -> tuple[Alert, ...]:
        """Raises Unreachable, because only deliveries are recorded."""
        raise Unreachable(SYSTEM, "what fires besides the recorded webhooks is not known")

    async def groups(self) -> tuple[Delivery, ...]:
        """Raises Unreachable."""
        raise Unreachable(SYSTEM, "what fires besides the recorded webhooks is not known")

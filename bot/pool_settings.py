"""The tables of tailback.toml about pools, and about the signals of their machines and services."""

from typing import Annotated, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from bot.core.pool.outlook import RunnerPrice
from bot.core.signals.signal import Counts, SignalKind
from bot.settings import Period, Seconds, Table, WrongSetting

MACHINE_MATCH, POOL = "$machine_match", "$pool"
"""What stands in a query for the pool's `machine_match` and its name."""


OF_MACHINES = frozenset({"aws_asg"})
"""Kinds of scalers whose numbers are machines; those of all others are runners, unless their table says more."""


def _several(given: object) -> object:
    """One name is written without brackets; an empty one names none."""
    return ((given,) if given else ()) if isinstance(given, str) else given


class PoolTable(Table):
    """`[pool."NAME"]`: common settings; the others belong to the pool's metrics source."""

    model_config = ConfigDict(extra="allow", frozen=True, hide_input_in_errors=True)

    match: dict[str, str] = Field(default_factory=dict)
    metrics: Annotated[tuple[str, ...], BeforeValidator(_several)] = ()
    """Names of its metrics sources; for each figure the first one that knows it wins."""
    floor: int = Field(default=0, ge=0)
    boot_time: Seconds = 180.0
    runners_per_machine: int = Field(default=1, ge=1)
    signals: Annotated[tuple[str, ...], BeforeValidator(_several)] = ()
    """Ready-made signals of known exporters: node_exporter, kubernetes or cloudwatch."""
    machine_match: str = ""
    """How the pool's machines are found in the metrics of such an exporter."""
    alert_wait: Period | None = None
    """Longest wait from which Tailback opens an incident by itself; absent: only alerts do."""
    warn_wait: Seconds | None = None
    """Longest wait of the early warning; absent: learnt from past alerts."""
    warn_queued: int | None = Field(default=None, ge=1)
    """Queued jobs of the early warning."""
    status_url: str = Field(default="", pattern=r"^(https?://\S+)?$", max_length=1000)
    """The CI provider's status page, for a link in messages; never called."""
    scaler: dict[str, object] = Field(default_factory=dict)

    @property
    def figures(self) -> dict[str, object]:
        """The keys of the metrics source: a preset, or single figures."""
        return dict(self.model_extra or {})

    @property
    def runners_together(self) -> int:
        """The runners on one of the machines that the scaler counts; 1 if it counts runners."""
        unit = self.scaler.get("counts") or ("machines" if self.scaler.get("kind") in OF_MACHINES else "runners")
        return self.runners_per_machine if unit == "machines" else 1

    @property
    def price(self) -> RunnerPrice | None:
        """The price of its runners; None without one."""
        cost = self.scaler.get("cost_per_runner_hour")
        return RunnerPrice(float(cost), self.runners_together) if isinstance(cost, int | float) else None

    @property
    def of_the_start(self) -> tuple[object, ...]:
        """What applies from the next start only; empty if nothing does."""
        found = (self.metrics, self.figures, self.scaler, self.signals, self.machine_match)
        return found if any(found) else ()


class SignalTable(Table):
    """`[signal.NAME]`."""

    metrics: str
    """The name of the `[metrics.NAME]` that is asked."""
    kind: SignalKind
    counts: Counts
    query: str = Field(min_length=1)
    pools: list[str] = Field(default_factory=list)
    """Pools that it is about; empty: all."""
    above: float | None = None
    """The value is in trouble above this, ..."""
    below: float | None = None
    """... or below this."""
    __annotations__["for"] = Seconds  # how long it has to last; Python keeps the word for itself
    vars()["for"] = 0.0
    says: str = Field(default="", max_length=200)
    """What is wrong with the machines, as the end of a sentence."""
    remedy: str = Field(default="", max_length=300)
    """What to do."""

    @property
    def lasts(self) -> float:
        """Seconds for which a value has to be in trouble."""
        return float(getattr(self, "for"))

    @model_validator(mode="after")
    def _of_its_kind(self) -> Self:
        limits = [name for name in ("above", "below") if getattr(self, name) is not None]
        if self.counts is Counts.VALUE and len(limits) != 1:
            raise WrongSetting('counts = "value" needs a limit', "add above, or below")
        if self.counts is Counts.MACHINES and (limits or self.lasts):
            surplus = limits[0] if limits else "for"
            raise WrongSetting(f'counts = "machines" takes no {surplus}', "compare inside the query, and drop it")
        return self

"""A forecast, and its score."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from bot.core.statement import Statement

LEAST_FASTER = 1 / 0.9
"""More runners help when they shorten the drain by more than a tenth. Origin: nobody notices less."""


class Lever(StrEnum):
    """What a pool's scaler does when it is asked for N more runners."""

    SIZE = "size"
    """N come after one boot, also while the autoscaler is silent."""
    LIMIT = "limit"
    """They come while the limit is reached."""
    REQUESTS = "requests"
    """They come as launches succeed now."""


@dataclass(frozen=True, slots=True)
class RunnerPrice:
    """What more runners of a pool cost: a machine is paid whole, however many of its runners were asked for."""

    per_runner_hour: float
    """In the currency of the configuration: the price of a machine divided by its runners."""
    together: int = 1
    """Runners that come and go together on one machine; 1 where the back end counts runners."""

    def an_hour(self, runners: int) -> float:
        """What so many more runners cost in an hour."""
        return self.whole(runners) * self.per_runner_hour

    def whole(self, runners: int) -> int:
        """The runners of the machines that so many need."""
        return -(-runners // self.together) * self.together

    def affordable(self, most: float) -> int | None:
        """The most runners that cost no more than that in an hour; None: they are free."""
        machine = self.together * self.per_runner_hour
        return int((most + 1e-9) / machine) * self.together if machine else None  # origin: float errors


MOST_ADDED = 40
"""The largest step of a scaler without one of its own. Origin: the largest of those that dialogs show."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a pool's scaler can do."""

    lever: Lever
    step: int
    """The most runners that it may be asked for at once."""
    maximum: int | None = None
    """The most that the pool may have; those that are offline or failed count. None: nobody knows."""


UNBOUND = Reach(Lever.SIZE, MOST_ADDED)
"""Of a pool whose scaler is not known."""


@dataclass(frozen=True, slots=True)
class ToldByCause:
    """What the first cause says to the model beside the figures."""

    still: bool = False
    """Supply stands still until it is repaired."""
    no_gain: bool = False
    """More runners end no more jobs: they share machines that are short, cost or hurt, or get none of the jobs."""
    fresh: bool = False
    """Machines are short of what a new one has: then new ones end jobs as the others did before."""


NOTHING = ToldByCause()


class Verdict(StrEnum):
    """The kind of a forecast of a queue without any action."""

    INTERVAL = "interval"
    AT_LEAST = "at_least"
    """Only the lower bound says something."""
    GROWING = "growing"
    """It probably does not drain within two days, and gets longer."""
    STALLED = "stalled"
    """The same, and it stays about as long."""
    UNTIL_REPAIRED = "until_repaired"
    """As it is it never drains; the bounds hold if the trouble ends like past ones."""
    NONE = "none"

    @property
    def bounded(self) -> bool:
        """Whether its bounds can be compared with the truth."""
        return self in {Verdict.INTERVAL, Verdict.AT_LEAST, Verdict.UNTIL_REPAIRED}


class Quantiles(NamedTuple):
    """Seconds that something takes at most in 10, 25, 50, 75 and 90 % of what may come; infinite: beyond two days."""

    low: float
    lower: float
    middle: float
    upper: float
    high: float


@dataclass(frozen=True, slots=True)
class Foreseen:
    """The drain of a queue if nobody acts."""

    drains: Quantiles
    today: float
    """The probability that it drains today."""
    stands: bool
    """Whether it probably does not drain today as it is: something has to be repaired first."""
    repaired: Quantiles | None
    """The drain if it were repaired now; None where nothing is to be repaired."""
    grows: bool
    """Whether it will rather be longer in half an hour."""
    times: float
    """How many times sooner it drains with the most runners that may be added at once."""


@dataclass(frozen=True, slots=True)
class AddedRunners:
    """What a number of added runners does."""

    more: int
    drains: Quantiles
    waits: float | None
    """Seconds of the longest wait of the jobs of now; None: some are not served within the horizon."""
    times: float
    """How many times sooner it drains, in the middle of all that may come."""
    low: float
    high: float
    """Its range in 4 of 5 cases."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """A forecast of a pool's queue, never of one job.

    Each bound should be right in 9 of 10 cases, an interval in 4 of 5.
    """

    at: float
    """Epoch seconds of its sample."""
    verdict: Verdict
    queued: int | None = None
    low_seconds: float | None = None
    mid_seconds: float | None = None
    high_seconds: float | None = None
    """From `at` until the queue has drained; None: no such bound."""
    reason: Statement | None = None
    """Why there is no forecast, or its basis."""
    pool: str = ""
    lower_seconds: float | None = None
    upper_seconds: float | None = None
    """The middle half of what may come; None: no such bound."""
    today: float | None = None
    """The probability that the queue drains within 12 h."""
    repaired_seconds: float | None = None
    """How long the drain takes once it is repaired; None: nothing is to be repaired."""
    told: ToldByCause = NOTHING
    """What the first cause said."""
    lasted_seconds: float | None = None
    """How long the trouble had lasted then."""
    added: int = 0
    """The most runners that may be added at once, ..."""
    times_faster: float | None = None
    """... and how many times sooner the queue drains with them; None: unknown."""

    @property
    def helped(self) -> bool | None:
        """Whether more runners shorten the drain by more than a tenth; None: unknown."""
        return None if self.times_faster is None else self.times_faster > LEAST_FASTER


@dataclass(frozen=True, slots=True)
class Calibration:
    """What recent forecasts teach the next ones: factors on both bounds, which 1 leaves unchanged, and a law."""

    low: float
    high: float
    scored: int
    tail: float | None = None
    """Exponent of the law of how long trouble lasts; None: by its age alone, which is 1."""

    @property
    def widen(self) -> float:
        """The factor on each side of an interval, on average."""
        return math.sqrt(self.high / self.low)


UNCALIBRATED = Calibration(1.0, 1.0, 0)


@dataclass(frozen=True, slots=True)
class PooledCalibration:
    """What the forecasts of all pools have taught: every pool's calibration begins with it."""

    id: str
    """Always `all`."""
    known: Calibration = UNCALIBRATED


class LeftOut(StrEnum):
    """Why a forecast was not scored."""

    SCALED = "scaled"
    """Somebody changed the pool's capacity, so the forecast's condition no longer held."""
    UNSEEN = "unseen"
    """The drain was not measured."""
    WAITING = "waiting"
    """Closed by hand before the drain; the pool's record may have the outcome."""


@dataclass(frozen=True, slots=True)
class Score:
    """A forecast and its actual outcome, or why that is unknown."""

    forecast: Forecast
    actual_seconds: float
    """For an unscored forecast, a lower bound: the time until it was given up."""
    held: bool
    """Whether its bounds were right; for stalled and growing: not drained for half an hour."""
    left_out: LeftOut | None = None

    @property
    def ratio(self) -> float | None:
        """Actual over forecast time, 1 is perfect; None if either is unknown."""
        foretold = self.forecast.mid_seconds
        return None if not foretold or self.left_out else self.actual_seconds / foretold


@dataclass(frozen=True, slots=True)
class FirstForecast:
    """The first forecast with a time, and the outcome; in fleet seconds."""

    made_at: float
    """Epoch seconds."""
    low_seconds: float
    high_seconds: float | None
    actual_seconds: float


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """The forecast scores of an incident in a few numbers."""

    held: int = 0
    """Forecasts of a time whose interval was right."""
    timed: int = 0
    """Scored forecasts of a time."""
    left_out: Mapping[LeftOut, int] = field(default_factory=dict)
    """Unscored forecasts of a time, by reason."""
    first: FirstForecast | None = None
    came_true: int = 0
    """Forecasts "stalled" or "growing" that were right."""
    stalled: int = 0
    """Number of such forecasts."""

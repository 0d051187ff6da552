"""CloudWatch as a metrics source: the autoscaler's queue and functions, and metrics of your own by name."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal, Self

from pydantic import Field, model_validator

from bot.adapters.metrics.aws_table import AwsReader, AwsTable, Value
from bot.adapters.metrics.cloudwatch_numbers import CloudwatchNumbers
from bot.adapters.metrics.launch_errors import MOST_CODES, WINDOW_SECONDS
from bot.adapters.prometheus.pool import FRACTIONAL, RATES
from bot.adapters.signals.ask import Answers, SignalQuery
from bot.adapters.source import Given, Listed, Listing, Present, SourceKind
from bot.config import Table, WrongSetting
from bot.core.pool.merge import FIGURES
from bot.core.pool.pool import Gap, Snapshot, Tally
from bot.core.words import listed

LATE_SECONDS = 300.0
"""A newest minute that ended longer ago keeps its own time.

Origin: CloudWatch is up to 3 min behind (docs/integrations/cloudwatch.md#traps), has a value a minute, and is asked
once a minute.
"""
NAMES_SECONDS = 600.0
"""How often the values of a dimension are listed, such as the error codes that ever occurred."""
BY_CODE = "create_failures_by_code"
LAMBDA = "AWS/Lambda"
PARTLY = Gap("create_failures", "no launch was throttled, and CloudWatch does not say whether the cloud refused one")
LISTS = {"waiting", "running", "kinds", "composition", "ended"}
NUMBERS = (
    {*FIGURES}
    - {"provider_up", "scales_on", "rate_seconds", "failures_by_mark", "arrivals_by_source", "usual_by_source"}
    - LISTS
)
"""Figures that a metric can give."""
EVENTS = frozenset({"creates", "registered", "create_failures", BY_CODE, "reruns", "failed_jobs"})
"""Figures of what happened in the window. Every other one is a level, or happens so often a minute (`RATES`)."""
Preset = Literal["github_aws_runners", "pytorch"]


class Metric(Table):
    namespace: str = Field(min_length=1)
    name: str = Field(min_length=1)
    dimensions: dict[str, str] = Field(default_factory=dict)
    stat: Literal["", "Sum", "Average", "Maximum", "Minimum"] = ""
    """`Sum` adds up the last 15 minutes; others take the newest minute. Empty: Sum of events, Maximum of a level."""
    by: str = ""
    """The dimension whose values are counted one by one, for `create_failures_by_code`."""
    adds: str = ""
    """Named so in the figure, when a figure is the sum of several metrics."""


class CloudwatchPool(Table):
    preset: Preset | None = None
    prefix: str = ""
    """`prefix` of github-aws-runners, or `environment` of PyTorch's fork."""
    known_as: str = ""
    """The runner type in PyTorch's metrics; the pool's name when empty."""
    organization: str = ""
    queue: str = ""
    """The SQS queue of launch requests."""
    dead_letter_queue: str = ""
    function: str = ""
    """The Lambda function that launches runners."""
    custom: dict[str, Metric | list[Metric]] = Field(default_factory=dict)
    """Figure → its metric, or several that add up."""

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.preset and not self.prefix:
            raise WrongSetting("the preset needs prefix", "write the prefix of the names in AWS")
        if self.preset == "pytorch" and not self.organization:
            raise WrongSetting("the preset needs organization", "write the GitHub organization")
        if strange := [name for name in self.custom if name not in NUMBERS]:
            raise WrongSetting(f"custom: there is no figure named {listed(strange)}", "check the spelling")
        levels = [
            name
            for name, metrics in self.metrics("").items()
            if name not in {*EVENTS, *RATES} and any(one.stat == "Sum" for one in metrics)
        ]
        if levels:  # a queue of 5 would be one of 75 (AwsWatchman#294)
            what = f"custom.{levels[0]}: the sum of 15 minutes is no {levels[0]}"
            raise WrongSetting(what, 'leave stat out, or write stat = "Maximum"')
        if not self.metrics(""):
            raise WrongSetting("has no figures", "add preset, queue, function or custom")
        return self

    def metrics(self, pool: str) -> dict[str, tuple[Metric, ...]]:
        """The metrics of every available figure; configured ones take precedence over the preset's."""
        made = self.model_copy(update=_names(self)) if self.preset else self
        found: dict[str, tuple[Metric, ...]] = {}
        if made.queue:
            found["requests"] = (_sqs(made.queue, "ApproximateNumberOfMessagesVisible"),)
            found["oldest_request_seconds"] = (_sqs(made.queue, "ApproximateAgeOfOldestMessage"),)
        if made.dead_letter_queue:
            found["dead_requests"] = (_sqs(made.dead_letter_queue, "ApproximateNumberOfMessagesVisible"),)
        if made.function:
            throttles = (_throttles(made.function),)
            found |= {"create_failures": throttles, BY_CODE: throttles}
        if self.preset == "pytorch":
            found |= _pytorch(self.prefix, self.organization, self.known_as or pool)
        given = self.custom.items()
        whole = found | {name: tuple(one) if isinstance(one, list) else (one,) for name, one in given}
        return {name: tuple(_with_stat(name, one) for one in metrics) for name, metrics in whole.items()}


def _with_stat(figure: str, metric: Metric) -> Metric:
    usual = "Sum" if figure in EVENTS or figure in RATES else "Maximum"
    return metric if metric.stat else metric.model_copy(update={"stat": usual})


def _names(keys: CloudwatchPool) -> dict[str, str]:
    """Names that the project of the preset gives its parts; names in the configuration win."""
    queue = f"{keys.prefix}-queued-builds"
    names = {"queue": queue, "function": f"{keys.prefix}-scale-up"}
    if keys.preset == "github_aws_runners":
        names["dead_letter_queue"] = f"{queue}_dead_letter"
    return {name: getattr(keys, name) or usual for name, usual in names.items()}


def _sqs(queue: str, name: str) -> Metric:
    return Metric(namespace="AWS/SQS", name=name, dimensions={"QueueName": queue}, stat="Maximum")


def _throttles(function: str) -> Metric:
    """Launches that the function was not even started for.

    Its errors are none: from github-aws-runners 7.0 on it succeeds in a stock-out, and before it failed at the maximum.
    """
    dimensions = {"FunctionName": function}
    return Metric(namespace=LAMBDA, name="Throttles", dimensions=dimensions, adds=f"Lambda Throttles of {function}")


def _pytorch(environment: str, organization: str, runner_type: str) -> dict[str, tuple[Metric, ...]]:
    """The metrics of pytorch/test-infra's autoscaler (scale-up's metrics.ts).

    Its error codes are not split by runner type, so their names say that they are those of the whole fleet.
    """
    namespace, mine = f"{environment}-scaleUp-dim", {"Org": organization, "RunnerType": runner_type}
    create, seen = "run.runners.perOrg.perRunnerType.create", "run.ghrunners.perOrg.perRunnerType"
    code = Metric(namespace=namespace, name="aws.ec2.perException.runInstances.exception", by="Exception")
    return {
        "creates": (Metric(namespace=namespace, name=f"{create}.success", dimensions=mine),),
        "create_failures": (Metric(namespace=namespace, name=f"{create}.fail", dimensions=mine),),
        BY_CODE: (code,),
        "busy": (Metric(namespace=namespace, name=f"{seen}.busy", dimensions=mine, stat="Maximum"),),
    }


Values = tuple[Metric, tuple[Value, ...] | None]
"""A metric and its values, newest first; none if CloudWatch has none, and None if it gave a part of them."""


class Cloudwatch(Present):
    """The port `Metrics`. The metrics of a pool are one request, the names of its error codes another."""

    def __init__(self, given: Given[AwsTable, CloudwatchPool]) -> None:
        self._aws = AwsReader("CloudWatch", given)
        self._pools = {pool: keys.metrics(pool) for pool, keys in given.pools.items()}
        self._values = {pool: Listing(partial(self._ask, pool), given.now, given.table.every) for pool in self._pools}
        every = (one for figures in self._pools.values() for metrics in figures.values() for one in metrics if one.by)
        self._numbers, self._now = CloudwatchNumbers(self._aws, given.table.every), given.now
        self._names = {_key(one): Listing(partial(self._ask_names, one), given.now, NAMES_SECONDS) for one in every}

    async def snapshot(self, pool: str) -> Snapshot:
        """The pool now. A count without data is 0 only if CloudWatch has the metric; else it is unknown.

        `at` is the end of the minute that `queued` is of, where that is older than usual.
        """
        listed = await self._values[pool].get()
        figures: dict[str, object] = {}
        gaps = list[Gap]()
        for figure, metrics in self._pools[pool].items():
            found = listed.value[figure]
            if any(values is None for _, values in found):
                gaps.append(Gap(figure, "CloudWatch gave only a part of its data"))
            elif figure == BY_CODE:
                sums = ((metric.adds or metric.name, _number(metric, got)) for metric, got in found if got)
                figures[figure] = tuple(Tally(name, number) for name, number in sums if number > 0)
            elif missing := _lacking(metrics, found):
                names = ", ".join(f"{metric.namespace} {metric.name}" for metric in missing)
                gaps.append(Gap(figure, f"CloudWatch has no data of {names}", "correct its name and dimensions"))
            else:
                number = sum(_number(metric, got) / _minutes(figure, metric) for metric, got in found if got)
                if not number and all(metric.namespace == LAMBDA for metric, _ in found):
                    gaps.append(PARTLY)
                else:
                    figures[figure] = number if figure in FRACTIONAL else round(number)
        ends = [got[0][0] for metric, got in listed.value.get("queued", []) if got and metric.stat != "Sum"]
        at = min((end for end in ends if listed.at - end > LATE_SECONDS), default=listed.at)
        return Snapshot(pool, at, missing=tuple(gaps), **figures)  # type: ignore[arg-type]  # names of fields

    async def numbers(self, questions: Mapping[str, SignalQuery]) -> Answers:
        return await self._numbers.numbers(questions, self._now())

    async def _ask(self, pool: str, now: float) -> Listed[dict[str, list[Values]]]:
        found = dict[str, list[Values]]()
        figures = [(figure, one) for figure, metrics in self._pools[pool].items() for one in metrics]
        single = [(figure, one) for figure, metric in figures for one in await self._single(metric)]
        queries = [(one.namespace, one.name, one.dimensions, one.stat) for _, one in single]
        values = await self._aws.values(queries, now, WINDOW_SECONDS, 60)
        for (figure, one), got in zip(single, values, strict=True):
            found.setdefault(figure, []).append((one, got))
        return Listed({figure: found.get(figure, []) for figure, _ in figures}, now)

    async def _single(self, metric: Metric) -> list[Metric]:
        """A metric with `by` as one metric per value of that dimension."""
        if not metric.by:
            return [metric]
        names = (await self._names[_key(metric)].get()).value
        whole = "" if metric.dimensions else " (all pools)"
        made = ({"dimensions": {**metric.dimensions, metric.by: name}, "adds": f"{name}{whole}"} for name in names)
        return [metric.model_copy(update=one) for one in made]

    async def _ask_names(self, metric: Metric, now: float) -> Listed[tuple[str, ...]]:
        """The values of a dimension in the last two weeks, from the first page of CloudWatch's list."""
        known = [{"Name": name, "Value": value} for name, value in metric.dimensions.items()]
        answer = await self._aws.read(
            "cloudwatch", "list_metrics", Namespace=metric.namespace, MetricName=metric.name, Dimensions=known
        )
        dimensions = {metric.by, *metric.dimensions}
        rows = ({one["Name"]: one["Value"] for one in row.get("Dimensions", [])} for row in answer.get("Metrics", []))
        return Listed(tuple(sorted(row[metric.by] for row in rows if {*row} == dimensions))[:MOST_CODES], now)


def _number(metric: Metric, values: tuple[Value, ...]) -> float:
    """A sum is that of the window; any other statistic is the newest minute's."""
    return sum(value for _, value in values) if metric.stat == "Sum" else values[0][1]


def _minutes(figure: str, metric: Metric) -> float:
    """What a number is divided by: a sum of the window is so many times what happens in a minute."""
    return WINDOW_SECONDS / 60 if figure in RATES and metric.stat == "Sum" else 1.0


def _lacking(metrics: Sequence[Metric], found: Sequence[Values]) -> Sequence[Metric]:
    """The metrics without which there is no figure: those of a level, and all where none has data.

    Who counts events writes nothing while there are none, and the others are at least a part.
    """
    if not any(values for _, values in found):
        return metrics
    return [metric for metric, values in found if not values and metric.stat != "Sum"]


def _key(metric: Metric) -> str:
    return metric.model_dump_json()


build = SourceKind(AwsTable, CloudwatchPool, lambda _, keys: keys.metrics(""), Cloudwatch)

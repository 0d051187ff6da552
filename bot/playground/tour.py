"""The guided tour of each story: one step at a time, ticked off by what has happened, with a pointer to the button."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from bot.playground.fleet.alerting.rules import breaches
from bot.playground.fleet.api.standin import BEFORE_SECONDS
from bot.playground.fleet.figures import read
from bot.playground.fleet.scenarios import Scenario
from bot.playground.fleet.simulation import SimulatedFleet

LONGEST_SECONDS = 24 * 3600.0
FRESH_SAMPLES = 3


@dataclass(frozen=True, slots=True)
class TourStep:
    """One step. `done` is the first thing of these that has happened; `point` is the test id of what to press."""

    title: str
    text: str
    done: tuple[str, ...]
    point: str = ""


READ = TourStep(
    "Read the alert",
    "An alert arrives in **#dev-infra** within seconds. Its first message says which pool queues and why.",
    ("opened",),
)
WARNING = TourStep(
    "Read the warning",
    "Tailback posts an early warning in **#dev-infra** before any alert fires.",
    ("warned", "opened"),
)
ACKNOWLEDGE = TourStep(
    "Acknowledge", "Press **Acknowledge**: everybody sees who works on it, and nobody else is paged.",
    ("acked",), "action-ack",
)  # fmt: skip
DIAGNOSE = TourStep(
    "Diagnose",
    "Press **Diagnose**. The answer in the thread lists what was observed.",
    ("diagnosed",),
    "action-diagnose",
)
SCALE = TourStep(
    "Scale up", "Press **Scale up**, and submit the chosen total. Each choice says its effect and cost.",
    ("scaled",), "action-scale_up",
)  # fmt: skip
SILENCE = TourStep(
    "Silence", "Press **Silence** for an hour: the alert stops notifying, and the thread goes on.", ("silenced",),
    "action-silence",
)  # fmt: skip
ASK = TourStep(
    "Ask in the thread", "Open the thread and write **@tailback status**.", ("app_mention",), "thread-composer"
)
COMMAND = TourStep("Ask in the channel", "Write **/queue status** below.", ("/queue",), "composer")
DRAIN = TourStep("Watch it drain", "The thread closes when the queue is empty, not when the alert clears.", ("closed",))

JOB = TourStep(
    "Ask as a developer",
    "Become **dee** (upper left). In the ⋮ menu of the thread's first reply, which links waiting jobs, choose **When "
    "does this job start**. Only dee sees the answer; **Tell me** below it sends one direct message.",
    ("message_action",),
)

STEPS: dict[str, tuple[TourStep, ...]] = {
    "surge": (READ, ACKNOWLEDGE, SCALE, ASK, DRAIN),
    "limit-reached": (
        READ,
        TourStep(
            "Go beyond the limit", "Press **Scale up** and choose 60: so many need a second person.",
            ("approval", "scaled"), "action-scale_up",
        ),
        TourStep(
            "Approve", "Become **chi** (upper left), open the thread, press **Approve**.", ("scaled",), "action-approve"
        ),
        DRAIN,
    ),
    "stockout": (
        READ,
        DIAGNOSE,
        TourStep("Try the wrong thing", "More runners cannot help. Press **Scale up**, choose five more, "
                 "and see what it says.", ("scaled",), "action-scale_up"),
        TourStep("Undo", "In the thread, press **Undo**: the extra runners are given up.", ("lent",),
                 "action-hand_back"),
        JOB,
        DRAIN,
    ),
    "offline-hosts": (READ, DIAGNOSE, SILENCE, DRAIN),
    "provider-outage": (READ, ACKNOWLEDGE, ASK, DRAIN),
    "slower-jobs": (READ, DIAGNOSE, SCALE, DRAIN),
    "hung-jobs": (READ, DIAGNOSE, SILENCE, DRAIN),
    "full-disks": (
        READ,
        TourStep("Count the machines", "Press **Diagnose**. The answer counts the machines without disk.",
                 ("diagnosed",), "action-diagnose"),
        SCALE,
        DRAIN,
    ),
    "early-warning": (
        WARNING,
        TourStep("Act before the alert", "Write **/queue scale linux.2xlarge 54** below, and submit the dialog.",
                 ("view_submission",), "composer"),
        TourStep("See it pass", "The warning says that it passed, and no alert fires. An alert that came first drains.",
                 ("passed", "closed")),
    ),
    "healthy": (COMMAND,),
}  # fmt: skip


def tour(scenario: Scenario, happened: AbstractSet[str], result: str = "") -> list[dict[str, object]]:
    """The steps for the page; each is done when what it waits for, or a later step's, has happened."""
    steps = STEPS[scenario.name]
    shown: list[dict[str, object]] = [
        {"title": one.title, "text": one.text, "point": one.point, "done": not happened.isdisjoint(one.done)}
        for one in steps
    ]
    return [*shown, {"title": "Done", "text": result, "point": "", "done": False}] if result else shown


def left_alone(scenario: Scenario, seed: int) -> float | None:
    """Simulated seconds from the first alert to the empty queue in a second, untouched copy of the fleet."""
    fleet = SimulatedFleet(scenario.pools, scenario.faults, seed, -BEFORE_SECONDS)
    floors = {spec.name: spec.drained_at for spec in scenario.pools if spec.name in scenario.affected}
    fired_at, empty = None, 0
    for second in range(0, int(LONGEST_SECONDS), 60):
        fleet.advance(float(second))
        figures = [read(fleet, name) for name in fleet.pools]
        if fired_at is None and breaches(scenario.rule, figures):
            fired_at = float(second)
        drained = all(one.queued <= floors[one.pool] for one in figures if one.pool in floors)
        empty = empty + 1 if drained and fired_at is not None else 0
        if fired_at is not None and empty == FRESH_SAMPLES:
            return second - fired_at
    return None

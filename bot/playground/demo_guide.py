"""The tour of the demo, for the terminal and the page."""

from bot.playground.fleet.scenarios import Scenario

ALERTED = "In about ten seconds an alert opens a thread in #dev-infra: which pool, which jobs."
WARNED = "In about a quarter of a minute an early warning stands in #dev-infra; the alert fires half a minute later."
CLOCKS = (
    "One second here is {speed:.0f} seconds of the fleet: waits, boots and forecasts are in the fleet's time, "
    "times of day, leases and silences in yours."
)
OTHERS = "Upper left: ana may scale (a large target needs chi to agree), ben may not, a guest may do nothing."


def guide(scenario: Scenario, speed: float) -> list[dict[str, str]]:
    """The steps of the tour, in order."""
    return [
        {"title": scenario.title, "text": f"{scenario.text} {CLOCKS.format(speed=speed)}"},
        {"title": "Read", "text": WARNED if scenario.warned else ALERTED},
        {"title": "Act", "text": scenario.try_this},
        {"title": "Ask", "text": "`/queue status` in a channel, `@tailback status` in a thread, or App Home."},
        {"title": "Be somebody else", "text": OTHERS},
    ]

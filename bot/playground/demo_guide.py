"""The tour of the demo, for the terminal and the page."""

from bot.playground.fleet.scenarios import Scenario

ALERTED = "In about ten seconds an alert opens a thread in #dev-infra: which pool, which jobs."
WARNED = "In about a quarter of a minute an early warning stands in #dev-infra; the alert fires half a minute later."
CLOCK = "The clock of this workspace runs {speed:.0f} times as fast as yours, and every time on the page goes by it."
OTHERS = "Upper left: ana may scale (a large target needs chi to agree), ben may not, a guest may do nothing."


def guide(scenario: Scenario, speed: float) -> list[dict[str, str]]:
    """The steps of the tour, in order."""
    return [
        {"title": scenario.title, "text": f"{scenario.text} {CLOCK.format(speed=speed)}"},
        {"title": "Read", "text": WARNED if scenario.warned else ALERTED},
        {"title": "Act", "text": scenario.try_this},
        {"title": "Ask", "text": "`/queue status` in a channel, `@tailback status` in a thread, or App Home."},
        {"title": "Be somebody else", "text": OTHERS},
    ]

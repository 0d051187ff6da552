"""What the demo tells its visitor to look at, on the terminal and on the page."""

from bot.playground.fleet.scenarios import Scenario


def guide(scenario: Scenario, speed: float) -> list[dict[str, str]]:
    """The steps of one visit, in order."""
    return [
        {"title": scenario.title, "text": f"{scenario.text} One second here is {speed:.0f} seconds of the fleet."},
        {"title": "1. An alert arrives", "text": "Within about ten seconds, in #dev-infra or #ci. Open its thread."},
        {"title": "2. Act", "text": scenario.try_this},
        {
            "title": "3. Ask",
            "text": "Type `/queue status` or `/queue help` in a channel, `@tailback status` in a thread, or open App "
            "Home. Switch the person at the lower left: ana may scale, ben may not, a guest may nothing.",
        },
        {
            "title": "4. The end",
            "text": "When the queue has drained, the thread says so: how long, how bad, who did what.",
        },
    ]

"""What a chart costs: milliseconds and memory to describe, lay out and draw it, and the bytes of the file.

Run with `python -m tests.bench.charts [times]`.
"""

import argparse
import resource
import time
from collections.abc import Callable
from functools import partial
from statistics import median

from bot.adapters.chart_png import drawn
from bot.core.charts.drawing import Drawing
from bot.core.incident.incident import Incident
from bot.core.incident.observe import View
from bot.views.thread.chart import chart
from bot.views.thread.chart_layout import layout
from tests.views.chart_samples import over, several, surge
from tests.views.samples import TIMING

STORIES: dict[str, Callable[[], tuple[Incident, View]]] = {
    "one pool, open, with its forecast": surge,
    "one pool, at the farewell": over,
    "four pools": several,
}


def laid_out(incident: Incident, view: View) -> Drawing:
    """The drawing of a story."""
    made = chart(incident, view, TIMING)
    if made is None:
        raise SystemExit("a story without a chart")
    return layout(made)


def milliseconds(work: Callable[[], object], times: int) -> float:
    """The median of so many runs."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return 1000 * median(taken)


def peak_mebibytes() -> float:
    """The most memory that this process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the table."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("times", nargs="?", type=int, default=30)
    times = asked.parse_args().times
    before = peak_mebibytes()
    print(f"{'':36} {'values':>9} {'pixels':>9} {'file':>8}")
    for name, story in STORIES.items():
        incident, view = story()
        drawing = laid_out(incident, view)
        values = milliseconds(partial(laid_out, incident, view), times)
        pixels = milliseconds(partial(drawn, drawing), times)
        print(f"{name:36} {values:>6.1f} ms {pixels:>6.1f} ms {len(drawn(drawing)) / 1024:>5.0f} kB")
    print(f"memory: {before:.0f} MiB before the first picture, {peak_mebibytes():.0f} MiB at the most")


if __name__ == "__main__":
    main()

"""Draws `particles.svg`, the states of one queue walked ahead and what came: `python docs/images/draw_particles.py`.

The queue is that of a limit that somebody lowered, of the job-level simulator of the benchmarks.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from bot.core.forecast.seen import Seen, seen_of
from bot.core.forecast.state import state_of
from bot.core.forecast.walk import Question, walk
from tests.bench.drains import JobWorld, job_cases
from tests.bench.jobfleet import cases

KIND, SUITE = "limit lowered", "unseen"
WIDTH, HEIGHT, LEFT, MINUTES, SHOWN = 720, 300, 60, 360.0, 30


def line(points: list[tuple[float, float]], most: float, style: str) -> str:
    """A course of (minute, jobs)."""
    at = (
        f"{LEFT + (WIDTH - LEFT) * (60 + minute) / (60 + MINUTES):.1f},{HEIGHT - 30 - (HEIGHT - 50) * jobs / most:.1f}"
        for minute, jobs in points
    )
    return f'<polyline fill="none" {style} points="{" ".join(at)}"/>'


def main() -> None:
    """Write the picture beside this file."""
    place, case = next((place, case) for place in range(20) for case in job_cases(KIND, place, SUITE))
    seen = seen_of(case.series, case.rules, case.ahead[-1])
    if not isinstance(seen, Seen):
        sys.exit("this case has too few samples")
    path = walk(state_of(seen, "linux"), Question(minutes=MINUTES, drained=False)).path
    before = [((s.at - seen.at) / 60, float(s.queued or 0)) for s in case.series if seen.at - s.at <= 3600]
    world, came = JobWorld(cases.case(KIND, place, SUITE)), list[tuple[float, float]]()
    begun: float | None = None
    while begun is None or world.now < begun + 60 * MINUTES:
        sample = world.minute()
        begun = world.now if begun is None and sample and sample.at >= seen.at else begun
        came += [] if begun is None else [((world.now - begun) / 60, float(world.waiting()))]
    most = 1.2 * max(jobs for _, jobs in [*before, *came])
    courses = [list(zip(path.minutes[::5], path.queued[::5, n].clip(max=most), strict=True)) for n in range(SHOWN)]
    drawn = [line(one, most, 'stroke="#8aa" stroke-width="0.7" opacity="0.6"') for one in courses]
    drawn += [
        line(before, most, 'stroke="#246" stroke-width="2.5"'),
        line(came, most, 'stroke="#c40" stroke-width="2"'),
    ]
    hours = [
        f'<text x="{LEFT + (WIDTH - LEFT) * (60 + 60 * hour) / (60 + MINUTES):.0f}" y="{HEIGHT - 8}">{words}</text>'
        for hour, words in ((0, "now"), (2, "in 2 h"), (4, "in 4 h"))
    ]
    text = f'<text x="4" y="16">jobs queued</text><text x="4" y="{HEIGHT - 30}">0</text>'
    words = "\n".join([*drawn, text, *hours])
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    back = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
    Path(__file__).with_name("particles.svg").write_text(f"{head}\n{back}\n{words}\n</svg>\n", "utf-8")


if __name__ == "__main__":
    main()

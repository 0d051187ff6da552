"""Fits the confidence of each rule to how often it is right when it comes first.

Run with `python -m tests.bench.earned [cases per kind]`; it rewrites the table in `bot/diagnosis/earned.py`. Only the
suite `tune` is used; `python -m tests.bench.diagnosis` judges the result on other cases.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping

from bot.diagnosis.earned import KNOTS
from tests.architecture.tree import ROOT
from tests.bench.diagnosis import OFFSETS, Story, suite
from tests.bench.jobfleet.cases import KINDS, PAIRS

PRIOR = 5.0
PLACE = ROOT / "bot/diagnosis/earned.py"
BEGIN, END = "# begin of the table\n", "# end of the table\n"


def fitted(stories: Iterable[Story]) -> dict[str, tuple[float, ...]]:
    """Cause → smoothed frequencies at the knots."""
    seen: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for story in stories:
        for minute in OFFSETS:
            judged = story.at(minute)
            if judged and judged.named:
                top = judged.named[0]
                seen[top.cause].append((top.confidence, top.cause in story.case.causes))
    return {cause: _frequencies(pairs) for cause, pairs in sorted(seen.items())}


def _frequencies(pairs: list[tuple[float, bool]]) -> tuple[float, ...]:
    found: list[float] = []
    for knot in KNOTS:
        near = [(max(0.0, 1 - abs(weight - knot) / 0.15), right) for weight, right in pairs]
        near = [(w if weight > KNOTS[0] or knot > KNOTS[0] else 1.0, right)
                for (w, right), (weight, _) in zip(near, pairs, strict=True)]  # fmt: skip
        right, every = sum(w for w, yes in near if yes), sum(w for w, _ in near)
        found.append(max([(right + PRIOR * knot) / (every + PRIOR), *found[-1:]]))
    return tuple(round(value, 2) for value in found)


def written(table: Mapping[str, tuple[float, ...]], cases: int) -> str:
    """The table's source."""
    rows = "".join(f'    "{cause}": {values},\n' for cause, values in table.items())
    note = f"# python -m tests.bench.earned {cases}: suite tune, judged at the alert, 15 and 45 min after it\n"
    return f"{BEGIN}{note}EARNED: Mapping[str, tuple[float, ...]] = {{\n{rows}}}\n{END}"


def main() -> None:
    """Fit and write."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("cases", nargs="?", type=int, default=12)
    cases = asked.parse_args().cases
    table = fitted(suite([*KINDS, *(" + ".join(pair) for pair in PAIRS)], cases, "tune", table={}))
    source = PLACE.read_text("utf-8")
    text = written(table, cases)
    before, _, rest = source.partition(BEGIN)
    PLACE.write_text(before + text + rest.partition(END)[2], "utf-8")
    print(text)


if __name__ == "__main__":
    main()

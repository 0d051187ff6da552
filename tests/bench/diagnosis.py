"""How often the diagnosis names the true cause on fleets that it was not written for.

Run with `python -m tests.bench.diagnosis [cases per kind] [--suite unseen] [--kind NAME] [--plain]`. With `--plain`
only six figures are told: queued, longest wait, busy, idle and offline runners, and the limit.
"""

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from bot.core.finding import Finding, Moment, Scaling, facts_of
from bot.core.incident.held_cause import judged, remembered
from bot.core.pool.pool import Snapshot
from bot.diagnosis.machines.refused import family
from bot.diagnosis.rank import diagnosed
from bot.diagnosis.registry import RULES
from tests.architecture.tree import ROOT
from tests.bench.jobfleet.cases import KINDS, PAIRS, Case, accepted, case, tellable
from tests.bench.jobfleet.stories import NAME, lived
from tests.bench.table import write

PAGE = ROOT / "docs/design/measured-causes.md"
SCALING = {rule.cause: rule.scaling for rule in RULES}
OFFSETS = (0, 15, 45)
"""Minutes after the alert."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What was named at one moment, likeliest first, and by a rule of thumb."""

    minute: int
    named: tuple[Finding, ...]
    thumb: str
    queues: bool


@dataclass(slots=True)
class Story:
    """One case with all its moments."""

    case: Case
    judged: list[Judged] = field(default_factory=list)
    cpu_seconds: float = 0.0

    def at(self, minute: int) -> Judged | None:
        """The moment at an offset, if jobs still queue."""
        return next((j for j in self.judged if j.minute == minute and (j.queues or not self.case.causes)), None)

    @property
    def changes(self) -> int:
        """How often the first cause changed within the hour."""
        firsts = [j.named[0].cause for j in self.judged if j.named]
        return sum(a != b for a, b in pairwise(firsts))


def tell(one: Case) -> Story:
    """Live the case and diagnose it each minute."""
    story, held = Story(one), None
    for moment in lived(one):
        begun = time.process_time()
        last = moment.pools[NAME].samples[-1]
        every = facts_of(list(moment.pools), moment.pools, moment.rules, Moment(moment.now, 60.0))
        found = diagnosed(next(f for f in every if f.pool == NAME))
        held = judged(held, found, last.at, last.queued)
        named = remembered(held, found).claims
        story.cpu_seconds += time.process_time() - begun
        story.judged.append(Judged(moment.minute, named, by_thumb(last), bool(last.queued)))
    return story


def by_thumb(now: Snapshot) -> str:
    """What a person reads from a dashboard without knowing the past: the honest baseline."""
    if now.create_failures_by_code:
        return family(max(now.create_failures_by_code, key=lambda c: c.number).name)
    if now.idle:
        return "unassigned"
    if now.offline:
        return "offline"
    if now.creates and now.registered == 0:
        return "unregistered"
    if now.limit is not None and (now.busy or 0) + (now.booting or 0) >= 0.93 * now.limit:
        return "limit"
    return "surge"


@dataclass(slots=True)
class Count:
    """Right answers out of those asked."""

    right: int = 0
    asked: int = 0

    def add(self, right: bool) -> None:
        """One more."""
        self.right, self.asked = self.right + right, self.asked + 1

    def __str__(self) -> str:
        return f"{self.right / self.asked:4.0%} of {self.asked}" if self.asked else "-"


def is_right(story: Story, judged: Judged, first: int) -> bool:
    """Whether a true cause is among the first ones; where nothing is wrong, whether nothing was claimed."""
    names = [finding.cause for finding in judged.named]
    return bool(set(names[:first]) & set(accepted(story.case))) if story.case.causes else not names


def table(stories: Sequence[Story]) -> dict[str, Count]:
    """The figures of the goals."""
    found: dict[str, Count] = defaultdict(Count)
    for story in stories:
        for minute in OFFSETS:
            judged = story.at(minute)
            if judged is None:
                continue
            if not story.case.causes:
                found["no claim where nothing is wrong"].add(is_right(story, judged, 1))
                continue
            high = [one for one in judged.named[:1] if one.sureness == "high"]
            if judged.named and (helps := judged.named[0].scaling) is not Scaling.UNKNOWN:
                found["do more runners help"].add(helps in {SCALING[cause] for cause in story.case.causes})
            for one in high:
                found["high is right"].add(one.cause in accepted(story.case))
                found[f"high is right, exporter {story.case.exporter}"].add(one.cause in accepted(story.case))
            if story.case.exporter != "plain" and not tellable(story.case):
                found["named wrongly where the figures cannot tell"].add(
                    bool(judged.named) and not is_right(story, judged, 1)
                )
                continue
            found[f"first, {minute} min"].add(is_right(story, judged, 1))
            found[f"first two, {minute} min"].add(is_right(story, judged, 2))
            found[f"by thumb, {minute} min"].add(judged.thumb in accepted(story.case))
            found[f"exporter {story.case.exporter}, first"].add(is_right(story, judged, 1))
    return found


def matrix(stories: Iterable[Story], minute: int, *, can_tell: bool = True) -> dict[str, Counter[str]]:
    """Kind → what was named first instead, at an offset."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for story in stories:
        plain = story.case.exporter == "plain"
        if (judged := story.at(minute)) is not None and (tellable(story.case) or plain) is can_tell:
            found[story.case.kind][judged.named[0].cause if judged.named else "-"] += 1
    return found


def suite(kinds: Sequence[str], cases: int, name: str, *, plain: bool = False) -> list[Story]:
    """All cases; those that came to no alert are left out."""
    every = (case(kind, number, name) for kind in kinds for number in range(cases))
    told = (tell(replace(one, exporter="plain") if plain else one) for one in every)
    return [story for story in told if story.judged]


def document(stories: Sequence[Story], real: Sequence[Story], cases: int) -> list[str]:
    """The figures, the reliability of the confidence and the confusion matrix as Markdown."""
    command = f"python -m tests.bench.diagnosis {cases} --write"
    lines = [f"Written by `{command}` on {len(stories)} incidents of the suite `unseen` and {len(real)} of `trace`."]
    lines += ["", "| measure | made-up jobs | real jobs |", "|---|---|---|"]
    made_up, traced = table(stories), table(real)
    lines += [f"| {what} | {str(made_up[what]).strip()} | {str(traced[what]).strip()} |" for what in sorted(made_up)]
    changes = "changes of the first cause in an hour, median"
    lines += [f"| {changes} | {_changes(stories)} | {_changes(real)} |", ""]
    lines += ["| named with | right | |", "|---|---|---|"]
    for sureness in ("high", "medium", "low"):
        count = Count()
        for story, one in ((s, j) for s in stories for m in OFFSETS if (j := s.at(m)) and j.named):
            if one.named[0].sureness == sureness:
                count.add(one.named[0].cause in accepted(story.case))
        bar = "█" * round(20 * count.right / count.asked) if count.asked else ""
        lines.append(f"| {sureness} | {str(count).strip()} | {bar} |")
    lines += ["", "| trouble | named first at the alert | named first 45 min later |", "|---|---|---|"]
    first, last = matrix(stories, 0), matrix(stories, 45)
    lines += [f"| {kind} | {_named(first[kind])} | {_named(last[kind])} |" for kind in first]
    return lines


def _changes(stories: Sequence[Story]) -> int:
    return sorted(story.changes for story in stories)[len(stories) // 2]


def _named(counts: Counter[str]) -> str:
    return ", ".join(f"`{name}` {n}" if name != "-" else f"nothing {n}" for name, n in counts.most_common()) or "-"


def main() -> None:
    """Print the figures, and per kind what was named first."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("cases", nargs="?", type=int, default=6)
    asked.add_argument("--suite", default="unseen")
    asked.add_argument("--kind", action="append")
    asked.add_argument("--plain", action="store_true", help="tell six plain figures only")
    asked.add_argument("--write", action="store_true", help="write the figures into the docs")
    given = asked.parse_args()
    kinds = given.kind or [*KINDS, *(" + ".join(pair) for pair in PAIRS)]
    stories = suite(kinds, given.cases, given.suite, plain=given.plain)
    if given.write:
        write(PAGE, document(stories, suite(kinds, given.cases, "trace"), given.cases))
    for minute in OFFSETS:
        print(f"named first, {minute} min after the alert (of {given.cases} cases of a kind)")
        for kind, counts in matrix(stories, minute).items():
            print(f"  {kind:<24}{', '.join(f'{name} {n}' for name, n in counts.most_common())}")
    print("named first at the alert where the exporter hides the figures that would tell")
    for kind, counts in matrix(stories, 0, can_tell=False).items():
        print(f"  {kind:<24}{', '.join(f'{name} {n}' for name, n in counts.most_common())}")
    for what, count in sorted(table(stories).items()):
        print(f"{what:<48}{count}")
    moments = sum(len(story.judged) for story in stories)
    print(f"{'changes of the first cause in an hour, median':<48}{_changes(stories)}")
    print(f"{'ms of CPU per diagnosis':<48}{1000 * sum(s.cpu_seconds for s in stories) / moments:.1f}")


if __name__ == "__main__":
    main()

"""Prints the structure: `python -m tests.architecture [RULE]` lists the breaches of one rule, `numbers` the numbers."""

import sys
from collections import Counter

from tests.architecture import numbers
from tests.architecture.imports import PACKAGES, behavior_imports, package_of
from tests.architecture.layout import BEHAVIORS, BESIDE, HANDLERS, LAYERS, NEIGHBORS
from tests.architecture.rules import RULES
from tests.architecture.tree import Project, project
from tests.architecture.words import sentences


def main(arguments: list[str]) -> int:
    """Prints the overview, or with the name of a rule each of its breaches; the status is 1 when there are any."""
    whole = project()
    if not arguments:
        print("\n".join(overview(whole)))
        return 0
    if arguments == ["numbers"]:
        lines, status = numbers.report(whole)
        print("\n".join(lines))
        return status
    chosen = [rule for rule in RULES if rule.__name__ in arguments]
    if len(chosen) != len(arguments):
        print(f"There is no such rule. There are: {', '.join(rule.__name__ for rule in RULES)}")
        return 2
    found = [line for rule in chosen for line in rule(whole)]
    print("\n".join(found))
    return 1 if found else 0


def overview(whole: Project) -> list[str]:
    """Packages by layer, imports between behaviors, and sentences by package."""
    by_package = Counter(package_of(module.name) for module in whole.modules() for _ in sentences(module))
    return [
        *("Layers, lowest first; a package imports what is above it in this list", "", *layers(whole), ""),
        *("Imports between behaviors", "", *between_behaviors(whole), ""),
        f"Sentences: {by_package['bot.views']} in bot.views, {sum(by_package[one] for one in BEHAVIORS)} in behaviors",
    ]


def layers(whole: Project) -> list[str]:
    modules, lines = Counter[str](), Counter[str]()
    for module in whole.modules():
        modules[package_of(module.name)] += 1
        lines[package_of(module.name)] += module.text.count("\n")
    rows = []
    for number, layer in enumerate([*LAYERS, BESIDE, (HANDLERS,)], 1):
        for package in layer:
            rows.append(f"  {number}  {package:<18} {modules[package]:>4} modules {lines[package]:>7,} lines")
    rows += [f"  ?  {package:<18} {modules[package]:>4} modules" for package in modules if package not in PACKAGES]
    product = sum(lines.values())
    return [
        *rows,
        f"     the product has {product:,} lines, {product - lines['bot.playground']:,} without the playground",
    ]


def between_behaviors(whole: Project) -> list[str]:
    """One line for each import from one behavior into another, with its reason."""
    found = sorted(set(behavior_imports(whole)))
    return [f"  {a} -> {b}: {NEIGHBORS.get((a, b), 'NOT LISTED')}" for a, b in found] or ["  none"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

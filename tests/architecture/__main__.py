"""Prints the structure: `python -m tests.architecture [RULE]`, where RULE lists the breaches of one rule."""

import ast
import sys
from collections import Counter

from tests.architecture.code import class_names_once, short_functions
from tests.architecture.imports import PACKAGES, behavior_imports, package_of
from tests.architecture.layout import ALLOWED_FOR_NOW, BEHAVIORS, BESIDE, HANDLERS, LAYERS, NEIGHBORS
from tests.architecture.rules import RULES
from tests.architecture.tree import Project, project
from tests.architecture.words import sentences


def main(arguments: list[str]) -> int:
    """Prints the overview, or with the name of a rule each of its breaches; the status is 1 when there are any."""
    whole = project()
    if not arguments:
        print("\n".join(overview(whole)))
        return 0
    chosen = [rule for rule in RULES if rule.__name__ in arguments]
    if len(chosen) != len(arguments):
        print(f"There is no such rule. There are: {', '.join(rule.__name__ for rule in RULES)}")
        return 2
    found = [line for rule in chosen for line in rule(whole)]
    print("\n".join(found))
    return 1 if found else 0


def overview(whole: Project) -> list[str]:
    """Packages by layer, imports between behaviors, and the figures that have to be small."""
    return [
        *("Layers, lowest first; a package imports what is above it in this list", "", *layers(whole), ""),
        *("Imports between behaviors", "", *between_behaviors(whole), ""),
        *("Figures", "", *figures(whole)),
    ]


def layers(whole: Project) -> list[str]:
    """One line for each package: modules and lines."""
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


def figures(whole: Project) -> list[str]:
    """How often each rule is broken, and the sentences by package."""
    by_package = Counter(package_of(module.name) for module in whole.modules() for _ in sentences(module))
    classes = sum(len(module.nodes(ast.ClassDef)) for module in whole.modules())
    known = {
        "functions over 40 lines": sum(1 for _ in short_functions(whole)),
        f"class names used twice (of {classes})": sum(1 for _ in class_names_once(whole)),
        "sentences in bot.core": by_package["bot.core"],
        "sentences in bot.diagnosis": by_package["bot.diagnosis"],
        "sentences in behaviors": sum(by_package[package] for package in BEHAVIORS),
        "sentences in bot.views": by_package["bot.views"],
    }
    rules = {
        rule.__name__: (count, ALLOWED_FOR_NOW.get(rule.__name__, 0))
        for rule in RULES
        if (count := sum(1 for _ in rule(whole)))
    }
    return [
        *(f"  {name:<36} {count:>5}" for name, count in known.items()),
        *(f"  rule {name:<31} {count:>5} breaches, {most} allowed for now" for name, (count, most) in rules.items()),
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

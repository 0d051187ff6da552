"""The rules of imports: packages lie in layers, imports go down, and each library has its place."""

from collections.abc import Iterator, Mapping

from tests.architecture.layout import (
    BEHAVIORS,
    BESIDE,
    CIRCLES,
    GROUND,
    HANDLERS,
    LAYERS,
    LAZY,
    LIBRARIES,
    NEIGHBORS,
    PLAYGROUND_USERS,
    PURE,
    PURE_LIBRARIES,
    PURE_NAMES,
    WIRING,
)
from tests.architecture.tree import PRODUCT, Import, Module, Project, under

PACKAGES = (*(package for layer in LAYERS for package in layer), *BESIDE, HANDLERS)
SLACK_CLIENTS = [f"slack_sdk.{part}" for part in ("web", "webhook", "http_retry", "socket_mode", "scim", "audit_logs")]


def package_of(name: str) -> str:
    """The package of the layout that a module belongs to; its first two parts when the layout has no such package."""
    return next((package for package in PACKAGES if under(name, [package])), ".".join(name.split(".")[:2]))


def below(package: str) -> tuple[str, ...]:
    """The packages that this one may import besides itself."""
    if package == HANDLERS:
        return PACKAGES
    if package in BESIDE:
        return ("bot.core", *LAYERS[1], *GROUND)
    height = next(number for number, layer in enumerate(LAYERS) if package in layer)
    return tuple(lower for layer in LAYERS[:height] for lower in layer)


def pure_packages(project: Project) -> Iterator[str]:
    """core, sources, diagnosis and views import the standard library, JSON, numpy, core and themselves: no I/O."""
    for module in project.modules(*PURE):
        own = package_of(module.name)
        for imported in module.imports:
            inside = under(imported.module, ["bot.core", own]) or is_listed(project, module, imported)
            pure = imported.name in PURE_NAMES or imported.top in PURE_LIBRARIES
            if not imported.is_standard and not pure and not inside:
                remedy = f"{own} is pure: pass the value in, or move the code to a higher layer"
                yield module.at(imported, f"imports {imported.module}; {remedy}")


def libraries_in_their_place(project: Project) -> Iterator[str]:
    """A library of the outside world is imported only by its packages; slack_sdk's clients belong to the adapters."""
    for module in project.modules():
        for imported in module.imports:
            allowed = LIBRARIES.get(imported.top)
            if under(imported.module, SLACK_CLIENTS) or (imported.top == "slack_sdk" and "Client" in imported.name):
                allowed = ("bot.adapters",)
            if allowed is not None and not under(module.name, allowed):
                yield module.at(imported, f"imports {imported.module}; only {' and '.join(allowed)} may: use a port")


def layers(project: Project) -> Iterator[str]:
    """Imports go down: a package imports the layers below it, and no neighbor but those that NEIGHBORS lists."""
    for module in project.modules():
        own = package_of(module.name)
        if own not in PACKAGES:
            if own != "bot":
                yield module.at(1, f"is in no known package ({own}); see LAYERS in tests/architecture/layout.py")
            continue
        allowed = [own, *below(own), "bot"] if own == HANDLERS else [own, *below(own)]
        wrong = {
            project.target(imported): imported
            for imported in reversed(module.imports)
            if imported.top in PRODUCT and not is_listed(project, module, imported)
        }
        for package, imported in reversed(wrong.items()):
            if under(package, allowed):
                continue
            remedy = (
                "move what both need down" if package_of(package) in neighbors_of(own) else "turn the import around"
            )
            yield module.at(imported, f"{own} imports {package}, which is not below it; {remedy}")


def neighbors_of(package: str) -> tuple[str, ...]:
    """The packages in the same layer."""
    return next((layer for layer in LAYERS if package in layer), ())


def is_listed(project: Project, module: Module, imported: Import) -> bool:
    """Whether this import between neighbors is one of the exceptions."""
    return (module.name, project.target(imported)) in NEIGHBORS


def listed_neighbors_are_used(project: Project) -> Iterator[str]:
    """An exception of NEIGHBORS that no import needs any more is removed."""
    used = {(module.name, project.target(imported)) for module in project.modules("bot") for imported in module.imports}
    for module, imported in NEIGHBORS.keys() - used if project.modules("bot") else ():
        yield f"tests/architecture/layout.py:1: {module} does not import {imported} any more; take it out of NEIGHBORS"


def behavior_imports(project: Project) -> Iterator[tuple[str, str]]:
    """Each import from one behavior into another: (importing module, imported module)."""
    for module in project.modules(*BEHAVIORS):
        others = [package for package in BEHAVIORS if package != package_of(module.name)]
        for target in sorted({project.target(imported) for imported in module.imports}):
            if under(target, others):
                yield module.name, target


def adapters_are_handed_in(project: Project) -> Iterator[str]:
    """bot never imports handlers; adapters are imported only by the wiring and by each other."""
    for module in project.modules():
        for imported in module.imports:
            target = project.target(imported)
            if under(module.name, ["bot"]) and under(target, ["handlers"]):
                yield module.at(imported, f"imports {target}; handlers call bot, never the other way round")
            if under(target, ["bot.adapters"]) and not under(module.name, [*WIRING, "bot.adapters"]):
                yield module.at(imported, f"imports {target}; let the wiring choose the adapter and pass it in")


def playground_is_apart(project: Project) -> Iterator[str]:
    """The playground is a second product: only the command line, the demo and the replay open it."""
    for module in project.modules():
        if under(module.name, ["bot.playground", *PLAYGROUND_USERS]):
            continue
        for imported in module.imports:
            if under(project.target(imported), ["bot.playground"]):
                yield module.at(imported, f"imports {project.target(imported)}; only PLAYGROUND_USERS may")


def imports_at_the_top(project: Project) -> Iterator[str]:
    """No import inside a function but in LAZY, and no TYPE_CHECKING: both hide cycles."""
    for module in project.modules():
        for imported in module.imports:
            if imported.local and module.name not in LAZY:
                yield module.at(imported, f"imports {imported.module} below the top; import it at the top")
            if imported.name == "TYPE_CHECKING":
                yield module.at(imported, "uses TYPE_CHECKING; move the type to a lower layer")


def no_cycles(project: Project) -> Iterator[str]:
    """No file imports itself through others."""
    known = project.names
    arrows = {
        module.name: {project.target(imported) for imported in module.imports} & known - {module.name}
        for module in project.modules()
    }
    circle = in_circles(arrows)
    for module in project.modules():
        if module.name in circle:
            others = ", ".join(sorted(circle[module.name]))
            yield module.at(1, f"is in a cycle through {others}; move what both need to a lower file")


def no_circles_of_folders(project: Project) -> Iterator[str]:
    """Among the folders and modules of one package imports go one way: each of them can be replaced as a whole."""
    packages = {package for module in project.modules() for package in parents(module.name)}
    for package in sorted(packages - CIRCLES.keys()):
        circle = in_circles(arrows_between_parts(project, package))
        for part in sorted(circle):
            others = ", ".join(sorted(circle[part]))
            path = f"{part.replace('.', '/')}{'.py' if part in project.names else ''}"
            yield f"{path}:1: is in a circle through {others}; move what both need to a lower place in {package}"


def arrows_between_parts(project: Project, package: str) -> dict[str, set[str]]:
    """The imports between the folders and modules that lie directly in a package: importing part, imported parts."""
    arrows: dict[str, set[str]] = {}
    for module in project.modules(package):
        own = part_of(package, module.name)
        targets = {project.target(imported) for imported in module.imports}
        found = {part_of(package, name) for name in targets if under(name, [package]) and name != package}
        arrows.setdefault(own, set()).update(found - {own})
    return arrows


def part_of(package: str, name: str) -> str:
    """The folder or module directly in the package that this name is, or lies in."""
    return ".".join(name.split(".")[: package.count(".") + 2])


def parents(name: str) -> Iterator[str]:
    """The packages that a module lies in, the product's two roots included."""
    parts = name.split(".")
    yield from (".".join(parts[:end]) for end in range(1, len(parts)))


def in_circles(arrows: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """What is left when all that imports nothing, or is imported by nothing, is taken away again and again."""
    left = dict(arrows)
    idle = set(left)
    while idle:
        used = {name for targets in left.values() for name in targets}
        idle = {name for name, targets in left.items() if name not in used or not targets & left.keys()}
        left = {name: targets - idle for name, targets in left.items() if name not in idle}
    return left

"""The rules of words: no decision depends on how something is worded, and core and diagnosis hold no sentences."""

import ast
import re
import string
from collections.abc import Iterator

from tests.architecture.layout import LEAST_WORDS, TEXT_READERS, WORDED_TESTS
from tests.architecture.tree import Module, Project, is_docstring, last_name, under

TEXT_PACKAGES = ("bot.sources", "bot.adapters", "bot.views", "bot.playground")
"""What other systems send, and what people read, is text; here it is read and written."""
WORDLESS = ("bot.core", "bot.diagnosis")
TAKES_APART = {
    *("startswith", "endswith", "removeprefix", "removesuffix"),
    *("partition", "rpartition", "split", "rsplit"),
}
PATTERNS = {"re", "fnmatch"}
PROGRAMMER_ERRORS = {
    *("AssertionError", "KeyError", "LookupError", "NotImplementedError", "RuntimeError", "TypeError", "ValueError")
}
TOKEN = re.compile(r"\{\}|[^\W\d_]")
FILLED = re.compile(r"\{[^{}]*\}")
"""What a template fills in."""
LETTERS = re.compile(r"[^\W\d_]{2,}")


def decisions_on_text(project: Project) -> Iterator[str]:
    """Nothing is decided by the wording of a text: what is decided on is an id, an enum or a number.

    Outside sources, adapters, views and the playground there is no regular expression, no call that takes a string
    apart (startswith, partition, split at a separator, ...), and no comparison with a string that has a blank in it or
    with a constant that holds one. Comparing with a plain identifier, such as `kind == "pool"`, is fine. The modules
    in TEXT_READERS read what a person or a protocol wrote.
    """
    sentences = {name for module in project.modules() for name in constants_with_blanks(module)}
    for module in project.modules():
        if under(module.name, TEXT_PACKAGES) or module.name in TEXT_READERS:
            continue
        for imported in module.imports:
            if imported.module in PATTERNS:
                yield module.at(imported, f"imports {imported.module}; decide on a value, not on a text")
        for call in module.nodes(ast.Call):
            if isinstance(call.func, ast.Attribute) and call.func.attr in TAKES_APART and call.args:
                yield module.at(call, f"takes a text apart with {call.func.attr}(); keep its parts as values")
        for node in module.nodes(ast.Compare):
            if any(is_text(value, sentences) for value in (node.left, *node.comparators)):
                yield module.at(node, f"compares with a text ({ast.unparse(node)[:60]}); compare ids")
        for case in module.nodes(ast.MatchValue):
            if is_text(case.value, sentences):
                yield module.at(case, f"matches a text ({ast.unparse(case)[:60]}); match ids")


def text_readers_are_used(project: Project) -> Iterator[str]:
    """A module that TEXT_READERS lists is there; a list that names the past excuses nothing."""
    for name in TEXT_READERS if project.modules("bot") else ():
        if name not in project.names:
            yield f"tests/architecture/layout.py:1: there is no {name}; take it out of TEXT_READERS"


def constants_with_blanks(module: Module) -> Iterator[str]:
    """The module's constants that hold a text of several words."""
    for node in module.tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant | ast.JoinedStr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if has_blank(node.value):
                yield from (target.id for target in targets if isinstance(target, ast.Name))


def is_text(node: ast.expr, constants: set[str]) -> bool:
    """Whether a compared value is a text: a literal with a blank, a list of them, or a constant that holds one.

    A member of an enum, such as `Failure.LATER`, is none.
    """
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(is_text(one, constants) for one in node.elts)
    of_enum = isinstance(node, ast.Attribute) and last_name(node.value)[:1].isupper()
    return has_blank(node) or (last_name(node) in constants and last_name(node).isupper() and not of_enum)


def has_blank(node: ast.expr) -> bool:
    """Whether a string literal consists of several words."""
    return " " in text_of(node).strip()


def text_of(node: ast.AST) -> str:
    """A string literal as it reads, with {} for what is filled in; empty for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return ""


def wordless_core(project: Project) -> Iterator[str]:
    """core and diagnosis decide; the words are in bot/views.

    A string literal of four words is a sentence, unless it describes a module, class, function or attribute, or tells
    a programmer of a mistake (ValueError and its like). The values of an enum are ids: without blanks.
    """
    for module in project.modules(*WORDLESS):
        yield from (module.at(node, f"holds a sentence ({text_of(node)[:50]!r}); words belong to bot/views")
                    for node in sentences(module))  # fmt: skip
        for node in module.nodes(ast.ClassDef):
            for value in enum_values(node):
                if has_blank(value) and not is_sentence(text_of(value)):
                    yield module.at(value, f"{node.name} has the value {text_of(value)!r}; an id has no blanks")


def sentences(module: Module) -> list[ast.Constant | ast.JoinedStr]:
    """The sentences in a file, in the order of lines."""
    skipped: set[int] = set()
    for statement in module.nodes(ast.Expr):
        if is_docstring(statement):
            skipped.add(id(statement.value))
    for whole in module.nodes(ast.JoinedStr):
        skipped.update(map(id, ast.walk(whole)))
        skipped.discard(id(whole))
    for error in module.nodes(ast.Raise):
        called = error.exc.func if isinstance(error.exc, ast.Call) else None
        if called is not None and last_name(called) in PROGRAMMER_ERRORS:
            skipped.update(map(id, ast.walk(error)))
    found: list[ast.Constant | ast.JoinedStr] = [*module.nodes(ast.Constant), *module.nodes(ast.JoinedStr)]
    spoken = [node for node in found if id(node) not in skipped and is_sentence(text_of(node))]
    return sorted(spoken, key=lambda node: node.lineno)


def is_sentence(text: str) -> bool:
    """Four words or more, at least two of them written out."""
    words = [word for word in text.split() if TOKEN.search(word)]
    return len(words) >= LEAST_WORDS and sum(bool(LETTERS.search(word)) for word in words) >= 2


def enum_values(node: ast.ClassDef) -> Iterator[ast.expr]:
    """The values of an enum's members."""
    if any(last_name(base).endswith("Enum") for base in node.bases):
        yield from (member.value for member in node.body if isinstance(member, ast.Assign))


def sentences_are_tested_in_views(project: Project) -> Iterator[str]:
    """A changed sentence breaks no test but those of bot/views and of what people read: others compare ids and values.

    A string literal of a test must not hold a whole fixed part of a sentence of bot/views/words, or be a piece of one,
    from four words on. The words after an assertion are the test's own. WORDED_TESTS names the tests of what people
    read.
    """
    parts = sorted({part for module in project.modules("bot.views.words") for _, part in quotable(module)})
    whole, by_start = "\n".join(parts), dict[tuple[str, ...], list[str]]()
    for part in parts:
        by_start.setdefault(tuple(part.split()[:LEAST_WORDS]), []).append(part)
    for module in project.modules("tests"):
        if under(module.name, WORDED_TESTS):
            continue
        for node, text in quotable(module):
            words = text.split()
            starts = (tuple(words[at : at + LEAST_WORDS]) for at in range(len(words)))
            if text in whole or any(part in text for start in starts for part in by_start.get(start, ())):
                yield module.at(node, f"quotes a sentence of bot/views ({text[:50]!r}); compare ids and values")


def quotable(module: Module) -> Iterator[tuple[ast.Constant, str]]:
    """The parts of a file's string literals of four words or more, split where a value is filled in."""
    own = {id(statement.value) for statement in module.nodes(ast.Expr) if is_docstring(statement)}
    for check in module.nodes(ast.Assert):
        own.update(map(id, ast.walk(check.msg)) if check.msg else ())
    for node in module.nodes(ast.Constant):
        if isinstance(node.value, str) and id(node) not in own:
            parts = (part.strip(f"{string.whitespace}{string.punctuation}") for part in FILLED.split(node.value))
            yield from ((node, part) for part in parts if len(part.split()) >= LEAST_WORDS)

"""Whoever searches the docs for the words of a message finds it: the page of messages is what the code says."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

from tests.architecture.tree import ROOT
from tests.docs_pages import page
from tests.generated import same_as_file

PAGE = "docs/reference/messages.md"


def test_the_page_has_every_message_of_the_code_and_no_other() -> None:
    same_as_file(ROOT / PAGE, rendered())


def test_every_message_has_an_anchor_of_its_own() -> None:
    anchors = re.findall(r'<a id="([^"]*)">', page(PAGE).text)
    assert len(anchors) == len(set(anchors)) == sum(map(len, messages().values()))
    assert "" not in anchors


def test_what_people_meet_most_is_collected() -> None:
    """One of each kind, so that a change of the code's habits does not empty the page."""
    text = page(PAGE).text
    for known in (
        "The bot is not in …",
        "SLACK_BOT_TOKEN is not set",
        "The append-only file is off",
        "You don't have permission",
        "is required",
    ):
        assert known in text, known


SPEAKING = {
    **dict.fromkeys(("problem", "warning", "Unreachable", "Gap", "RequestRefused", "_failed", "unusable"), 1),
    **dict.fromkeys(("Problem", "_redis", "Refused", "WrongSetting", "EmbeddedRedisError", "ValueError"), 0),
    **dict.fromkeys(("Unreadable", "_unreadable", "PlainTextResponse", "BadParameter"), 0),
}
"""Call whose text reaches a person: which argument that is, for a plain function. `log.warning` is for programs."""
SECTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "Refusals in Slack": (
        "Only the person who asked sees them. [Permissions](../how-to/permissions.md), "
        "[approval](../how-to/approval.md) and [silences](../how-to/silences.md) tell the rest.",
        ("bot/views/words", "bot/requests", "bot/scaling", "bot/silencing", "bot/incidents/actions", "bot/context"),
    ),
    "Lines of `tailback check`": (
        "A line begins with `problem` or `warning` and the area. It may also have a message of the sections below.",
        ("handlers/doctor",),
    ),
    "Configuration": (
        "A sentence begins with the place: the variable, or table and key. [Settings](settings.md) has every key.",
        (
            *("bot/config.py", "bot/settings.py", "bot/core", "bot/adapters/build_context.py"),
            *("bot/adapters/registry.py", "bot/adapters/integrations.py", "bot/adapters/http/address.py"),
            "bot/adapters/redis/connect.py",
        ),
    ),
    "Redis and records": (
        "[What Redis can lose](../explanation/promises.md#what-redis-can-lose) says why the settings matter.",
        ("bot/adapters/redis", "bot/adapters/records.py"),
    ),
    "Answers to webhooks": ("[HTTP](http.md) says what each status means.", ("bot/sources", "handlers/http")),
    "Slack": (
        "[What Slack errors do](../explanation/promises.md#what-slack-errors-do) says what follows.",
        ("bot/adapters/slack", "bot/posting"),
    ),
    "Back ends": (
        "They begin with the name of the system, and end in its own words. Each page of the "
        "[integrations](../integrations/README.md) has the remedies.",
        ("bot/adapters",),
    ),
    "Command line and the rest": ("", ("handlers", "bot", "tailback")),
}
"""Title: an introduction, and how the paths of its modules begin; the first section that fits has a message."""
INTERNAL = {"bot/playground", "bot/core/audit_chain.py"}
"""Nobody reads what is raised there."""
Scope = Mapping[str, list[ast.expr]]


@dataclass(frozen=True, slots=True, order=True)
class Message:
    """A sentence with … for what varies, and its remedy when the code has one beside it."""

    text: str
    remedy: str

    @property
    def anchor(self) -> str:
        return "-".join(re.findall(r"[a-z0-9]+", self.text.lower())[:9])


@cache
def messages() -> dict[str, list[Message]]:
    """By section, in alphabetical order; a sentence stands once, in its first section."""
    found: dict[str, set[Message]] = {title: set() for title in SECTIONS}
    files = [*(ROOT / "bot").rglob("*.py"), *(ROOT / "handlers").rglob("*.py"), ROOT / "tailback"]
    for file in sorted(files):
        path = file.relative_to(ROOT).as_posix()
        if any(path.startswith(start) for start in INTERNAL):
            continue
        title = next(title for title, (_, starts) in SECTIONS.items() if path.startswith(starts))
        found[title] |= set(of_module(file))
    known: set[str] = set()
    for title in SECTIONS:
        best = {message.text: message for message in sorted(found[title])}
        found[title] = {message for text, message in best.items() if text not in known}
        known |= best.keys()
    return {title: sorted(each, key=lambda one: (one.text.lower(), one.text)) for title, each in found.items()}


def of_module(file: Path) -> Iterator[Message]:
    tree = ast.parse(file.read_text("utf-8"))
    whole = assigned(tree)
    if file.name == "config.py":
        tables = [node.value for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)]
        yield from (Message(text, "") for table in tables for one in table.values for text in sentences(one, whole))
    if file.name == "refusals.py":
        returned = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value]
        constants = [value for values in whole.values() for value in values]
        yield from (Message(text, "") for node in [*constants, *returned] for text in sentences(node, whole))
        return
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            names = {**whole, **assigned(scope)}
            yield from (one for node in ast.walk(scope) if isinstance(node, ast.Call) for one in of_call(node, names))


def of_call(node: ast.Call, scope: Scope) -> Iterator[Message]:
    method = isinstance(node.func, ast.Attribute)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name not in SPEAKING or (isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") == "log"):
        return
    named = {each.arg: each.value for each in node.keywords}
    place = 0 if method else SPEAKING[name]
    given = [*node.args[place : place + 2], *(named[key] for key in ("what", "why") if key in named)]
    remedy = named.get("remedy") or (given[1] if len(given) > 1 and not method else None)
    to_do = sentences(remedy, scope) if remedy else []
    for text in sentences(given[0], scope) if given else ():
        yield Message(text, to_do[0] if to_do else "")


def sentences(node: ast.expr, scope: Scope) -> list[str]:
    return [text for text in spoken(node, scope, 3) if len(re.findall(r"[a-z]{2,}", text)) > 1]


def spoken(node: ast.expr, scope: Scope, depth: int) -> list[str]:
    """The texts of an expression, with … for what is not known before it runs."""
    texts: list[str] = []
    match node:
        case ast.Constant(value=str(text)):
            texts = [text]
        case ast.Attribute(value=ast.Constant(value=str(text)), attr="format"):
            texts = [re.sub(r"\{[^}]*\}", "…", text)]
        case ast.JoinedStr(values=parts):
            whole = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts)
            texts = [re.sub(r"…+", "…", whole)]
        case ast.IfExp(body=one, orelse=other):
            texts = [*spoken(one, scope, depth), *spoken(other, scope, depth)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            pairs = product(spoken(left, scope, depth) or ["…"], spoken(right, scope, depth) or ["…"])
            texts = [one + other for one, other in pairs]
        case ast.List(elts=[*several]):
            texts = [text for one in several for text in spoken(one, scope, depth)]
        case ast.Name(id=name) if depth and name in scope:
            texts = [text for one in scope[name] for text in spoken(one, scope, depth - 1)]
    return texts


def assigned(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """What is assigned to each plain name directly below a module or a function, branches included."""
    found: dict[str, list[ast.expr]] = {}
    waiting = list(ast.iter_child_nodes(tree))
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
        if isinstance(node, ast.stmt | ast.excepthandler | ast.match_case):
            waiting += ast.iter_child_nodes(node)
    return found


def rendered() -> str:
    """The page."""
    lines = [
        "# Messages",
        "",
        "Every error, refusal and finding, as the code has it. `…` stands for what varies.",
        "[Troubleshooting](../troubleshooting.md) starts from symptoms instead.",
    ]
    taken: set[str] = set()
    for title, each in messages().items():
        lines += ["", f"## {title}", "", *([SECTIONS[title][0], ""] if SECTIONS[title][0] else [])]
        columns = any(message.remedy for message in each)
        lines += ["| message | what to do |", "|---|---|"] if columns else []
        for message in each:
            anchor, number = message.anchor, 2
            while anchor in taken:
                anchor, number = f"{message.anchor}-{number}", number + 1
            taken.add(anchor)
            text = f'<a id="{anchor}"></a>{cell(message.text)}'
            lines.append(f"| {text} | {cell(message.remedy)} |" if columns else f"* {text}")
    return "\n".join(lines) + "\n"


def cell(text: str) -> str:
    whole = " ".join(text.split())
    return re.sub(r"([|*<])", lambda found: "&lt;" if found[1] == "<" else f"\\{found[1]}", whole)

"""The rules of the code's structure, each as one test that names file, line and remedy."""

from pathlib import Path

import pytest

from tests.architecture import code, complete, doors, imports, words
from tests.architecture.layout import WORDED_TESTS
from tests.architecture.rules import RULES, Rule
from tests.architecture.tree import Project, project


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_code_keeps_the_rule(rule: Rule) -> None:
    problems = list(rule(project()))
    assert not problems, f"{rule.__doc__}\n" + "\n".join(problems)


CORE = "bot/core/x.py"
PLANTED: list[tuple[Rule, str, str, str]] = [
    (imports.pure_packages, CORE, "import httpx", "bot/core/x.py:2: imports httpx; bot.core is pure"),
    (imports.pure_packages, "bot/views/x.py", "from bot.context import Context", "views/x.py:2: imports bot.context"),
    (imports.libraries_in_their_place, "bot/scaling/x.py", "import redis.asyncio", "only bot.adapters may"),
    (imports.libraries_in_their_place, "handlers/x.py", "from slack_sdk import WebClient", "imports slack_sdk"),
    (
        imports.libraries_in_their_place,
        "bot/adapters/x.py",
        "from starlette.routing import Route",
        "only handlers and bot.play",
    ),
    (imports.layers, "bot/context/x.py", "from bot.scaling import lease", "which is not below it; turn the import"),
    (imports.layers, "bot/adapters/x.py", "from bot.context import Context", "bot.adapters imports bot.context"),
    (imports.layers, "bot/scaling/x.py", "from bot import adapters", "bot.scaling imports bot.adapters"),
    (imports.layers, "bot/scaling/x.py", "from bot.silencing import y", "which is not below it; move what both need"),
    (imports.layers, "bot/scaling/x.py", "from bot.registry import ACTIONS", "bot.scaling imports bot.registry"),
    (imports.layers, "bot/ports.py", "from ..bot.config import Settings", "imports bot.config, which is not below"),
    (imports.layers, "bot/utils/x.py", "A = 1", "is in no known package (bot.utils)"),
    (imports.adapters_are_handed_in, "bot/scaling/x.py", "from handlers.web import app", "handlers call bot"),
    (imports.adapters_are_handed_in, "handlers/web.py", "from bot.adapters.http import Http", "let the wiring choose"),
    (imports.playground_is_apart, "handlers/web.py", "from bot.playground import page", "only PLAYGROUND_USERS may"),
    (imports.imports_at_the_top, CORE, "def f():\n    import json", "x.py:3: imports json below the top"),
    (imports.imports_at_the_top, CORE, "from typing import TYPE_CHECKING", "uses TYPE_CHECKING"),
    (imports.no_cycles, CORE, "from bot.core import y", "bot/core/x.py:1: is in a cycle through bot.core.y"),
    (code.clock_and_environment, CORE, "import datetime as d\nd.datetime.now()", "x.py:3: reads datetime.now"),
    (code.clock_and_environment, "handlers/x.py", "import os\nos.environ", "reads os.environ"),
    (code.clock_and_environment, "bot/adapters/x.py", "from time import monotonic", "imports time.monotonic"),
    (code.broad_excepts, CORE, "try:\n    f()\nexcept (OSError, Exception):\n    g()", "x.py:4: catches every"),
    (code.broad_excepts, CORE, "try:\n    f()\nexcept:\n    g()", "x.py:4: catches everything"),
    (code.empty_packages, "bot/core/__init__.py", "A = 1", "has code in __init__.py"),
    (code.short_files, CORE, "A = 1\n" * 300, "has 302 lines"),
    (code.short_functions, CORE, "def f():\n" + "    g()\n" * 39, "x.py:2: f has 40 lines"),
    (code.class_names_once, CORE, "class Twin: ...\nclass Twin: ...", "x.py:3: class Twin is also in bot/core/x.py:2"),
    (code.top_level_packages, "lib/__init__.py", "", "lib/__init__.py:1: is a fourth package"),
    (doors.public_doors, CORE, "import sys\nsys.modules['x'] = None", "x.py:3: uses sys.modules"),
    (doors.public_doors, CORE, "import gc\ngc.disable()", "x.py:3: uses gc.disable"),
    (doors.public_doors, CORE, "from redis._parsers.base import BaseParser", "imports the private redis._parsers"),
    (doors.public_doors, CORE, "from typer import x  # type: ignore[attr-defined]", "which typer does not export"),
    (doors.public_doors, CORE, "import aiohttp\nclass Mine(aiohttp.ClientResponse): ...", "derives from aiohttp.Cl"),
    (doors.public_doors, CORE, "import httpx\ndef f():\n    c = httpx.Client()\n    c.x.y = 1", "sets c.x.y"),
    (doors.public_doors, CORE, "import httpx\ndef f(c: httpx.Client):\n    c.x = 1", "sets c.x"),
    (words.decisions_on_text, CORE, "import re", "imports re"),
    (words.decisions_on_text, CORE, 'def f(a):\n    return a.startswith("Worse")', "text apart with startswith()"),
    (words.decisions_on_text, CORE, 'def f(a):\n    return a.partition("; ")[0]', "text apart with partition()"),
    (words.decisions_on_text, "handlers/x.py", 'def f(a):\n    return a == "A new thread"', "compares with a text"),
    (words.decisions_on_text, CORE, 'def f(a):\n    return "no longer" in a', "compares with a text"),
    (
        words.decisions_on_text,
        CORE,
        'SAID = "A new thread"\ndef f(a):\n    return a == SAID',
        "with a text (a == SAID)",
    ),
    (words.decisions_on_text, CORE, 'def f(a, b):\n    return a == f"to {b}"', "compares with a text"),
    (words.decisions_on_text, CORE, 'def f(a):\n    return a in ("x", "no news")', "compares with a text"),
    (
        words.decisions_on_text,
        CORE,
        'def f(a):\n    match a:\n        case "no news":\n            return 1',
        "matches a text",
    ),
    (words.wordless_core, CORE, 'A = "The queue is empty."', "holds a sentence ('The queue is empty.')"),
    (words.wordless_core, CORE, 'def f(n):\n    return f"{n} jobs wait for {n} runners"', "'{} jobs wait for {} run"),
    (words.wordless_core, CORE, 'raise Refused("You may not do that.")', "holds a sentence"),
    (words.wordless_core, CORE, 'class A(StrEnum):\n    B = "no room"', "A has the value 'no room'"),
]
"""Rule, file, what is planted in it below its docstring, and what the rule must say."""


@pytest.mark.parametrize(
    ("rule", "path", "source", "sentence"), PLANTED, ids=lambda value: getattr(value, "__name__", None)
)
def test_a_planted_breach_is_found(rule: Rule, path: str, source: str, sentence: str, tmp_path: Path) -> None:
    plant(tmp_path, "bot/core/y.py", "from bot.core import x")
    plant(tmp_path, path, source)
    found = list(rule(Project(tmp_path)))
    assert len([problem for problem in found if sentence in problem]) == 1, found


@pytest.mark.parametrize(
    "source",
    [
        'def f(a):\n    return a == "scale_up" or a in ("open", "closed")',
        'def f(a):\n    return a.split() + a.find("scaled:pool")',
        'raise ValueError("A pool keeps six weeks of hours")',
        'A = 1\n"""What this constant is good for."""',
        'A = "linux.2xlarge"\nB = "three words only"',
        'def f(a, b):\n    return f"{a}:{b}:{a}:{b}"',
    ],
)
def test_ids_and_descriptions_are_no_wording(source: str, tmp_path: Path) -> None:
    plant(tmp_path, CORE, source)
    whole = Project(tmp_path)
    assert [*words.decisions_on_text(whole), *words.wordless_core(whole)] == []


@pytest.mark.parametrize(
    ("source", "quotes"),
    [
        ('assert said == "Raise the limit of linux from 40 to 47."', True),
        ('assert "is no pager here" in said', True),
        ('assert said == "raise_limit"', False),
        ('assert done, "Raise the limit of everything"', False),
        ('def test_x():\n    """Raise the limit of everything."""', False),
    ],
)
def test_a_test_that_quotes_a_sentence_of_views_is_found_unless_it_is_one_of_words(
    source: str, quotes: bool, tmp_path: Path
) -> None:
    plant(
        tmp_path,
        "bot/views/words/x.py",
        'A = f"Raise the limit of {POOL} from {B} to {C}."\nD = "There is no pager here."',
    )
    for path in ("tests/scaling/test_x.py", "tests/views/test_x.py"):
        plant(tmp_path, path, source)
    found = list(words.sentences_are_tested_in_views(Project(tmp_path)))
    assert [line.partition(":")[0] for line in found] == ["tests/scaling/test_x.py"] * quotes


def test_every_test_of_words_that_is_listed_exists() -> None:
    assert not [name for name in WORDED_TESTS if not project().modules(name)]


def test_a_folder_of_thirteen_modules_is_found_unless_it_is_a_list(tmp_path: Path) -> None:
    """Sources and causes are lists: one more does not make them harder to read."""
    for number in range(13):
        plant(tmp_path, f"bot/scaling/m{number}.py", "")
        plant(tmp_path, f"bot/sources/m{number}.py", "")
    assert list(code.small_folders(Project(tmp_path))) == [
        "bot/scaling/__init__.py:1: has 13 modules, and 12 are the most; split by topic"
    ]


def test_two_folders_that_import_each_other_through_different_files_are_a_circle(tmp_path: Path) -> None:
    """No file imports itself here, and still neither folder can be replaced without the other."""
    plant(tmp_path, "bot/core/pool/a.py", "from bot.core.forecast import b")
    plant(tmp_path, "bot/core/forecast/b.py", "A = 1")
    plant(tmp_path, "bot/core/forecast/c.py", "from bot.core.pool import d")
    plant(tmp_path, "bot/core/pool/d.py", "A = 1")
    whole = Project(tmp_path)
    assert list(imports.no_cycles(whole)) == []
    assert [line.split(";")[0] for line in imports.no_circles_of_folders(whole)] == [
        "bot/core/forecast:1: is in a circle through bot.core.pool",
        "bot/core/pool:1: is in a circle through bot.core.forecast",
    ]


@pytest.mark.parametrize(
    ("path", "source", "is_enough"),
    [
        ("tests/sources/test_x.py", "def test_it(): ...", True),
        ("tests/test_x.py", "from bot.sources import x\ndef test_it(): ...", True),
        ("tests/test_x.py", "def test_it(): ...", False),
        ("tests/sources/test_x.py", "", False),
        ("tests/test_y.py", "from bot.sources import x\ndef test_it(): ...", False),
        ("tests/test_y.py", 'NAME = "bot.sources.x"\ndef test_it(): ...', False),
    ],
)
def test_a_mention_is_no_test_of_its_own(path: str, source: str, is_enough: bool, tmp_path: Path) -> None:
    """A registered module once counted as tested because some test held its name."""
    plant(tmp_path, "bot/sources/registry.py", "from bot.sources import x")
    plant(tmp_path, "bot/sources/x.py", "A = 1")
    plant(tmp_path, path, source)
    found = list(complete.registered_modules_have_tests(Project(tmp_path)))
    assert (not found) == is_enough, found


@pytest.mark.parametrize(("rows", "is_enough"), [('[("K1", "x", 1)]', True), ('[("K1", "y", "not x")]', False)])
def test_a_row_of_its_name_in_a_shared_table_is_a_test(rows: str, is_enough: bool, tmp_path: Path) -> None:
    """A cause needs no file of its own for two rows of figures."""
    plant(tmp_path, "bot/diagnosis/registry.py", "from bot.diagnosis.work import x")
    plant(tmp_path, "bot/diagnosis/work/x.py", "A = 1")
    plant(tmp_path, "tests/diagnosis/test_rules.py", f'OTHERS = ["x"]\nROWS = {rows}\ndef test_it(): ...')
    found = list(complete.registered_modules_have_tests(Project(tmp_path)))
    assert (not found) == is_enough, found


@pytest.mark.parametrize(
    ("line", "is_bounded"),
    [
        ('"redis>=8.1,<9",', True),
        ('"redis>=8.1,<8.2",   # a reason does not help', False),
        ('"ruff>=0.17,<0.18",', False),
        ('"ruff>=0.17,<0.18",   # each minor version formats in another way', True),
    ],
)
def test_a_dependency_is_held_at_a_minor_version_only_before_its_first_and_for_a_reason(
    line: str, is_bounded: bool, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"dependencies = [\n  {line}\n]\n")
    assert (not list(doors.public_doors(Project(tmp_path)))) == is_bounded


def test_a_module_without_an_opening_sentence_is_found(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "a.py").write_text("A = 1\n")
    (tmp_path / "bot" / "b.py").write_text('"""Utilities"""\n')
    assert [problem.split(";")[0] for problem in code.opening_sentences(Project(tmp_path))] == [
        "bot/a.py:1: has no docstring",
        "bot/b.py:1: opens with something else than a whole sentence",
    ]


def test_an_empty_tree_keeps_every_rule(tmp_path: Path) -> None:
    """The rules hold from the first commit on, when most packages are not there yet."""
    assert [problem for rule in RULES for problem in rule(Project(tmp_path))] == []


def plant(root: Path, path: str, source: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(f'"""Says what it is for."""\n{source}\n')

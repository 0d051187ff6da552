"""The list of numbers finds each number of the judgements, and says where one has no origin."""

from pathlib import Path

from tests.architecture.numbers import numbers, report
from tests.architecture.tree import Project, project

TEXT = '''"""A rule."""

SHARE = 0.25
"""A part. Origin: judgement; a quarter."""
LATE = 9.0
"""A number that nobody explains."""


def find(row: str) -> float:
    """Uses numbers."""
    return float(row.split(";", 4)[3]) * 7 + 24 + 2 * 60 + 5  # origin: five fingers
'''


def test_each_number_is_listed_with_its_origin(tmp_path: Path) -> None:
    """None, one, two, a half, minutes and hours need none; places in a row and units have theirs."""
    folder = tmp_path / "bot/diagnosis"
    folder.mkdir(parents=True)
    (folder / "rule.py").write_text(TEXT, "utf-8")
    found = {one.value: one.origin for one in numbers(Project(tmp_path))}
    assert found == {0.25: "judgement; a quarter.", 9.0: "", 4: "five fingers", 3: "five fingers", 7: "five fingers",
                     24: "five fingers", 5: "five fingers"}  # fmt: skip
    lines, status = report(Project(tmp_path))
    assert status == 1
    assert lines[-1] == "7 numbers, 280 at most; 1 without an origin"
    assert "bot/diagnosis/rule.py:5: 9  NO ORIGIN" in lines


def test_each_number_of_rules_and_model_has_its_origin() -> None:
    lines, status = report(project())
    assert [line for line in lines if "NO ORIGIN" in line] == []
    assert status == 0, lines[-1]

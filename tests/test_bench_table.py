"""The table of the benchmarks, as it stands in the docs."""

from pathlib import Path

from tests.bench.table import Row, written

PAGE = Path("docs/design/performance.md")


def test_a_page_gets_its_table_again_and_keeps_its_words() -> None:
    """Twice written is once written, and the row has the ratio to the baseline."""
    page, rows = (
        PAGE.read_text("utf-8"),
        [Row("an alert, ms", (2.0, 4.0, 3.0), (1.5,), "at most 2 x"), Row("memory", (80.0,))],
    )
    once = written(page, rows)
    assert written(once, rows) == once
    assert "| an alert, ms | 2.00 | 3.00 | 4.00 | 1.50 | 2.0 × | at most 2 x |\n" in once
    assert "| memory | 80.00 | 80.00 | 80.00 |  |  |  |\n" in once
    assert page.splitlines()[-1] == once.splitlines()[-1]

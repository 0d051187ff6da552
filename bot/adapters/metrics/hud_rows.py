"""Rows of HUD's answers by runner label."""

from collections.abc import Callable, Iterable, Sequence

from bot.adapters.http.rows import Row, rows, text

COLUMNS = {
    "queued_jobs": "machine_type",
    "queued_jobs_by_label": "machine_type",
    "queued_jobs_aggregate": "runner_label",
}
"""The column that names the label; rows without it are of another schema."""
GROUP_LABELS = "tailback_group_labels"


class Labelled:
    """Rows, found by runner label: sorted once for all pools."""

    def __init__(self, found: Iterable[Row], labels_of: Callable[[Row], Iterable[str]]) -> None:
        self.rows = tuple(found)
        self._by_label: dict[str, list[Row]] = {}
        for row in self.rows:
            for label in {*labels_of(row)} - {""} or {""}:
                self._by_label.setdefault(label, []).append(row)

    def of(self, label: str) -> Sequence[Row]:
        return self._by_label.get(label, ())


def of_query(found: Iterable[Row]) -> Labelled:
    return Labelled(found, lambda row: (text(row, column) for column in COLUMNS.values()))


def of_groups(groups: Iterable[Row]) -> Labelled:
    return Labelled((runner for group in groups for runner in _runners_of(group)), _carried_labels)


def _runners_of(group: Row) -> Iterable[Row]:
    """A group's runners with the labels of the group, which HUD joins by ` / `; it knows some groups by name only."""
    shared = text(group, "label").split(" / ")
    return ({**runner, GROUP_LABELS: shared} for runner in rows(group.get("runners")))


def _carried_labels(runner: Row) -> Iterable[str]:
    own, shared = (text(one, "name") for one in rows(runner.get("labels"))), runner[GROUP_LABELS]
    return (*own, *(shared if isinstance(shared, list) else ()))

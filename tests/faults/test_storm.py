"""In a storm every accepted alert group is named in the channel within 5 s, under Slack's limits."""

import pytest

from tests.bench.storm import measured


@pytest.mark.parametrize(("groups", "arrive"), [(60, 2.0), (60, 15.0), (500, 2.0)])
def test_every_group_is_named_within_five_seconds(groups: int, arrive: float) -> None:
    """Three workers, while forty parents want edits; Slack never has to refuse anything."""
    found = measured(groups, workers=3, arrive=arrive)
    assert found.unnamed == 0
    assert found.worst <= 5.0
    assert found.refused == 0

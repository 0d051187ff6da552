"""Which samples of a pool are kept."""

from dataclasses import dataclass

from bot.core.pool.retention import KEPT_SAMPLES, kept


@dataclass(frozen=True)
class At:
    """A sample."""

    at: float
    slim: bool = False


def test_the_last_hour_is_whole_and_older_hours_are_thin_and_slim() -> None:
    samples: tuple[At, ...] = ()
    for number in range(1200):
        samples = kept((*samples, At(30.0 * number)), lambda one: At(one.at, slim=True))
    ages = [samples[-1].at - one.at for one in samples]
    assert len([age for age in ages if age <= 3600]) == 121
    assert [one.slim for one in samples] == [age > 3600 for age in ages]
    assert 4 * 3600 < max(ages) <= 6 * 3600
    assert len(samples) <= KEPT_SAMPLES

"""Which samples of a pool are kept."""

from dataclasses import dataclass

from bot.core.pool.retention import KEPT_SAMPLES, kept


@dataclass(frozen=True)
class At:
    """A sample."""

    at: float


def test_the_last_hour_is_whole_and_older_hours_are_thin() -> None:
    samples: tuple[At, ...] = ()
    for number in range(1200):
        samples = kept((*samples, At(30.0 * number)))
    ages = [samples[-1].at - one.at for one in samples]
    assert len([age for age in ages if age <= 3600]) == 121
    assert 4 * 3600 < max(ages) <= 6 * 3600
    assert len(samples) <= KEPT_SAMPLES

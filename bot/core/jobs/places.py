"""Which pools take a job, by the labels that it asks for."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from bot.core.pool.job import EVERY_LABEL, key_of


@dataclass(frozen=True, slots=True)
class PoolLabels:
    """What a pool's runners are known by."""

    own: frozenset[str]
    """Its labels, in lower case."""
    any_of: bool = False
    """Whether a job may ask for fewer of them (GitLab), else it asks for all of them and perhaps for more."""
    untagged: bool = False
    """Whether it takes jobs that ask for nothing."""

    def takes(self, job_labels: Collection[str]) -> bool:
        """Whether the pool's runners take a job with these labels, as far as configuration tells."""
        given = {key_of(label) for label in job_labels}
        if not given:
            return self.untagged or EVERY_LABEL in self.own
        if self.any_of:
            return given <= self.own
        return EVERY_LABEL in self.own or self.own <= given


def takers(job_labels: Collection[str], pools: Mapping[str, PoolLabels]) -> tuple[str, ...]:
    """The pools that take a job, those with most labels in common first; by name where that is equal."""
    found = [name for name, labels in pools.items() if labels.takes(job_labels)]
    return tuple(sorted(found, key=lambda name: (-len(pools[name].own), name)))


def unknown_labels(
    job_labels: Collection[str], pools: Mapping[str, PoolLabels], common: Collection[str]
) -> tuple[str, ...]:
    """The labels of a job that no pool has, without those that every runner adds by itself."""
    known = {label for labels in pools.values() for label in labels.own} | set(common)
    return tuple(label for label in job_labels if key_of(label) not in known)

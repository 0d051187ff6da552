"""Which pools take a job."""

from bot.core.jobs.places import PoolLabels, takers, unknown_labels

POOLS = {
    "big": PoolLabels(frozenset({"linux.2xlarge"})),
    "gpu": PoolLabels(frozenset({"linux.2xlarge", "gpu"})),
    "all": PoolLabels(frozenset({"*"})),
}


def test_a_job_goes_to_every_pool_whose_labels_it_asks_for() -> None:
    assert takers(["self-hosted", "Linux.2xlarge"], POOLS) == ("all", "big")
    assert takers(["linux.2xlarge", "gpu"], POOLS) == ("gpu", "all", "big")


def test_a_gitlab_job_may_ask_for_fewer_tags_than_the_runners_have() -> None:
    pools = {"docker": PoolLabels(frozenset({"docker", "large"}), any_of=True, untagged=True)}
    assert takers(["docker"], pools) == ("docker",)
    assert takers(["docker", "arm"], pools) == ()
    assert takers([], pools) == ("docker",)


def test_a_label_that_no_pool_has_is_named() -> None:
    assert unknown_labels(["self-hosted", "linux.8xlarge"], POOLS, {"self-hosted"}) == ("linux.8xlarge",)

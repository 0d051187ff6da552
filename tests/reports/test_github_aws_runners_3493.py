"""github-aws-runners/terraform-aws-github-runner#3493: user data fails on a fifth of the machines."""

from tests.reports.fleet import Fleet


async def test_a_fifth_that_never_registers_is_counted_over_the_incident() -> None:
    fleet = Fleet()
    machines = {"booting": 4, "creates": 20, "registered": 16}
    runners = {"busy": 40, "idle": 0, "offline": 0, "limit": 100}
    flow = {"starts_per_minute": 1.1, "arrivals_per_minute": 1.3}
    fleet.knows("fleet", queued=150, oldest_wait_seconds=1200.0, **machines, **runners, **flow)
    await fleet.fires()
    await fleet.passes(120)
    said = await fleet.diagnosis()
    assert "machines boot but their runners never register" in said
    assert "missing job events" not in said

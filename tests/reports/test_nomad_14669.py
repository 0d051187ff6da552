"""hashicorp/nomad#14669: an autoscaler changes the count in the middle of somebody else's change."""

from tests.adapters.back_end import URL, BackEnd, SentRequest
from tests.reports.fleet import Fleet


async def test_a_size_that_another_autoscaler_lowers_is_told_as_its_doing() -> None:
    """Half of the runners came before the target went back."""
    desired = [5]

    def answer(request: SentRequest) -> tuple[int, object]:
        if request.method == "PUT":
            desired[0] = request.body["desired"]
        return 200, {"current": 5, "desired": desired[0], "min": 0, "max": 40}

    fleet = Fleet()
    fleet.knows("prometheus", queued=30, oldest_wait_seconds=2400.0, busy=8, idle=0, limit=40)
    fleet.scaled_by({"kind": "http", "url": URL}, BackEnd(answer=answer).parts())
    await fleet.fires()
    await fleet.world.wants(15)
    await fleet.world.work()
    assert desired == [15]
    desired[0] = 8
    await fleet.passes(15)
    assert "the target there is 8 now" in fleet.says

"""The stand-in as a whole: its scaler, its pages, its clock, and that it runs by itself."""

import asyncio

import pytest

from bot.playground.fleet.api.standin import FleetStandIn, Surroundings
from bot.playground.fleet.scenarios import SURGE
from tests.playground.fleet_world import NOON, TARGET, Receiver, client, quiet_fleet, stand_in

MINUTE = 60.0


async def test_scaling_up_by_http_drains_the_surge() -> None:
    """The whole story through the endpoints: alert, scale up, resolved, and an empty queue within two hours."""
    receiver = Receiver()
    fleet = stand_in(SURGE, receiver)
    await fleet.step(20)
    async with client(fleet) as http:
        before = (await http.get("/pools/linux.2xlarge")).json()
        target = {"desired": before["current"] + 20}
        answer = await http.put("/pools/linux.2xlarge", json=target, headers={"Idempotency-Key": "one"})
        await fleet.step(2)
        after = (await http.get("/pools/linux.2xlarge")).json()
    assert (before["min"], before["max"]) == (0, 90)
    assert answer.status_code == 200
    assert answer.json()["desired"] == target["desired"]
    assert after["current"] >= target["desired"]
    await fleet.step(98)
    queued = {now.pool: now.queued for now in fleet.figures()}
    assert queued["linux.2xlarge"] <= 3
    assert [body["status"] for _, _, body in receiver.got] == ["firing", "resolved"]


async def test_the_same_key_does_nothing_twice() -> None:
    """A repeated request gets the first answer, even when someone else has scaled since."""
    fleet = quiet_fleet()
    async with client(fleet) as http:
        key = {"Idempotency-Key": "k1"}
        first = await http.put("/pools/windows.4xlarge", json={"desired": 30}, headers=key)
        await http.put("/pools/windows.4xlarge", json={"desired": 35})
        again = await http.put("/pools/windows.4xlarge", json={"desired": 30}, headers=key)
        misused = await http.put("/pools/windows.4xlarge", json={"desired": 31}, headers=key)
    assert first.json() == again.json()
    assert fleet.fleet.pools["windows.4xlarge"].target == 35
    assert misused.status_code == 409


@pytest.mark.parametrize(
    ("method", "path", "body", "code", "says"),
    [
        ("GET", "/pools/linux.2xlarg", "", 404, "no pool named linux.2xlarg"),
        ("PUT", "/pools/linux.2xlarg", '{"desired": 3}', 404, "no pool named linux.2xlarg"),
        ("PUT", "/pools/windows.4xlarge", '{"desired": 41}', 422, "desired 41 is outside 4 to 40 for pool windows"),
        ("PUT", "/pools/windows.4xlarge", '{"desired": 3}', 422, "outside 4 to 40"),
        ("PUT", "/pools/windows.4xlarge", '{"desired": "9"}', 422, "a whole number"),
        ("PUT", "/pools/windows.4xlarge", '{"desired": true}', 422, "a whole number"),
        ("PUT", "/pools/windows.4xlarge", "[9]", 422, "a whole number"),
        ("PUT", "/pools/windows.4xlarge", "{", 400, "not JSON"),
    ],
)
async def test_the_scaler_refuses_with_a_sentence(method: str, path: str, body: str, code: int, says: str) -> None:
    """Unknown pool, out of bounds, or unreadable: a clear JSON error, and no target set."""
    fleet = quiet_fleet()
    async with client(fleet) as http:
        answer = await http.request(method, path, content=body)
    assert answer.status_code == code
    assert says in answer.json()["error"]
    assert all(pool.target is None for pool in fleet.fleet.pools.values())


def test_the_past_is_known_from_the_first_second() -> None:
    """Rates, quantiles and ten hours of history are there before the visitor is."""
    fleet = stand_in(SURGE, Receiver())
    now = fleet.figures()[0]
    assert now.arrivals_per_minute > 0
    assert now.duration_p50_seconds is not None
    ((_, _, series),) = fleet.history.find("ci_provider_up", lambda _: True)
    assert len(series.times) == 601
    assert series.times[-1] == NOON


class Timekeeper:
    """A clock that moves when someone waits for it, and ends the run at a given time."""

    def __init__(self, until: float) -> None:
        self.now = NOON
        self._until = until

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds * 30
        if self.now >= self._until:
            raise asyncio.CancelledError
        await asyncio.sleep(0)


async def run(keeper: Timekeeper, receiver: Receiver) -> FleetStandIn:
    around = Surroundings(clock=keeper, post=receiver.post, sleep=keeper.sleep)
    fleet = FleetStandIn(SURGE, around, TARGET)
    await fleet.run()
    return fleet


async def test_it_runs_by_itself() -> None:
    """`run` follows the clock, minute by minute, and sends the alert as stepping does."""
    receiver = Receiver()
    fleet = await run(Timekeeper(NOON + 20 * MINUTE), receiver)
    assert fleet.fleet.now_seconds == pytest.approx(20 * 60, abs=60)
    assert receiver.got[0][2]["alerts"][0]["values"]["max_queue_time_mins"] > 30


async def test_a_machine_that_slept_does_not_replay_the_night() -> None:
    keeper = Timekeeper(NOON + 24 * 3600 + 600)
    keeper.now = NOON
    around = Surroundings(clock=keeper, post=Receiver().post, sleep=keeper.sleep)
    fleet = FleetStandIn(SURGE, around)
    keeper.now = NOON + 24 * 3600
    await fleet.run()
    assert fleet.fleet.now_seconds < 15 * 60

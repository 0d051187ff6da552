"""Alert webhooks: who may send, what is stored, and a sentence for everything else."""

import asyncio

import pytest

from bot.core.record import Change
from bot.ports import Unreachable
from handlers.http import store_or_503, throttle
from tests.handlers.endpoint import SECOND_TOKEN, TOKEN, Endpoint, basic, firing, grafana_signature
from tests.patience import PATIENCE_SECONDS
from tests.sources.payloads import alertmanager, grafana


@pytest.mark.parametrize(
    "authorization",
    [f"Bearer {TOKEN}", f"bearer {TOKEN}", f"Bearer {SECOND_TOKEN}", basic("any", TOKEN), basic("", SECOND_TOKEN)],
)
async def test_a_known_token_is_let_in(authorization: str, endpoint: Endpoint) -> None:
    """As bearer token or as basic password; during a rotation both are good."""
    answer = await endpoint.alert(Authorization=authorization)
    assert (answer.status_code, answer.json()) == (200, {"outcome": "opened"})


@pytest.mark.parametrize("headers", [{"X-Nothing": "1"}, {"Authorization": "Bearer wrong"}])
async def test_anybody_else_gets_401_with_the_same_words(headers: dict[str, str], endpoint: Endpoint) -> None:
    """Which tell a stranger nothing, and nothing is read of what was sent."""
    answer = await endpoint.alert(b"{not json", **headers)
    assert endpoint.world.data.rows == {}
    assert answer.status_code == 401
    assert answer.json()["error"].startswith("Credentials missing or wrong")
    assert answer.headers["www-authenticate"].startswith("Basic")


@pytest.mark.parametrize(
    ("signed", "age", "token", "status"),
    [
        (firing(), 0, "", 200),
        (firing("f2"), 0, "", 401),
        (firing(), 360, "", 401),
        (firing(), -360, "", 401),
        (b"other", 0, f"Bearer {TOKEN}", 401),
    ],
)
async def test_grafanas_signature_is_enough_by_itself(
    signed: bytes, age: int, token: str, status: int, endpoint: Endpoint
) -> None:
    """Over the timestamp and the raw bytes: a captured one is no good later; a good token does not heal a bad one."""
    headers = grafana_signature(signed, f"{endpoint.world.clock.now() - age:.0f}")
    answer = await endpoint.alert(firing(), **headers, **({"Authorization": token} if token else {}))
    assert answer.status_code == status


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"alerts": 1}', b"\xff\xfe", b"[" * 100_000, b'"x"'])
async def test_what_cannot_be_read_gets_400_and_a_sentence(content: bytes, endpoint: Endpoint) -> None:
    answer = await endpoint.alert(content)
    assert "open" not in endpoint.world.data.sets
    assert answer.status_code == 400
    assert len(answer.json()["error"]) > 10


async def test_an_unknown_source_gets_404_with_those_there_are(endpoint: Endpoint) -> None:
    """A typing error in the sender's address."""
    answer = await endpoint.alert(source="graphana")
    assert answer.status_code == 404
    assert "graphana" in answer.json()["error"]
    assert "alertmanager" in answer.json()["error"]


async def test_recorded_payloads_are_stored(endpoint: Endpoint) -> None:
    """Of Alertmanager and of Grafana, each at its own endpoint."""
    assert (await endpoint.alert(alertmanager(1), "alertmanager")).json() == {"outcome": "opened"}
    assert (await endpoint.alert(grafana("mixed_group"))).json() == {"outcome": "opened"}
    assert (await endpoint.alert(grafana("test_button"))).json() == {"outcome": "tested"}


async def test_a_store_that_is_down_gets_503_and_the_sender_tries_again(endpoint: Endpoint) -> None:
    """Never a 4xx: Alertmanager would drop the alert (docs/design/measurements.md#alertmanager-retries)."""
    endpoint.world.data.broken = Unreachable("Redis", "connection refused")
    answer = await endpoint.alert()
    assert (answer.status_code, answer.json()) == (503, {"error": "cannot store this now; send it again"})
    endpoint.world.data.broken = None
    assert (await endpoint.alert()).json() == {"outcome": "opened"}


async def test_a_source_that_sends_too_much_at_once_is_asked_to_send_again(
    monkeypatch: pytest.MonkeyPatch, endpoint: Endpoint
) -> None:
    """C10: 503 and never 429; another source is let in all the while, and this one as soon as there is room."""
    monkeypatch.setattr(throttle, "MOST_IN_HAND", 2)
    commit, go_on = endpoint.store.commit, asyncio.Event()

    async def waits(change: Change) -> None:
        await go_on.wait()
        await commit(change)

    endpoint.store.commit = waits  # type: ignore[method-assign]  # the fake's own, that is slow
    in_hand = [asyncio.create_task(endpoint.alert(firing(f"f{number}"))) for number in range(2)]
    await asyncio.sleep(0)
    refused = await endpoint.alert(firing("f3"))
    assert (refused.status_code, refused.json()["error"]) == (
        503,
        "too many deliveries of this source at once; send it again",
    )
    other = asyncio.create_task(endpoint.alert(alertmanager(1), source="alertmanager"))
    await asyncio.sleep(0)
    go_on.set()
    assert [(await answer).status_code for answer in (*in_hand, other)] == [200] * 3
    assert (await endpoint.alert(firing("f3"))).status_code == 200


async def test_a_store_that_hangs_gets_503_within_two_seconds(
    monkeypatch: pytest.MonkeyPatch, endpoint: Endpoint
) -> None:
    """The time limit is shortened here, the way is the same."""
    assert store_or_503.PATIENCE_SECONDS < 2
    monkeypatch.setattr(store_or_503, "PATIENCE_SECONDS", 0.01)

    async def hangs(change: Change) -> None:
        await asyncio.Event().wait()
        raise AssertionError(change)

    endpoint.store.commit = hangs  # type: ignore[method-assign]  # the fake's own, that never answers
    async with asyncio.timeout(PATIENCE_SECONDS):
        assert (await endpoint.alert()).status_code == 503


async def test_many_at_once_are_one_incident(endpoint: Endpoint) -> None:
    """Fifty deliveries of one group through one endpoint."""
    answers = await asyncio.gather(*(endpoint.alert() for _ in range(50)))
    assert {answer.status_code for answer in answers} == {200}
    assert sorted(answer.json()["outcome"] for answer in answers)[:2] == ["opened", "repeated"]
    assert endpoint.world.incident.thread.root is None


async def test_whatever_goes_wrong_while_storing_the_sender_is_asked_to_send_again(endpoint: Endpoint) -> None:
    """A client library that raises something of its own in a failover is no reason for another answer than 503."""

    async def raises(change: Change) -> None:
        raise KeyError(change)

    endpoint.store.commit = raises  # type: ignore[method-assign]  # the fake's own, that breaks
    answer = await endpoint.alert()
    assert (answer.status_code, answer.json()) == (503, {"error": "cannot store this now; send it again"})

"""C10: nobody, and no machine in somebody's name, asks faster than a person does."""

from tests.handlers.endpoint import Endpoint
from tests.world import ANA, BEN


def whispers_to(endpoint: Endpoint, who: str) -> list[str]:
    """What one person was told alone."""
    return [message.text for _, user, message, _ in endpoint.world.chat.whispers if user == who]


async def test_one_person_is_slowed_down_and_told_when_to_come_back() -> None:
    """Slack gets its 200; others go on; after a while it works again."""
    async with Endpoint(actions={"per_minute": 3}) as endpoint:
        await endpoint.world.opens()
        answers = [await endpoint.slash("list") for _ in range(5)]
        assert {answer.status_code for answer in answers} == {200}
        assert "No" in answers[0].text or "incident" in answers[0].text
        assert "Rate limit reached: 3 requests per minute. Try again in" in answers[4].text
        assert "Rate limit" not in (await endpoint.slash("list", BEN)).text
        endpoint.world.clock.advance(61)
        assert "Rate limit" not in (await endpoint.slash("list")).text


async def test_one_incident_is_protected_from_many_people() -> None:
    """Three times the rate of one person for all of them together."""
    async with Endpoint(actions={"per_minute": 1}) as endpoint:
        await endpoint.world.opens()
        value = f"{endpoint.world.incident.id}.{'0' * 12}"
        for number in range(5):
            await endpoint.press("ack", value, f"U0P{number}")
        assert [
            "3 requests per minute" in text for number in range(5) for text in whispers_to(endpoint, f"U0P{number}")
        ] == [*(False, False, False, True, True)]


async def test_what_was_too_often_is_not_recorded_as_done() -> None:
    """Nothing happens to the incident."""
    async with Endpoint(actions={"per_minute": 1}) as endpoint:
        await endpoint.world.opens()
        await endpoint.slash("list")
        await endpoint.slash("ack")
        assert endpoint.world.incident.ownership.owner is None
        assert whispers_to(endpoint, ANA) == []

"""hashicorp/nomad#8187: while a deployment runs, the orchestrator answers a new size with 400 and one sentence."""

from tests.adapters.back_end import URL, BackEnd, SentRequest
from tests.reports.fleet import Fleet

SENTENCE = "job scaling blocked due to active deployment"


async def test_the_refusal_is_told_in_the_words_of_who_refused() -> None:
    """Nothing was set, and the person can try again when the deployment is over."""

    def answer(request: SentRequest) -> tuple[int, object]:
        return (200, {"current": 5, "min": 0, "max": 40}) if request.method == "GET" else (400, {"error": SENTENCE})

    fleet = Fleet()
    fleet.knows("prometheus", queued=30, oldest_wait_seconds=2400.0, busy=5, idle=0, limit=40)
    fleet.scaled_by({"kind": "http", "url": URL}, BackEnd(answer=answer).parts())
    await fleet.fires()
    assert SENTENCE in await fleet.scaled(15)

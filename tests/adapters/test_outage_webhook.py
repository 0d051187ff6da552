"""Who is told when Slack cannot be reached: one document, and an address that is a secret."""

from pathlib import Path

import pytest

from bot.adapters.outage_webhook import build
from bot.config import ConfigError, OutsideTable
from bot.ports import Failure, Unreachable
from tests.adapters.back_end import BackEnd, parts_with, patient_pool
from tests.adapters.on_the_way import Proxy, proxying, serving_tls
from tests.fakes import FakeOutside

HOOK = "https://pager.test/hook/s3cr3t?key=t0ps3cr3t"
TABLE = OutsideTable(url_env="PAGER")


async def test_one_small_document_is_posted() -> None:
    """Any 2xx is fine, JSON or not."""
    back = BackEnd().says(202, b"")
    await build(TABLE, back.parts(PAGER=HOOK)).tell("slack_unreachable", "Slack has not answered for 5 min.")
    asked = back.asked[0]
    assert (asked.method, asked.path, asked.query) == ("POST", "/hook/s3cr3t", {"key": "t0ps3cr3t"})
    assert asked.body == {
        "source": "tailback",
        "event": "slack_unreachable",
        "text": "Slack has not answered for 5 min.",
    }


@pytest.mark.parametrize(
    ("status", "failure"), [(404, Failure.SHAPE), (500, Failure.UNKNOWN), (403, Failure.CREDENTIALS)]
)
async def test_a_refusal_names_no_secret(status: int, failure: Failure) -> None:
    """The host is named, the path and the key are not."""
    with pytest.raises(Unreachable) as caught:
        await build(TABLE, BackEnd().says(status, {"message": "no"}).parts(PAGER=HOOK)).tell("e", "t")
    assert caught.value.failure is failure
    assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize("value", ["pager.test/s3cr3t", "ftp://x/s3cr3t"])
def test_a_wrong_address_names_the_variable_and_not_its_value(value: str) -> None:
    """It may be a secret."""
    with pytest.raises(ConfigError) as caught:
        build(TABLE, BackEnd().parts(PAGER=value))
    assert "[outside_slack]: url_env: the value of PAGER needs http:// or https://" in str(caught.value)
    assert "s3cr3t" not in str(caught.value)


def test_a_missing_variable_is_named() -> None:
    """Place and variable."""
    with pytest.raises(ConfigError, match=r"\[outside_slack\]: url_env: PAGER"):
        build(TABLE, BackEnd().parts())


async def test_it_is_told_through_the_proxy_of_its_own_table(tmp_path: Path) -> None:
    """A network that Slack cannot be reached from may let a pager through; its path and key stay out of the proxy."""
    proxy = Proxy(login="tailback:hunter22-long")
    async with (
        serving_tls(tmp_path, b"") as (url, ca_file),
        proxying(proxy) as address,
        patient_pool() as wire,
    ):
        table = OutsideTable(url_env="PAGER", proxy=address, proxy_basic_env="LOGIN", ca_file=ca_file)
        parts = parts_with(wire, {"PAGER": f"{url}/hook/s3cr3t", "LOGIN": "tailback:hunter22-long"})
        await build(table, parts).tell("slack_unreachable", "Slack has not answered for 5 min.")
    (head,) = proxy.heads
    assert head.startswith(f"CONNECT {url.removeprefix('https://')} ")
    assert "s3cr3t" not in head


async def test_a_proxy_that_is_away_is_named_and_the_secret_is_not() -> None:
    """As of every back end."""
    async with patient_pool() as wire:
        table = OutsideTable(url_env="PAGER", proxy="http://127.0.0.1:9")
        with pytest.raises(Unreachable, match=r"through the proxy 127\.0\.0\.1:9 \(.*; check proxy ") as caught:
            await build(table, parts_with(wire, {"PAGER": HOOK})).tell("e", "t")
    assert caught.value.failure is Failure.UNCONNECTED
    assert "s3cr3t" not in str(caught.value)


async def test_the_fake_keeps_what_it_was_told() -> None:
    """Tests of stories read it."""
    fake = FakeOutside()
    await fake.tell("e", "t")
    assert fake.told == [("e", "t")]

"""Amazon SNS's part: certificates are fetched once, signatures checked, subscriptions confirmed."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from bot.adapters.integrations import build
from bot.adapters.sns import FORGET_SECONDS, MOST_KEPT
from bot.config import load
from bot.ports import Refused, Sns, Unreachable
from bot.sources.sns import envelope
from tests.adapters.on_the_way import Proxy, proxying, serving_tls
from tests.amazon import CERTIFICATE, HOST, SUBSCRIBE, Amazon, certificate, sealed
from tests.builders import NOW
from tests.fakes import FakeClock


async def verified(sns: Sns, body: bytes, address: str = CERTIFICATE) -> bool:
    found = envelope(body)
    return await sns.verified(address, found.signed, found.signature, found.version)


@pytest.mark.parametrize("version", ["1", "2"])
async def test_a_good_signature_is_believed(version: str) -> None:
    """SHA-1 as SNS does by default, SHA-256 where the topic says so; one certificate is fetched once."""
    amazon = Amazon()
    sns = amazon.sns(FakeClock(NOW).now)
    assert await verified(sns, sealed(version=version, Subject="s"))
    assert await verified(sns, sealed("other", version=version))
    assert [str(url) for url in amazon.requests] == [CERTIFICATE]


@pytest.mark.parametrize(
    "body",
    [
        sealed(signer="stranger"),
        sealed().replace(b"ALARM", b"alarm", 1),
        sealed().replace(b'"SignatureVersion": "1"', b'"SignatureVersion": "2"'),
        sealed().replace(b"Notification", b"SubscriptionConfirmation", 1),
    ],
)
async def test_a_bad_one_is_not(body: bytes) -> None:
    """Another key, another text, another method, another kind of message."""
    assert not await verified(Amazon().sns(FakeClock(NOW).now), body)


@pytest.mark.parametrize(
    "pem", [b"", b"nonsense", certificate(-1), certificate(private=ec.generate_private_key(ec.SECP256R1()))]
)
async def test_a_certificate_that_cannot_be_used_vouches_for_nothing(pem: bytes) -> None:
    """Empty, no certificate, run out, or of another kind of key."""
    assert not await verified(Amazon(pem).sns(FakeClock(NOW).now), sealed())


async def test_a_certificate_runs_out_while_it_is_kept() -> None:
    amazon, clock = Amazon(certificate(1)), FakeClock(NOW)
    sns = amazon.sns(clock.now)
    assert await verified(sns, sealed())
    clock.advance(2 * 86400)
    assert not await verified(sns, sealed())


@pytest.mark.parametrize("status", [404, 403, 302, 400])
async def test_an_address_without_a_certificate_is_left_alone_for_a_while(status: int) -> None:
    """A stranger who makes up addresses causes one question each, in a minute; no redirect is followed."""
    amazon, clock = Amazon(status=status), FakeClock(NOW)
    sns = amazon.sns(clock.now)
    assert not await verified(sns, sealed())
    amazon.status = 200
    assert not await verified(sns, sealed())
    assert len(amazon.requests) == 1
    clock.advance(FORGET_SECONDS)
    assert await verified(sns, sealed())


async def test_what_is_remembered_is_bounded() -> None:
    """However many addresses are made up, and the right one is fetched again after."""
    amazon = Amazon(status=404)
    sns = amazon.sns(FakeClock(NOW).now)
    for number in range(MOST_KEPT + 5):
        assert not await verified(sns, sealed(), f"{HOST}/SimpleNotificationService-{number}.pem")
    amazon.status = 200
    assert await verified(sns, sealed())


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_a_certificate_that_cannot_be_fetched_now_is_no_verdict(status: int) -> None:
    """The sender is asked to send again; nothing is remembered."""
    amazon = Amazon(status=status)
    sns = amazon.sns(FakeClock(NOW).now)
    with pytest.raises(Unreachable, match="Amazon SNS"):
        await verified(sns, sealed())
    amazon.status = 200
    assert await verified(sns, sealed())
    amazon.down = True
    assert await verified(sns, sealed())
    with pytest.raises(Unreachable):
        await verified(sns, sealed(), f"{HOST}/SimpleNotificationService-0.pem")


async def test_a_subscription_is_confirmed_by_one_question() -> None:
    amazon = Amazon()
    await amazon.sns(FakeClock(NOW).now).confirm(SUBSCRIBE)
    (request,) = amazon.requests
    assert (request.host, request.path) == ("sns.us-east-1.amazonaws.com", "/")
    assert request.params["Action"] == "ConfirmSubscription"
    assert request.params["Token"]


@pytest.mark.parametrize("status", [400, 403, 404, 302])
async def test_a_confirmation_that_is_refused_says_so(status: int) -> None:
    with pytest.raises(Refused, match="did not confirm the subscription"):
        await Amazon(status=status).sns(FakeClock(NOW).now).confirm(SUBSCRIBE)


async def test_certificates_and_confirmations_come_by_the_way_of_the_table(tmp_path: Path) -> None:
    """A proxy that wants a login, and a company's own authority behind it."""
    proxy, file = Proxy(login="tailback:hunter22-long"), tmp_path / "tailback.toml"
    async with serving_tls(tmp_path, certificate()) as (url, ca_file), proxying(proxy) as address:
        file.write_text(f'[sns]\nproxy = "{address}"\nproxy_basic_env = "LOGIN"\nca_file = "{ca_file}"\n')
        ends = build(load({"TAILBACK_CONFIG": str(file), "LOGIN": "tailback:hunter22-long"}), FakeClock(NOW).now)
        try:
            assert await verified(ends.sns, sealed(), f"{url}/SimpleNotificationService-1.pem")
            await ends.sns.confirm(f"{url}/?Action=ConfirmSubscription")
            (tmp_path / "ca.crt").unlink()
            with pytest.raises(Unreachable, match=r"Amazon SNS: ca_file: .*ca\.crt cannot be used \(No such file"):
                await ends.sns.confirm(f"{url}/?Action=ConfirmSubscription")
        finally:
            await ends.close()
    assert {line.split()[0] for line in proxy.lines} == {"CONNECT"}


async def test_a_proxy_that_is_away_is_no_verdict(tmp_path: Path) -> None:
    """Amazon is asked to send again, and the log names the proxy."""
    file = tmp_path / "tailback.toml"
    file.write_text('[sns]\nproxy = "http://127.0.0.1:9"\n')
    ends = build(load({"TAILBACK_CONFIG": str(file)}), FakeClock(NOW).now)
    try:
        with pytest.raises(Unreachable, match=r"through the proxy 127\.0\.0\.1:9 \(.*; check proxy and its login"):
            await verified(ends.sns, sealed())
    finally:
        await ends.close()

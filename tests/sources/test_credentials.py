"""Who may send alerts: every odd credential is refused with one sentence, and nothing raises."""

import base64
import hmac
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sources.credentials import REFUSED, CredentialVerdict, Secrets, judged
from tests.examples import THRICE

NOW = 1_800_000_000.0
BODY = b'{"alerts": []}'
TOKENS = Secrets(tokens=("old-token-0123456789", "new-tökén-0123456789"))
HMAC = Secrets(hmac_secret="shared-secret-0123456789")
BOTH = Secrets(TOKENS.tokens, HMAC.hmac_secret)
Header = tuple[bytes, bytes]


def bearer(token: bytes) -> Header:
    return (b"authorization", b"Bearer " + token)


def basic(user: bytes, password: bytes) -> Header:
    return (b"Authorization", b"Basic " + base64.b64encode(user + b":" + password))


def signed(body: bytes = BODY, *, stamp: bytes = b"1800000000", secret: str = HMAC.hmac_secret) -> list[Header]:
    digest = hmac.new(secret.encode(), stamp + b":" + body, sha256).hexdigest().encode()
    return [(b"x-grafana-alerting-signature", digest), (b"x-grafana-alerting-timestamp", stamp)]


@pytest.mark.parametrize(
    ("headers", "secrets"),
    [
        ([bearer(b"old-token-0123456789")], TOKENS),
        ([bearer("new-tökén-0123456789".encode())], TOKENS),
        ([(b"AUTHORIZATION", b"bEaReR old-token-0123456789")], TOKENS),
        ([basic(b"grafana", b"old-token-0123456789")], TOKENS),
        ([basic(b"", "new-tökén-0123456789".encode())], TOKENS),
        ([(b"host", b"x"), bearer(b"old-token-0123456789"), (b"host", b"y")], TOKENS),
        (signed(), HMAC),
        (signed(), BOTH),
        ([bearer(b"old-token-0123456789")], BOTH),
        ([*signed(), bearer(b"old-token-0123456789")], BOTH),
        ([*signed(), bearer(b"for a proxy before us")], HMAC),
        (signed(stamp=b"1799999700"), HMAC),
        (signed(stamp=b"1800000300"), HMAC),
        ([(name.upper(), value.upper()) for name, value in signed()], HMAC),
        ([bearer(b"old-token-0123456789"), *signed(secret="not used here")], TOKENS),
    ],
)
def test_a_sender_who_knows_the_secret_is_let_in(headers: list[Header], secrets: Secrets) -> None:
    """Bearer, basic with any user name, or a signature alone; both tokens are valid during a rotation."""
    assert judged(headers, BODY, secrets, NOW) == CredentialVerdict(True)


@pytest.mark.parametrize(
    ("headers", "secrets", "reason"),
    [
        ([], TOKENS, "no credentials"),
        ([], HMAC, "no credentials"),
        ([], Secrets(), "no credentials"),
        ([bearer(b"")], Secrets(tokens=("",)), "no credentials"),
        ([bearer(b"x")], HMAC, "no credentials"),
        ([bearer(b"wrong")], TOKENS, "wrong token"),
        ([bearer(b"")], TOKENS, "wrong token"),
        ([(b"authorization", b"")], TOKENS, "wrong token"),
        ([(b"authorization", b"Bearer")], TOKENS, "wrong token"),
        ([(b"authorization", b"old-token-0123456789")], TOKENS, "wrong token"),
        ([(b"authorization", b"Token old-token-0123456789")], TOKENS, "wrong token"),
        ([bearer(b"old-token")], TOKENS, "wrong token"),
        ([bearer(b"old-token-0123456789\n")], TOKENS, "wrong token"),
        ([bearer(b"old-token-0123456789 ")], TOKENS, "wrong token"),
        ([bearer(b"old-token-0123456789,new")], TOKENS, "wrong token"),
        ([bearer(b"\xff\xfe\x00")], TOKENS, "wrong token"),
        ([basic(b"old-token-0123456789", b"")], TOKENS, "wrong token"),
        ([basic(b"u", b"wrong")], TOKENS, "wrong token"),
        ([(b"authorization", b"Basic !!!")], TOKENS, "wrong token"),
        ([(b"authorization", b"Basic b2xkLXRva2VuLTAxMjM0NTY3ODk=")], TOKENS, "wrong token"),
        ([bearer(b"old-token-0123456789")] * 2, TOKENS, "a credential header came more than once"),
        ([basic(b"u", b"x"), bearer(b"old-token-0123456789")], TOKENS, "a credential header came more than once"),
        ([bearer(b"x" * 9000)], TOKENS, "a credential header is too long"),
        ([*signed(), bearer(b"wrong")], BOTH, "wrong token"),
        ([*signed(b"other body"), bearer(b"old-token-0123456789")], BOTH, "wrong signature"),
        (signed(b"other body"), HMAC, "wrong signature"),
        (signed(secret="wrong"), HMAC, "wrong signature"),
        ([signed()[0], (b"x-grafana-alerting-timestamp", b"1800000001")], HMAC, "wrong signature"),
        ([(b"x-grafana-alerting-signature", b"\xe9" * 64), signed()[1]], HMAC, "wrong signature"),
        ([(b"x-grafana-alerting-signature", b""), signed()[1]], HMAC, "wrong signature"),
        ([(b"x-grafana-alerting-signature", b"sha256=" + signed()[0][1]), signed()[1]], HMAC, "wrong signature"),
        ([signed()[0]], HMAC, "signature without its timestamp header"),
        (signed(stamp=b"1800000301"), HMAC, "signed more than 5 minutes before or after our clocks"),
        (signed(stamp=b"1799999699"), HMAC, "signed more than 5 minutes before or after our clocks"),
        (signed(stamp=b"999999999999"), HMAC, "signed more than 5 minutes before or after our clocks"),
        (signed(stamp=b"1800000000.5"), HMAC, "timestamp is not whole seconds"),
        (signed(stamp=b"-1800000000"), HMAC, "timestamp is not whole seconds"),
        (signed(stamp=b"18000000000000000000"), HMAC, "timestamp is not whole seconds"),
        (signed(stamp="١٨٠٠٠٠٠٠٠٠".encode()), HMAC, "timestamp is not whole seconds"),
        (signed(stamp=b""), HMAC, "timestamp is not whole seconds"),
        ([*signed(), signed()[0]], HMAC, "a credential header came more than once"),
        ([*signed(), signed()[1]], HMAC, "a credential header came more than once"),
    ],
)
def test_everybody_else_is_refused_with_one_sentence(headers: list[Header], secrets: Secrets, reason: str) -> None:
    """The sender learns nothing from the sentence; the reason is for our own log (SE-2)."""
    assert judged(headers, BODY, secrets, NOW) == CredentialVerdict(False, reason, REFUSED)


def test_a_header_name_of_ones_own_choice() -> None:
    own = Secrets(hmac_secret=HMAC.hmac_secret, timestamp_header="X-When")
    signature, stamp = signed()
    assert judged([signature, (b"x-when", stamp[1])], BODY, own, NOW).ok
    assert judged([signature, stamp], BODY, own, NOW).reason == "signature without its timestamp header"


def test_without_a_timestamp_header_the_body_alone_is_signed() -> None:
    """It works as Grafana does it by default, and can be replayed: the caller warns about it."""
    alone = Secrets(hmac_secret=HMAC.hmac_secret, timestamp_header="")
    digest = hmac.new(HMAC.hmac_secret.encode(), BODY, sha256).hexdigest().encode()
    assert judged([(b"x-grafana-alerting-signature", digest)], BODY, alone, NOW).ok
    assert not judged(signed(), BODY, alone, NOW).ok


def test_secrets_never_print() -> None:
    """A log line or a traceback that shows the value shows nothing."""
    assert "token" not in repr(BOTH).replace("sources.credentials", "")
    assert HMAC.hmac_secret not in repr(BOTH)


@THRICE
@given(
    headers=st.lists(
        st.tuples(
            st.sampled_from([b"authorization", b"x-grafana-alerting-signature", b"x-grafana-alerting-timestamp"])
            | st.binary(max_size=8),
            st.binary(max_size=60) | st.binary(max_size=30).map(lambda rest: b"Basic " + rest),
        ),
        max_size=4,
    ),
    body=st.binary(max_size=60),
)
def test_no_input_raises_and_none_gets_in_by_chance(headers: list[Header], body: bytes) -> None:
    assert judged(headers, body, BOTH, NOW).sentence == REFUSED

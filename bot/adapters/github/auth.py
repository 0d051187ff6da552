"""Authenticates as a GitHub App, whose private key buys one-hour tokens. Its library takes 8 MB, so few load it."""

import asyncio
from collections.abc import Callable, Mapping

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from bot.adapters.http.client import Http, HttpAnswer, bearer
from bot.config import unusable
from bot.ports import Failure, Unreachable
from bot.sources.payload import fields, instant

EARLY_SECONDS = 300.0
"""A new token is requested this long before the old one expires."""
SKEW_SECONDS = 60
"""Allowed difference between our clock and GitHub's."""
LIFE_SECONDS = 540
"""GitHub refuses App tokens that live longer than ten minutes."""
NEW_SECONDS = 45.0
"""GitHub may not know a new token yet. Origin: its advice to try after 3, 10 and 30 s (akuity/kargo#6630)."""


class App:
    """An installation of a GitHub App; its token is reused until five minutes before its end."""

    def __init__(self, http: Http, app: tuple[str, str], key: RSAPrivateKey, now: Callable[[], float]) -> None:
        """`app` is (id of the App, id of its installation); `now` gives epoch seconds."""
        self._http, self._key, self._now = http, key, now
        self._id, self._installation = app
        self._token, self._made, self._until = "", 0.0, 0.0
        self._turn = asyncio.Lock()
        self.remedy = "it is asked for anew at the next request; check that the App is still installed"

    async def headers(self) -> Mapping[str, str]:
        async with self._turn:
            if not self._token or self._now() >= self._until:
                await self._renew()
            return bearer(self._token)

    def refused(self) -> None:
        """It was revoked, or the permissions of the App changed; a new one may not be known everywhere yet."""
        if self._now() - self._made > NEW_SECONDS:
            self._token = ""

    async def _renew(self) -> None:
        now = int(self._now())
        claims = {"iat": now - SKEW_SECONDS, "exp": now + LIFE_SECONDS, "iss": self._id}
        proof = bearer(jwt.encode(claims, self._key, algorithm="RS256"))
        answer = await self._http.send("POST", f"/app/installations/{self._installation}/access_tokens", {}, proof)
        body = fields(answer.body)
        token, ends = body.get("token"), body.get("expires_at")
        if not answer.ok or not isinstance(token, str):
            raise self._problem(answer)
        self._token, self._made, self._until = token, now, (instant(ends) or now + 3600.0) - EARLY_SECONDS

    def _problem(self, answer: HttpAnswer) -> Unreachable:
        http = f"(HTTP {answer.status}{'' if answer.ok else f': {answer.text}'})"
        if answer.status == 404:
            what = f"the App {self._id} has no installation {self._installation} {http}"
            remedy = "correct installation_id, the number at the end of the address where it is configured"
            return self._http.problem(what, Failure.SHAPE, remedy=remedy)
        if answer.status == 403:
            remedy = "let an owner of the organisation lift its suspension"
            return self._http.problem(f"the App may not act {http}", Failure.CREDENTIALS, remedy=remedy)
        if answer.status == 401:
            remedy = "check app_id, that the private key is this App's, and this machine's clock"
            return self._http.problem(f"does not accept the App {self._id} {http}", Failure.CREDENTIALS, remedy=remedy)
        return self._http.problem(f"gave the App no token {http}", Failure.SHAPE, remedy="look at the App's settings")


def private_key(place: str, variable: str, text: str) -> RSAPrivateKey:
    """The private key from a variable, also with line breaks as `\\n`.

    Raises ConfigError unless it is a whole RSA key in PEM.
    """
    place = f"{place}: private_key_env"
    remedy = "put the whole .pem file into it that the App's settings offer, with its BEGIN and END lines"
    try:
        key = load_pem_private_key(text.replace("\\n", "\n").strip().encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise unusable(place, f"{variable} does not hold a private key (PEM)", remedy) from None
    if not isinstance(key, RSAPrivateKey):
        raise unusable(place, f"{variable} holds a key that is not RSA", remedy)
    return key

"""Addresses of back ends as people configure them: checked, and never repeated in an error."""

from typing import Annotated

import httpx
from pydantic import AfterValidator

from bot.settings import WrongSetting

_SUCH = "write for example http://localhost:9090"


def base_url(text: str) -> str:
    """The address without trailing slash; raises WrongSetting, and never repeats the value."""
    url = _parsed(text)
    if url.userinfo:
        raise WrongSetting("must not carry a name and password", "name a variable that holds them instead")
    if url.query or url.fragment:
        raise WrongSetting("must not carry ? or #", "leave out all that follows the path")
    return str(url).rstrip("/")


def secret_url(text: str) -> str:
    """An address from a variable, which may be secret as a whole, query included; raises WrongSetting."""
    return str(_parsed(text))


def _parsed(text: str) -> httpx.URL:
    try:
        url = httpx.URL(text.strip())
    except httpx.InvalidURL:
        raise WrongSetting("is not an address", _SUCH) from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise WrongSetting("needs http:// or https:// and a host", _SUCH)
    return url


BaseUrl = Annotated[str, AfterValidator(base_url)]

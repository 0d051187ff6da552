"""Addresses of back ends as people configure them: checked, and never repeated in an error."""

from typing import Annotated

import httpx
from pydantic import AfterValidator


def base_url(text: str) -> str:
    """The address without trailing slash; raises ValueError with a remedy, and never repeats the value."""
    url = _parsed(text)
    if url.userinfo:
        raise ValueError("must not carry a name and password; name a variable that holds them instead")
    if url.query or url.fragment:
        raise ValueError("must not carry ? or #; leave out all that follows the path")
    return str(url).rstrip("/")


def secret_url(text: str) -> str:
    """An address from a variable, which may be secret as a whole, query included; raises ValueError."""
    return str(_parsed(text))


def _parsed(text: str) -> httpx.URL:
    try:
        url = httpx.URL(text.strip())
    except httpx.InvalidURL:
        raise ValueError("is not an address; write for example http://localhost:9090") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise ValueError("needs http:// or https:// and a host, for example http://localhost:9090")
    return url


BaseUrl = Annotated[str, AfterValidator(base_url)]

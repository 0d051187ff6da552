"""What a system that knows single jobs does for the port `Jobs`; and how it reads addresses."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable
from urllib.parse import unquote, urlsplit

from bot.core.jobs.found import FoundJob, FoundJobs, Unfound


@runtime_checkable
class JobFinder(Protocol):
    """A metrics source that finds jobs by address."""

    async def find(self, url: str) -> FoundJobs | None:
        """The jobs of an address; None if it belongs to another system. Raises Unreachable."""


def jobs_or_none(jobs: Sequence[FoundJob]) -> FoundJobs:
    return FoundJobs(tuple(jobs)) if jobs else FoundJobs(reason=Unfound.NOT_FOUND)


def path_under(url: str, base: str) -> str | None:
    """The path of `url` below the web address `base`, without escapes, as it stands; None if it is not below it."""
    address, home = urlsplit(url), urlsplit(base)
    if address.hostname is None or (address.hostname, address.port) != (home.hostname, home.port):
        return None
    root = home.path.rstrip("/")
    path = unquote(address.path[len(root) :]) if address.path.startswith(f"{root}/") else ".."
    return None if ".." in path.split("/") else path

"""Makes clients from Redis URLs (one server, Sentinel or Cluster), with our own time limits and without retries."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Protocol
from urllib.parse import ParseResult, parse_qsl, unquote, urlparse

from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import NoBackoff
from redis.exceptions import RedisClusterException

from bot.adapters.redis.together import Together
from bot.config import unusable

REPLY_SECONDS = 0.85
"""Time limit of one reply, or of one connection: two of them stay under 2 s (P1, IN-2)."""
IDLE_SECONDS = 15
"""A connection idle for this long is checked with PING before use."""
CONNECTIONS = 32
"""Concurrent calls of one process to a Cluster; further ones wait."""
PIPELINES = 8
"""Concurrent pipelines of one process to a server; calls beyond them share the next one."""

_REMEDY = (
    "write redis://host:6379/0, rediss://host:6379/0, unix:///path/redis.sock, "
    "redis+sentinel://host1:26379,host2:26379/service or redis+cluster://host1:6379,host2:6379, "
    "with %2F for / in a password and %XX for other special characters"
)

_OURS = "{tailback}:"
"""The hash tag of all keys: one node of a Cluster holds them."""
_KEYLESS = {"INFO", "TIME"}

_SENTINEL_LOGIN = {"sentinel_username", "sentinel_password"}

Options = dict[str, Any]
"""Keyword arguments of a redis-py connection, each with its type."""

LIMITS: Options = {
    "socket_timeout": REPLY_SECONDS,
    "socket_connect_timeout": REPLY_SECONDS,
    "health_check_interval": IDLE_SECONDS,
    "retry": Retry(NoBackoff(), 0),
    "client_name": "tailback",
    "driver_info": None,
    "protocol": 2,
}
"""RESP2, because RESP3 costs a handshake and nothing here uses it; no retries.

A retry could apply a write twice (docs/design/measurements.md#client-retries).
"""


class Client(Protocol):
    """The parts of a redis-py client that the store uses; for one server, Sentinel or Cluster."""

    def execute_command(self, name: str, *args: bytes | str | float) -> Awaitable[object]:
        """Send one command, once."""

    async def aclose(self) -> None:
        """Close every connection."""


@dataclass(frozen=True, slots=True)
class Clients:
    """`requests` for normal calls; `bulk` for large answers; `listener` makes the client of a subscription."""

    requests: Client
    bulk: Client
    """Never on the connection of a request at the same time, so that a commit never waits behind megabytes."""
    listener: Callable[[], Redis]
    watchers: tuple[Redis, ...] = ()
    """The sentinels that locate the primary."""

    async def aclose(self) -> None:
        """Close every connection but those of listeners."""
        await self.requests.aclose()
        await self.bulk.aclose()
        for watcher in self.watchers:
            await watcher.aclose()


def connect(url: str) -> Clients:
    """Clients for a REDIS_URL; sends nothing yet. Raises ConfigError for an invalid URL, of which it repeats nothing.

    What looks like a wrong port can be a part of the password.
    """
    try:
        parsed = urlparse(url)
        match parsed.scheme:
            case "redis" | "rediss" | "unix":
                if parsed.scheme != "unix":
                    int(parsed.path.strip("/") or "0")  # redis-py would take database 0 for a word
                return _one_server({**parse_url(url), **LIMITS})
            case "redis+sentinel" | "rediss+sentinel":
                return _sentinel(parsed)
            case "redis+cluster" | "rediss+cluster":
                return _cluster(parsed)
    except (ValueError, TypeError):
        raise unusable("REDIS_URL", "login, host, port, database or an option cannot be read", _REMEDY) from None
    raise unusable("REDIS_URL", f"the scheme {parsed.scheme!r} is not known", _REMEDY)


def _one_server(options: Options) -> Clients:
    # raises TypeError for an unknown option; not connected yet
    ConnectionPool(**options).make_connection()  # type: ignore[no-untyped-call]

    def client() -> Redis:
        return Redis.from_pool(ConnectionPool(**options))

    return Clients(*_pair(client()), client)


def _pair(client: Redis) -> tuple[Together, Together]:
    """For requests and bulk: they share the connections, so that both leave a former primary at once."""
    return Together(client, PIPELINES, IDLE_SECONDS), Together(client, PIPELINES, IDLE_SECONDS)


def _sentinel(parsed: ParseResult) -> Clients:
    """`/service` or `/service/db`; the sentinels' own login is `?sentinel_username=` and `?sentinel_password=`."""
    hosts, options = _hosts_and_options(parsed, 26379)
    service, _, db = parsed.path.strip("/").partition("/")
    if not service:
        raise unusable("REDIS_URL", "the name of the Sentinel service is missing after the hosts", _REMEDY)
    own = {name.removeprefix("sentinel_"): value for name, value in parse_qsl(parsed.query) if name in _SENTINEL_LOGIN}
    watchers = {**LIMITS, "ssl": options["ssl"], **own}
    sentinel = Sentinel(hosts, sentinel_kwargs=watchers)  # type: ignore[no-untyped-call]  # redis-py left it bare

    def master() -> Redis:
        client: Redis = sentinel.master_for(unquote(service), **options, db=int(db or 0))
        return client

    return Clients(*_pair(master()), master, tuple(sentinel.sentinels))


def _cluster(parsed: ParseResult) -> Clients:
    """Subscription messages reach every node, so the listener may use any of the named ones."""
    hosts, options = _hosts_and_options(parsed, 6379)
    nodes = [ClusterNode(host, port) for host, port in hosts]
    requests = _OneSlot(lambda: RedisCluster(startup_nodes=nodes, max_connections=CONNECTIONS + 1, **options))
    turns = cycle(hosts)

    def listener() -> Redis:
        host, port = next(turns)
        return Redis(host=host, port=port, **options)

    return Clients(requests, requests, listener)  # there each call has a connection of its own


class _OneSlot:
    """A Cluster client that sends commands without a key to the node with our keys, whose settings and clock count."""

    def __init__(self, made: Callable[[], RedisCluster]) -> None:
        """`made` makes a client of the named nodes; it learns the addresses of all, and then asks only these."""
        self._made, self._cluster = made, made()
        self._turns = asyncio.Semaphore(CONNECTIONS)

    async def execute_command(self, name: str, *args: bytes | str | float) -> object:
        async with self._turns:
            cluster = self._cluster
            try:
                return await self._asked(cluster, name, *args)
            except RedisClusterException:
                if cluster is self._cluster:
                    self._cluster = self._made()  # all have other addresses now: the named ones are asked again
                    await cluster.aclose()
                raise

    async def _asked(self, cluster: RedisCluster, name: str, *args: bytes | str | float) -> object:
        if name not in _KEYLESS:
            return await cluster.execute_command(name, *args)
        await cluster.initialize()
        return await cluster.execute_command(name, *args, target_nodes=cluster.get_node_from_key(_OURS))

    async def aclose(self) -> None:
        await self._cluster.aclose()


def _hosts_and_options(parsed: ParseResult, default_port: int) -> tuple[list[tuple[str, int]], Options]:
    """The hosts (`host`, `host:port` or `[v6]:port`, with commas between them), and the options of their clients."""
    login, _, named = parsed.netloc.rpartition("@")
    found = [urlparse(f"//{one}") for one in named.split(",") if one]
    if not found:
        raise unusable("REDIS_URL", "no host is given", _REMEDY)
    hosts = [(host.hostname, host.port or default_port) for host in found if host.hostname]
    if len(hosts) < len(found):
        raise ValueError
    username, _, password = login.partition(":")
    given = {"username": unquote(username), "password": unquote(password)}
    options = {name: value for name, value in given.items() if value}
    return hosts, {**options, **LIMITS, "ssl": parsed.scheme.startswith("rediss")}

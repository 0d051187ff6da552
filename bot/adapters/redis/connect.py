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

from bot.adapters.redis.pipe import Pipe
from bot.config import unusable

REPLY_SECONDS = 0.85
"""Time limit of one reply, or of one connection: two of them stay under 2 s (P1, IN-2)."""
IDLE_SECONDS = 15
"""A connection idle for this long is checked with PING before use."""
CONNECTIONS = 32
"""Concurrent calls of one process to a Cluster; further ones wait."""

_REMEDY = (
    "write redis://host:6379/0, rediss://host:6379/0, unix:///path/redis.sock, "
    "redis+sentinel://host1:26379,host2:26379/service or redis+cluster://host1:6379,host2:6379, "
    "with %2F for / in a password and %XX for other special characters"
)

_OURS = "{tailback}:"
"""The hash tag of all keys: one node of a Cluster holds them."""
_KEYLESS = {"INFO", "TIME"}

Options = dict[str, Any]  # redis-py's connection settings, each with its type
"""Keyword arguments of a redis-py connection."""


class Client(Protocol):
    """The parts of a redis-py client that the store uses; for one server, Sentinel or Cluster."""

    def execute_command(self, *args: bytes | str | float) -> Awaitable[object]:
        """Send one command, once."""

    async def aclose(self) -> None:
        """Close every connection."""


@dataclass(frozen=True, slots=True)
class Clients:
    """`requests` for normal calls; `listener` makes the client of a subscription."""

    requests: Client
    listener: Callable[[], Redis]
    watchers: tuple[Client, ...] = ()
    """The sentinels that locate the primary."""

    async def aclose(self) -> None:
        """Close every connection but those of listeners."""
        for client in (self.requests, *self.watchers):
            await client.aclose()


@dataclass(frozen=True, slots=True)
class RedisPlace:
    """A parsed URL of several hosts."""

    hosts: tuple[tuple[str, int], ...]
    path: tuple[str, ...]
    options: dict[str, str]
    login: Options
    tls: bool


def connect(url: str) -> Clients:
    """Clients for a REDIS_URL; sends nothing yet. Raises ConfigError for an invalid URL, of which it repeats nothing.

    What looks like a wrong port can be a part of the password.
    """
    ours = _ours()
    try:
        parsed = urlparse(url)
        match parsed.scheme:
            case "redis" | "rediss" | "unix":
                return _one_server({**parse_url(url), **ours})
            case "redis+sentinel" | "rediss+sentinel":
                return _sentinel(_place(parsed, 26379), ours)
            case "redis+cluster" | "rediss+cluster":
                return _cluster(_place(parsed, 6379), ours)
    except (ValueError, TypeError):
        raise unusable("REDIS_URL", "login, host, port or an option cannot be read", _REMEDY) from None
    raise unusable("REDIS_URL", f"the scheme {parsed.scheme!r} is not known", _REMEDY)


def _ours() -> Options:
    """Client options: RESP2, because RESP3 costs a handshake and nothing here uses it; no retries.

    A retry could apply a write twice (docs/design/measurements.md#client-retries).
    """
    return {
        "socket_timeout": REPLY_SECONDS,
        "socket_connect_timeout": REPLY_SECONDS,
        "health_check_interval": IDLE_SECONDS,
        "retry": Retry(NoBackoff(), 0),
        "client_name": "tailback",
        "driver_info": None,
        "protocol": 2,
    }


def _one_server(options: Options) -> Clients:
    pool = ConnectionPool(**options)
    pool.make_connection()  # type: ignore[no-untyped-call]  # raises TypeError for an unknown option; not connected yet
    client = Redis.from_pool(pool)
    return Clients(Pipe(client, REPLY_SECONDS, IDLE_SECONDS), lambda: Redis.from_pool(ConnectionPool(**options)))


def _sentinel(place: RedisPlace, ours: Options) -> Clients:
    """`/service` or `/service/db`; the sentinels' own login is `?sentinel_username=` and `?sentinel_password=`."""
    if not place.path:
        raise unusable("REDIS_URL", "the name of the Sentinel service is missing after the hosts", _REMEDY)
    watchers = {**ours, "ssl": True} if place.tls else dict(ours)
    for name in ("username", "password"):
        if given := place.options.get(f"sentinel_{name}"):
            watchers[name] = given
    sentinel = Sentinel(place.hosts, sentinel_kwargs=watchers)  # type: ignore[no-untyped-call]  # redis-py left it bare
    options = {**place.login, **ours, "ssl": place.tls}
    if len(place.path) > 1:
        options["db"] = int(place.path[1])

    def master() -> Redis:
        client: Redis = sentinel.master_for(place.path[0], **options)
        return client

    return Clients(Pipe(master(), REPLY_SECONDS, IDLE_SECONDS), master, tuple(sentinel.sentinels))


def _cluster(place: RedisPlace, ours: Options) -> Clients:
    """Subscription messages reach every node, so the listener may use any of the named ones."""
    options = {**place.login, **ours, "ssl": True} if place.tls else {**place.login, **ours}
    nodes = [ClusterNode(host, port) for host, port in place.hosts]
    requests = RedisCluster(startup_nodes=nodes, max_connections=CONNECTIONS + 1, **options)
    turns = cycle(place.hosts)

    def listener() -> Redis:
        host, port = next(turns)
        return Redis(host=host, port=port, **options)

    return Clients(_OneSlot(requests), listener)


class _OneSlot:
    """A Cluster client that sends commands without a key to the node with our keys, whose settings and clock count."""

    def __init__(self, cluster: RedisCluster) -> None:
        self._cluster = cluster
        self._turns = asyncio.Semaphore(CONNECTIONS)

    async def execute_command(self, *args: bytes | str | float) -> object:
        async with self._turns:
            if args[0] not in _KEYLESS:
                return await self._cluster.execute_command(*args)
            await self._cluster.initialize()
            node = self._cluster.get_node_from_key(_OURS)
            return await self._cluster.execute_command(*args, target_nodes=node)

    async def aclose(self) -> None:
        await self._cluster.aclose()


def _place(parsed: ParseResult, default_port: int) -> RedisPlace:
    login, _, hosts = parsed.netloc.rpartition("@")
    username, _, password = login.partition(":")
    found = tuple(_host(part, default_port) for part in hosts.split(",") if part)
    if not found:
        raise unusable("REDIS_URL", "no host is given", _REMEDY)
    given: Options = {"username": unquote(username), "password": unquote(password)}
    return RedisPlace(
        hosts=found,
        path=tuple(unquote(part) for part in parsed.path.split("/") if part),
        options=dict(parse_qsl(parsed.query)),
        login={name: value for name, value in given.items() if value},
        tls=parsed.scheme.startswith("rediss"),
    )


def _host(text: str, default_port: int) -> tuple[str, int]:
    """`host`, `host:port` or `[v6]:port`."""
    parsed = urlparse(f"//{text}")
    if not parsed.hostname:
        raise ValueError
    return parsed.hostname, parsed.port or default_port

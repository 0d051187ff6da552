"""Redis as larger installations run it: a primary that Sentinel watches, a Cluster; each can lose its primary."""

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import redis
from redis.crc import key_slot

from tests.faults.servers import Killed, RedisServer
from tests.patience import eventually
from tests.ports import free_port
from tests.redis_servers import started

SERVICE = "jobs"
OURS = key_slot(b"{tailback}:hw")
"""The slot of all of Tailback's keys."""
AT_ONCE = ("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1")
"""Else a replica waits 5 s before its first copy, and one that never had a copy never takes over."""
NOTICED_MS = 600
"""After how long without an answer a node counts as down."""


@dataclass(slots=True)
class Topology:
    """Some redis-servers that belong together; `primary` is the one that keeps our keys at the beginning."""

    url: str
    nodes: list[RedisServer]
    primary: RedisServer
    watchers: list["Watcher"] = field(default_factory=list)

    def lose_primary(self) -> None:
        """`kill -9` of the primary, and of the sentinel on its machine."""
        self.primary.kill()
        for watcher in self.watchers[:1]:
            watcher.kill()

    def keeps_our_keys(self) -> list[RedisServer]:
        """The servers that take writes to our keys now."""
        found = []
        for node in self.nodes:
            if not node.running or node is self.primary:
                continue
            with node.client as client, contextlib.suppress(redis.RedisError):
                client.set("{tailback}:probe", 1, px=1)
                found.append(node)
        return found


class Watcher(Killed):
    """One sentinel; it writes what it learns into its configuration file."""

    def __init__(self, folder: Path, primary: int) -> None:
        self.port = free_port()
        file = folder / f"sentinel-{self.port}.conf"
        file.write_text(
            f"port {self.port}\nbind 127.0.0.1\ndir {folder}\n"
            f"sentinel monitor {SERVICE} 127.0.0.1 {primary} 2\n"
            f"sentinel down-after-milliseconds {SERVICE} {NOTICED_MS}\n"
            f"sentinel failover-timeout {SERVICE} 4000\n"
        )
        self._child = started(["redis-sentinel", str(file)])

    def knows(self) -> tuple[int, int]:
        """How many replicas and other sentinels it has found."""
        with contextlib.suppress(redis.RedisError), redis.Redis(port=self.port, socket_timeout=5) as client:
            seen = client.sentinel_masters()[SERVICE]
            return int(seen["num-slaves"]), int(seen["num-other-sentinels"])
        return 0, 0


@asynccontextmanager
async def sentinel(folder: Path, *settings: str) -> AsyncIterator[Topology]:
    """One primary, two replicas and three sentinels that know each other; `settings` hold for every server."""
    primary = RedisServer(folder / "redis-0", *AT_ONCE, *settings)
    follow = ("--replicaof", "127.0.0.1", str(primary.port))
    replicas = [RedisServer(folder / f"redis-{number}", *AT_ONCE, *follow, *settings) for number in (1, 2)]
    made = Topology("", [primary, *replicas], primary)
    try:
        for node in made.nodes:
            await node.start()
        await eventually(lambda: all(linked(node) for node in replicas), "replicas that follow")
        made.watchers = [Watcher(folder, primary.port) for _ in range(3)]
        await eventually(lambda: all(watcher.knows() == (2, 2) for watcher in made.watchers), "sentinels that know all")
        hosts = ",".join(f"127.0.0.1:{watcher.port}" for watcher in made.watchers)
        made.url = f"redis+sentinel://{hosts}/{SERVICE}"
        yield made
    finally:
        for watcher in made.watchers:
            watcher.kill()
        for node in made.nodes:
            node.kill()


@asynccontextmanager
async def cluster(folder: Path, *settings: str) -> AsyncIterator[Topology]:
    """Three primaries that share the slots, and a replica of each; `settings` hold for every server."""
    more = (*AT_ONCE, *settings, "--cluster-enabled", "yes", "--cluster-node-timeout", str(NOTICED_MS))
    buses = [free_port() for _ in range(6)]
    nodes = [
        RedisServer(folder / f"redis-{number}", *more, "--cluster-port", str(bus)) for number, bus in enumerate(buses)
    ]
    hosts = ",".join(f"127.0.0.1:{node.port}" for node in nodes)
    made = Topology(f"redis+cluster://{hosts}", nodes, nodes[OURS * 3 // 16384])
    try:
        for node in nodes:
            await node.start()
        await _join(nodes, buses)
        yield made
    finally:
        for node in nodes:
            node.kill()


async def _join(nodes: list[RedisServer], buses: list[int]) -> None:
    """Make six servers one cluster: epochs, introductions, slots, replicas."""
    for number, node in enumerate(nodes):
        command(node, "SET-CONFIG-EPOCH", number + 1)
    for node in nodes[1:]:
        command(node, "MEET", "127.0.0.1", nodes[0].port, buses[0])
    for number, node in enumerate(nodes[:3]):
        command(node, "ADDSLOTS", *(slot for slot in range(16384) if slot * 3 // 16384 == number))
    await eventually(lambda: all(met(node) == len(nodes) for node in nodes), "nodes that know each other")
    for primary, replica in zip(nodes[:3], nodes[3:], strict=True):
        command(replica, "REPLICATE", command(primary, "MYID"))
    await eventually(lambda: all(linked(node) for node in nodes[3:]), "replicas that follow")
    await eventually(
        lambda: all(b"cluster_state:ok" in command(node, "INFO") for node in nodes), "a cluster that is well"
    )


def command(node: RedisServer, *words: bytes | str | int) -> bytes:
    """What a node answers to a word of CLUSTER, unparsed."""
    with node.client as client:
        client.response_callbacks.clear()
        return bytes(client.execute_command("CLUSTER", *words))


def met(node: RedisServer) -> int:
    """How many nodes of the cluster a node knows and has shaken hands with."""
    return sum(b"handshake" not in line for line in command(node, "NODES").splitlines())


def linked(node: RedisServer) -> bool:
    """Whether a replica has its copy and follows."""
    with node.client as client:
        facts = client.info("replication")
    return facts.get("master_link_status") == "up" and not facts.get("master_sync_in_progress")

"""Judges a NetworkPolicy as a cluster does: by where a packet goes after the address of a service was translated."""

from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from tests.deploy.charts import Document


@dataclass(frozen=True)
class Peer:
    """Something that Tailback connects to: a pod or node behind a service, or an address outside of the cluster."""

    name: str
    service: int | None = None
    """The port of the service; no policy ever sees it."""
    pod: int | None = None
    node: int | None = None
    """The port of a process on a node, such as the API server: a node is no pod."""
    outside: int | None = None
    address: str = "198.51.100.1"
    protocol: str = "TCP"


def allows(policy: Document, peer: Peer) -> bool:
    """Whether any egress rule of the policy lets the connection out."""
    port = peer.pod or peer.node or peer.outside
    return any(
        _opens(rule.get("ports"), port, peer.protocol) and _meets(rule.get("to"), peer)
        for rule in policy["spec"]["egress"]
    )


def _opens(ports: list[Document] | None, port: int | None, protocol: str) -> bool:
    return ports is None or any(
        (one.get("port", port), one.get("protocol", "TCP")) == (port, protocol) for one in ports
    )


def _meets(to: list[Document] | None, peer: Peer) -> bool:
    """Selectors match pods alone; blocks of addresses are for what is no pod, since networks differ in the rest."""
    if to is None:
        return True
    if peer.pod is not None:
        return any(one.get("namespaceSelector") == {} for one in to)
    blocks = [one["ipBlock"]["cidr"] for one in to if "ipBlock" in one]
    return any(ip_address(peer.address) in ip_network(block) for block in blocks)

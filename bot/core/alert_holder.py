"""Finds the Alertmanager that holds an incident's alerts, by kind and by addresses in the alerts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from bot.core.alert import OWN_KIND, Alert

PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Holder:
    name: str
    kind: str
    addresses: tuple[str, ...] = ()


def holders(source: str, alerts: Iterable[Alert], known: Sequence[Holder]) -> tuple[str, ...]:
    """The possible Alertmanagers: one if certain, several if not, or none.

    A sender's links contain its address (`externalURL`): the Alertmanager with the longest matching address wins.
    Without a match, every Alertmanager of the source's kind is possible, or else the only one, because Grafana can send
    to a Prometheus Alertmanager.
    """
    own = [holder for holder in known if holder.kind == source]
    if source in OWN_KIND and not own and len(known) == 1:
        own = [*known]
    links = [link for alert in alerts for link in (alert.links.silence, alert.links.alert) if link]
    fitting = {one.name: _best(one, links) for one in (own if source in OWN_KIND else known)}
    most = max(fitting.values(), default=0)
    if most:
        return tuple(name for name, length in fitting.items() if length == most)
    return tuple(one.name for one in own) if source in OWN_KIND else ()


def _best(holder: Holder, links: Iterable[str]) -> int:
    """The length of its longest address that is a prefix of a link; 0: none."""
    places = [place for address in holder.addresses if (place := _place(address))]
    given = [place for link in links if (place := _place(link))]
    return max((len(mine) for mine in places for there in given if there.startswith(mine)), default=0)


def _place(address: str) -> str:
    """Host, port and path with one trailing slash; a proxy may change the scheme, but not the default port."""
    try:
        parts = urlsplit(address)
        port = parts.port or PORTS.get(parts.scheme)
    except ValueError:
        return ""
    usual = "" if port in PORTS.values() else f":{port}"
    return f"{parts.hostname}{usual}{parts.path.rstrip('/')}/" if parts.hostname else ""

"""Which of the configured Alertmanagers holds an incident's alerts: by its kind, and by the addresses in the alerts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from bot.core.alert import Alert

OWN_KIND = frozenset({"grafana", "alertmanager"})
"""Sources whose alerts lie in a back end of the same name; the others' lie in one only if a link of theirs says so."""
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Holder:
    """A configured back end: its name and kind, and the addresses under which it is known."""

    name: str
    kind: str
    addresses: tuple[str, ...] = ()


def holders(source: str, alerts: Iterable[Alert], known: Sequence[Holder]) -> tuple[str, ...]:
    """The names of those that may hold these alerts: one when it is certain, several when it is not, or none.

    A sender names itself in its links (`externalURL` of the payload): the back end with the longest such address wins.
    Without one, every back end of the source's kind may be it, or else the only one there is, because Grafana can send
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
    """The length of the longest of its addresses that a link begins with; 0: none."""
    places = [place for address in holder.addresses if (place := _place(address))]
    given = [place for link in links if (place := _place(link))]
    return max((len(mine) for mine in places for there in given if there.startswith(mine)), default=0)


def _place(address: str) -> str:
    """Host, port and path, with one slash at the end; a proxy may have changed the scheme, but not the default port."""
    try:
        parts = urlsplit(address)
        port = parts.port or PORTS.get(parts.scheme)
    except ValueError:
        return ""
    usual = "" if port in PORTS.values() else f":{port}"
    return f"{parts.hostname}{usual}{parts.path.rstrip('/')}/" if parts.hostname else ""

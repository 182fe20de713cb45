"""Who really calls and by which scheme, when a proxy that the settings name stands in between.

Anyone may write X-Forwarded-… headers, so they count only from the proxies listed in server.trusted_proxies
and are taken away in any case: nothing behind this can be misled by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from starlette.types import ASGIApp, Receive, Scope, Send

Address = IPv4Address | IPv6Address
FORWARDED = (b"forwarded", b"x-real-ip")
PREFIX = b"x-forwarded-"
SECURE = {"http": "https", "websocket": "wss"}
PLAIN = {"http": "http", "websocket": "ws"}


class TrustedProxies:
    """`peers` are addresses or networks such as 10.0.0.0/8; `ValueError` names the first that is neither."""

    def __init__(self, application: ASGIApp, peers: Sequence[str]) -> None:
        self._application = application
        self._peers = [ip_network(peer.strip(), strict=False) for peer in peers]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in SECURE:
            scope = self._believed(scope)
        await self._application(scope, receive, send)

    def _believed(self, scope: Scope) -> Scope:
        headers = scope["headers"]
        kept = [(name, value) for name, value in headers if not _is_forwarding(name)]
        known: Scope = {**scope, "headers": kept}
        peer = _address((scope.get("client") or ("",))[0])
        if peer is None or not self._trusts(peer):
            return known
        known["client"] = (str(self._caller(peer, _listed(headers, b"x-forwarded-for"))), 0)
        match _listed(headers, b"x-forwarded-proto")[-1:]:
            case [("https" | "wss")]:
                known["scheme"] = SECURE[scope["type"]]
            case [("http" | "ws")]:
                known["scheme"] = PLAIN[scope["type"]]
        return known

    def _caller(self, peer: Address, hops: list[str]) -> Address:
        """From the nearest hop outwards the first that is no proxy of ours: one of ours has seen it."""
        for hop in reversed(hops):
            found = _address(hop)
            if found is None:
                break
            peer = found
            if not self._trusts(peer):
                break
        return peer

    def _trusts(self, peer: Address) -> bool:
        return any(peer in network for network in self._peers)


def _is_forwarding(name: bytes) -> bool:
    return name.lower() in FORWARDED or name.lower().startswith(PREFIX)


def _listed(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> list[str]:
    """The items of a header that may be there several times, in order."""
    values = [value.decode("latin-1") for key, value in headers if key.lower() == name]
    return [item.strip().lower() for value in values for item in value.split(",") if item.strip()]


def _address(text: str) -> Address | None:
    """Also with a port, as some proxies write it; IPv4 in IPv6 clothes is IPv4."""
    host = text
    if text.startswith("["):
        host = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        host = text.partition(":")[0]
    try:
        found = ip_address(host)
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found

"""What must not be when others can reach the console: asked before it starts, and by `console doctor`."""

import re
from collections.abc import Iterator

from console.settings import Settings
from console.settings_file import SettingsError

ORIGIN = re.compile(r"https?://[^\s/?#*@]+")


def exposures(settings: Settings) -> Iterator[str]:
    """Off loopback nothing may rest on a default that was made for one person at one machine."""
    server = settings.server
    if bool(server.tls_cert) != bool(server.tls_key):
        yield "server.tls_cert and server.tls_key belong together: set both or neither"
    for origin in server.origins:
        if not ORIGIN.fullmatch(origin):
            yield f"server.origins has {origin!r}: write each as https://host or https://host:port"
    for peer in server.trusted_proxies:
        if peer.strip().endswith("/0"):
            yield f"server.trusted_proxies has {peer}, which is everybody: name the proxies"
    if server.on_loopback:
        return
    where = f"{server.host} is not a loopback address"
    if settings.demo:
        yield f"{where}, and the demo's passwords are known: use --host 127.0.0.1"
    if not server.origins:
        yield f"{where}: set server.origins to the addresses people open"
    if clear := [origin for origin in server.origins if origin.startswith("http:")]:
        yield f"{where}, and people would open {clear[0]} in clear text: let server.origins begin with https"
    if not server.tls_cert and not server.trusted_proxies:
        yield (
            f"{where}, and passwords would travel in clear text: "
            "set server.tls_cert and server.tls_key, or server.trusted_proxies"
        )
    generated = settings.data / "keys" / "ledger.key"
    key = settings.ledger.key
    if key is None or not key.is_file() or key.resolve() == generated.resolve():
        yield f"{where}: set ledger.key to a key file of your own"


def check_exposure(settings: Settings) -> None:
    """Raise `SettingsError` with the first reason not to start; `console doctor` lists them all."""
    for reason in exposures(settings):
        raise SettingsError(reason)

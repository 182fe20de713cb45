"""What the network sees: addresses, encryption, the identity provider."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509

from console.doctor.finding import Finding
from console.exposure import exposures
from console.settings import Settings

SOON = timedelta(days=14)


def answers(settings: Settings) -> Iterator[Finding]:
    refused = list(exposures(settings))
    yield from (Finding("bad", "server", reason) for reason in refused)
    if not refused:
        where = "this machine only" if settings.server.on_loopback else "others, with every safety set"
        yield Finding("ok", "server", f"{settings.server.host}:{settings.server.port}, for {where}")
    if settings.server.tls_cert:
        yield _certificate(settings.server.tls_cert)
    yield _provider(settings)


def _certificate(file: Path) -> Finding:
    try:
        ends = x509.load_pem_x509_certificate(file.read_bytes()).not_valid_after_utc
    except (OSError, ValueError) as wrong:
        return Finding("bad", "certificate", f"{file} cannot be read ({wrong}): correct server.tls_cert")
    day = f"{ends:%Y-%m-%d}"
    if ends < datetime.now(UTC):
        return Finding("bad", "certificate", f"{file} ended on {day}: renew it")
    if ends < datetime.now(UTC) + SOON:
        return Finding("note", "certificate", f"{file} ends on {day}: renew it")
    return Finding("ok", "certificate", f"{file}, until {day}")


def _provider(settings: Settings) -> Finding:
    """Asks it, as the first sign-in would: its description and its keys."""
    from console.services.provider import Provider, ProviderDown

    chosen = settings.oidc
    if not chosen.issuer:
        return Finding("ok", "identity provider", "none: people sign in by name and password")
    try:
        asked = Provider(chosen)
        asked.metadata()
        asked.keys()
    except ProviderDown:
        return Finding(
            "bad",
            "identity provider",
            f"{chosen.issuer} cannot be used, see the line above: correct oidc.issuer, or reach it from here",
        )
    if chosen.client_secret is None:
        return Finding("note", "identity provider", f"{chosen.issuer}, without a client_secret: PKCE alone")
    return Finding("ok", "identity provider", chosen.issuer)

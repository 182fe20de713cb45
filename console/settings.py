"""What the console is told: console.toml, CONSOLE_… variables and the command line, in rising precedence."""

import os
import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from console.settings_file import (
    PREFIX,
    SettingsError,
    find_file,
    read_file,
    refuse_unknown_variables,
    sqlite_url,
)

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
DEMO_SOURCE = "support"
DEMO_GRAPH = "console.demo.agent:graph"
DURATION = re.compile(r"(\d+)(s|m|h|d)")
IDLE, LIFETIME = timedelta(hours=12), timedelta(days=7)
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

Decision = Literal["approve", "edit", "reject", "respond"]


def _duration(value: object) -> object:
    if isinstance(value, str) and (found := DURATION.fullmatch(value)):
        return timedelta(seconds=int(found[1]) * SECONDS[found[2]])
    if isinstance(value, timedelta):
        return value
    raise ValueError('write a duration as a number with s, m, h or d, like "30m"')


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class SourceSettings(_Section):
    """Where runs live: `graph` with `checkpoints` in this process, or `server`, a LangGraph Server."""

    graph: str | None = None
    checkpoints: str | None = None
    context: str | None = None
    context_values: dict[str, Any] = {}
    config: dict[str, Any] = {}
    simulators: str | None = None
    store: str | None = None
    recursion_limit: int = Field(default=100, ge=1, le=10_000)
    msgpack_allow: tuple[str, ...] = ()
    visible_to: tuple[str, ...] | None = None
    server: str | None = None
    api_key: SecretStr | None = None

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        if (self.graph is None) == (self.server is None):
            raise ValueError("name either graph (an agent in this process) or server (a LangGraph Server)")
        if self.server is not None and self.checkpoints is not None:
            raise ValueError("a server keeps its own checkpoints: remove checkpoints")
        return self


class Limit(_Section):
    """Above `supervisor` at the JSON pointer `argument`, a second person decides, too."""

    argument: str = Field(pattern=r"^/.+")
    supervisor: float


class ToolPolicy(_Section):
    risk: Literal["low", "medium", "high"] | None = None
    limit: Limit | None = None
    four_eyes: bool = False
    own_work: Literal["allow", "forbid"] = "allow"
    reason_required: tuple[Decision, ...] = ()
    deadline: Annotated[timedelta, BeforeValidator(_duration)] | None = None
    on_expiry: Literal["escalate", "reject"] = "escalate"
    idempotent: bool = False
    args_schema: Path | None = Field(default=None, alias="schema")


class PolicySettings(_Section):
    tools: dict[str, ToolPolicy] = {}


class DatabaseSettings(_Section):
    url: str = ""


class LedgerSettings(_Section):
    """`heads` is a second place for signed heads, `key` the file with the signing key."""

    heads: Path | None = None
    key: Path | None = None


class ServerSettings(_Section):
    host: str = "127.0.0.1"
    port: int = Field(default=3000, ge=1, le=65535)
    origins: tuple[str, ...] = ()
    trusted_proxies: tuple[str, ...] = ()
    tls_cert: Path | None = None
    tls_key: Path | None = None

    @property
    def on_loopback(self) -> bool:
        return self.host in LOOPBACK

    @property
    def scheme(self) -> str:
        return "https" if self.tls_cert else "http"

    @property
    def allowed_origins(self) -> tuple[str, ...]:
        """Own addresses, made only on loopback; a port that is the scheme's own is never in an Origin."""
        if self.origins or not self.on_loopback:
            return self.origins
        standard = {"http": 80, "https": 443}[self.scheme]
        port = "" if self.port == standard else f":{self.port}"
        return tuple(f"{self.scheme}://{name}{port}" for name in ("localhost", "127.0.0.1", "[::1]"))


class SessionSettings(_Section):
    """A sign-in ends `lifetime` after it began, and earlier when it is not used for `idle`."""

    idle: Annotated[timedelta, BeforeValidator(_duration)] = Field(default=IDLE, ge=timedelta(minutes=1))
    lifetime: Annotated[timedelta, BeforeValidator(_duration)] = Field(
        default=LIFETIME, ge=timedelta(minutes=1)
    )


class OidcSettings(_Section):
    """Sign-in through an identity provider, beside passwords; off while `issuer` is empty.

    `roles` maps values of `claim` to roles; the first one that a person has counts, in the order written.
    """

    issuer: str = ""
    client_id: str = ""
    client_secret: SecretStr | None = None
    claim: str = "groups"
    roles: dict[str, Literal["supervisor", "qa", "admin"]] = {}
    name: str = "preferred_username"
    scopes: tuple[str, ...] = ("openid", "profile", "email")
    label: str = Field(default="single sign-on", min_length=1, max_length=40)

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if not self.issuer:
            return self
        if not is_safe_address(self.issuer) or urlsplit(self.issuer).query or "#" in self.issuer:
            raise ValueError("issuer is an https address; http is for a provider on this machine only")
        if not self.client_id:
            raise ValueError("issuer needs a client_id: the provider gives one for this console")
        if not self.roles:
            raise ValueError('issuer needs roles, such as roles = { "review-team" = "supervisor" }')
        if "openid" not in self.scopes:
            raise ValueError("scopes must contain openid")
        return self


def is_safe_address(address: str) -> bool:
    """https with a host; in clear text only what never leaves this machine."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        return False
    if not host or parts.username is not None:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and host in LOOPBACK)


class PrivacySettings(_Section):
    """`mask`: ends of JSON pointers, such as "/card"; `*` stands for any one step."""

    mask: tuple[Annotated[str, Field(pattern=r"^(/([^/~]|~[01])+)+$")], ...] = ()


class Settings(BaseSettings):
    """All of it, complete: no part of the console looks into the environment or a file for itself."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True, env_ignore_empty=True
    )

    data: Path = Path(".data")
    demo: bool = False
    worker: bool = True
    sources: dict[str, SourceSettings] = {}
    database: DatabaseSettings = DatabaseSettings()
    ledger: LedgerSettings = LedgerSettings()
    server: ServerSettings = ServerSettings()
    sessions: SessionSettings = SessionSettings()
    oidc: OidcSettings = OidcSettings()
    policy: PolicySettings = PolicySettings()
    privacy: PrivacySettings = PrivacySettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        given = dict(init_settings())
        from_file = given.pop("from_file", {})
        return (
            InitSettingsSource(settings_cls, given),
            env_settings,
            InitSettingsSource(settings_cls, from_file),
        )

    @model_validator(mode="after")
    def _place_what_is_missing(self) -> Self:
        """--data places whatever is not set explicitly."""
        data = self.data.expanduser().absolute()
        sources = dict(self.sources)
        if self.demo and not sources:
            sources[DEMO_SOURCE] = SourceSettings(graph=DEMO_GRAPH)
        for name, source in sources.items():
            if source.graph and source.checkpoints is None:
                placed = sqlite_url(data / "checkpoints.db")
                sources[name] = source.model_copy(update={"checkpoints": placed})
        object.__setattr__(self, "data", data)
        object.__setattr__(self, "sources", sources)
        if not self.database.url:
            object.__setattr__(self, "database", DatabaseSettings(url=sqlite_url(data / "console.db")))
        return self

    @property
    def shop(self) -> Path:
        return self.data / "shop.db"

    @property
    def ledger_key(self) -> Path:
        return self.ledger.key or self.data / "keys" / "ledger.key"

    @property
    def ledger_heads(self) -> Path:
        return self.ledger.heads or self.data / "heads"


def load_settings(config: Path | None = None, data: Path | None = None, **given: Any) -> Settings:
    """Read everything once. `given` are the command line's values, in the shape of console.toml."""
    # LangGraph reads this when it is first imported: checkpoints may load only the types that were allowed.
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    file = find_file(config)
    refuse_unknown_variables(frozenset(Settings.model_fields))
    if data is not None:
        given["data"] = data
    try:
        return Settings(from_file=read_file(file), **given)  # type: ignore[call-arg]
    except ValidationError as wrong:
        raise SettingsError(_one_line(wrong, file)) from None


def _one_line(wrong: ValidationError, file: Path | None) -> str:
    first = wrong.errors()[0]
    key = ".".join(str(part) for part in first["loc"]) or "settings"
    place = f"{key} (in {file.name if file else 'no file'}, {PREFIX}… or the command line)"
    if first["type"] == "extra_forbidden":
        return f"unknown setting {place}: correct its name or remove it"
    return f"{place}: {first['msg'].removeprefix('Value error, ')}"

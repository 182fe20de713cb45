"""The one rx.Config, built in code and installed before anything else can read another.

Reflex looks for rxconfig.py in the current folder only. Without one it falls back, silently, to CORS `*`,
state pickled to disk, telemetry and every network interface, and `rx.App()` reads the file again. So the
configuration is made here and the reader is replaced. Internal names of Reflex are used: they hold for the
pinned version, and tests/setup starts the console in an empty folder to see that they do.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from console.settings import Settings

PACKAGE = Path(__file__).resolve().parent
WEB = PACKAGE / "_web"
CLIENT = WEB / "build" / "client"
CSP_FILE = WEB / "backend" / "csp.json"


def prepare_environment(web: Path = WEB) -> None:
    """Must run before the first import of reflex, which reads most of these once."""
    os.environ.update(
        REFLEX_TELEMETRY_ENABLED="false",
        REFLEX_CHECK_LATEST_VERSION="false",
        REFLEX_ENV_MODE="prod",
        REFLEX_SSR="false",
        REFLEX_WEB_WORKDIR=str(web),
    )


def prepare_serving() -> None:
    """Serve the built frontend: no compiler, no Node, and nothing written to the current folder."""
    prepare_environment()
    os.environ.update(
        REFLEX_BACKEND_ONLY="true",
        __REFLEX_SKIP_COMPILE="true",
        __REFLEX_MOUNT_FRONTEND_COMPILED_APP="true",
    )


def make_config(origins: Sequence[str]) -> Any:
    import reflex as rx

    from console.plugin import ConsolePlugin

    theme = rx.theme(
        accent_color="iris",
        gray_color="slate",
        radius="medium",
        scaling="100%",
        panel_background="solid",
        has_background=True,
    )
    return rx.Config(
        app_name="console",
        app_module_import="console.console",
        cors_allowed_origins=tuple(origins),
        state_manager_mode=rx.constants.StateManagerMode.MEMORY,
        telemetry_enabled=False,
        show_built_with_reflex=False,
        default_color_mode="system",
        frontend_lazy_bundled_libraries=True,
        plugins=[rx.plugins.RadixThemesPlugin(theme=theme), ConsolePlugin()],
        disable_plugins=[rx.plugins.SitemapPlugin],
    )


_active: list[Settings] = []


def activate(settings: Settings) -> None:
    """Reflex imports the app by module name, with no argument: this is how the settings get there."""
    _active[:] = [settings]


def active_settings() -> Settings:
    """Those of the running server; plain defaults while the build imports the pages."""
    return _active[0] if _active else Settings()


def install(config: Any) -> None:
    """`rx.App()` calls reload_config(), which would read ./rxconfig.py again: its reader is replaced, too."""
    import reflex_base.config as base
    from reflex_base.registry import RegistrationContext

    base._get_config = lambda project_root=None: config
    RegistrationContext.ensure_context()._set_config(config)

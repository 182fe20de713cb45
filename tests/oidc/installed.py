"""Node and the provider's packages, installed once where they are missing."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).with_name("provider")
MODULE = FOLDER / "node_modules" / "oidc-provider" / "package.json"


def path() -> str:
    """With Node and npm of this environment first."""
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"


def node() -> str:
    """The program, with the packages beside the script; skips only when npm cannot fetch them."""
    found, npm = shutil.which("node", path=path()), shutil.which("npm", path=path())
    assert found is not None, "Node comes with requirements.lock"
    assert npm is not None, "npm comes with requirements.lock"
    with (FOLDER / "package.json").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not MODULE.exists():
            command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
            env = {**os.environ, "PATH": path(), "NPM_CONFIG_OMIT_LOCKFILE_REGISTRY_RESOLVED": "true"}
            ended = subprocess.run(command, cwd=FOLDER, env=env, capture_output=True, text=True, timeout=300)
            if ended.returncode:
                lines = ended.stderr.strip().splitlines() or ["npm said nothing"]
                pytest.skip(f"npm could not install the provider: {lines[0]}")
    return found

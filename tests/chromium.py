"""`python tests/chromium.py`: name a Chromium for the browser tests, installing one if there is none."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def installed() -> str | None:
    """CHROMIUM, else a system browser, else the one that Playwright brought."""
    named = os.environ.get("CHROMIUM")
    if named:
        if shutil.which(named) is None:
            raise SystemExit(f"CHROMIUM={named} is not a program: correct or unset it")
        return named
    return next(filter(None, map(shutil.which, NAMES)), None) or of_playwright()


def of_playwright() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


def install() -> None:
    """Debian's package where possible, since it brings its libraries along; else Playwright's download."""
    if os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        asked = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"]
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        if subprocess.run(asked, check=False, env=environment).returncode == 0:
            return
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)


def find_or_install() -> str:
    found = installed()
    if found is None:
        install()
        found = installed()
    if found is None:
        raise SystemExit("no Chromium could be installed: install one and set CHROMIUM to it")
    return found


if __name__ == "__main__":
    print("Chromium:", find_or_install())

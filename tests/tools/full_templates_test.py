#!/usr/bin/env python3
"""Every real chat template and 20,000 generated programs: puna renders what jinja2 renders, or both refuse. Long."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "puna/test-templates"


def main():
    subprocess.run([sys.executable, ROOT / "tools/fetch_templates.py", CACHE], check=True)
    driver = pathlib.Path(os.environ["PUNA"]).parent / "tests/render_templates"
    return subprocess.run([sys.executable, "-W", "ignore", ROOT / "tools/check_templates.py", driver, "--templates", CACHE, "--programs", "20000",
                           "--seed", "7"]).returncode


if __name__ == "__main__":
    sys.exit(main())

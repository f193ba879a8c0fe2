#!/usr/bin/env python3
"""Every real chat template: calls and thoughts that it renders are read back, whole and cut at every byte. Brings the templates once."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "puna/test-templates"


def main():
    subprocess.run([sys.executable, ROOT / "tools/fetch_templates.py", CACHE], check=True)
    driver = pathlib.Path(os.environ["PUNA"]).parent / "tests/check_calls"
    return subprocess.run([driver, CACHE]).returncode


if __name__ == "__main__":
    sys.exit(main())

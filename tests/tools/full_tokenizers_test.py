#!/usr/bin/env python3
"""The 19 real vocabularies and the npm tokenizers: every pair of text and ids, and 5,000 generated texts against other programs. Long."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "puna/test-vocabularies"


def main():
    subprocess.run([sys.executable, ROOT / "tools/fetch_vocabularies.py", CACHE], check=True)
    driver = pathlib.Path(os.environ["PUNA"]).parent / "tests/tokenize_texts"
    return subprocess.run([sys.executable, ROOT / "tools/check_tokenizers.py", driver, CACHE]).returncode


if __name__ == "__main__":
    sys.exit(main())

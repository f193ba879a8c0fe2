#!/usr/bin/env python3
"""Brings the JSON Schema Test Suite (draft 2020-12) from PyPI's jsonschema 4.26.0, which carries it in its source archive (400 KB;
others' work, never committed), into a cache folder: fetch_schema_suite.py FOLDER. The archive's sha256 is checked."""
import pathlib
import subprocess
import sys
import tempfile

import archives

PACKAGE = "jsonschema==4.26.0"
SHA256 = "0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326"
WITHIN = "/json/tests/draft2020-12/"


def download(folder):
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", folder, PACKAGE], check=True)
    return next(pathlib.Path(folder).glob("jsonschema-*.tar.gz"))


def main():
    target = pathlib.Path(sys.argv[1])
    if target.is_dir() and len(list(target.rglob("*.json"))) >= 79:
        return 0
    print(f"fetching {PACKAGE} (400 KB) for the JSON Schema Test Suite", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        archive = archives.checked(download(folder), SHA256)
        archives.unpack(archive, lambda name: target / name.split(WITHIN)[1] if WITHIN in name and name.endswith(".json") else None)
    return 0


if __name__ == "__main__":
    sys.exit(main())

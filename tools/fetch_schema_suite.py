#!/usr/bin/env python3
"""Brings the JSON Schema Test Suite (draft 2020-12) from PyPI's jsonschema 4.26.0, which carries it in its source archive (400 KB;
others' work, never committed), into a cache folder: fetch_schema_suite.py FOLDER. The archive's sha256 is checked."""
import hashlib
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

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
        archive = download(folder)
        found = hashlib.sha256(archive.read_bytes()).hexdigest()
        if found != SHA256:
            print(f"{archive.name}: sha256 is {found}, wanted {SHA256}", file=sys.stderr)
            return 1
        with tarfile.open(archive) as files:
            for member in files:
                if member.isfile() and WITHIN in member.name and member.name.endswith(".json"):
                    path = target / member.name.split(WITHIN)[1]
                    os.makedirs(path.parent, exist_ok=True)
                    path.write_bytes(files.extractfile(member).read())
    return 0


if __name__ == "__main__":
    sys.exit(main())

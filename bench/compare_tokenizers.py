#!/usr/bin/env python3
"""puna's tokenizers, alone or beside llama.cpp's, on 10 MB of mixed text, in alternation (A B A B), medians.

usage: compare_tokenizers.py [--peer PYTHON] FILE…     FILE: a GGUF file or a name of the catalogue
--peer: the interpreter of an environment that has llama-cpp-python.

The text: half Python's own library (English and code), half generated stretches of many scripts, numbers, signs and emoji."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import sysconfig
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
from make_tokenizer_cases import make_texts  # noqa: E402

PUNA = HERE.parent / "build/puna"
SPEED = HERE.parent / "build/bench/tokenize_speed"
HALF = 5_000_000


def library_text():
    text = []
    size = 0
    for path in sorted(pathlib.Path(sysconfig.get_paths()["stdlib"]).rglob("*.py")):
        if size >= HALF:
            break
        text.append(path.read_text(encoding="utf-8", errors="ignore"))
        size += len(text[-1])
    return "".join(text).encode()[:HALF]


def mixed_text():
    return library_text() + " ".join(make_texts(23, 160_000)).encode()[:HALF]


def path_of(name):
    if os.path.exists(name):
        return name
    return subprocess.run([PUNA, "pull", name], check=True, capture_output=True, text=True).stdout.strip()


def run(command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(result.stderr)
    return json.loads(result.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--peer", metavar="PYTHON")
    parser.add_argument("-r", type=int, default=3, help="rounds: processes of each side")
    options = parser.parse_args()
    with tempfile.NamedTemporaryFile() as text:
        text.write(mixed_text())
        text.flush()
        sides = {"puna": [SPEED]}
        if options.peer:
            sides["llama.cpp"] = [options.peer, HERE / "peer_tokenizer.py"]
        print("tokenizers, MB/s (milliseconds to load) on 10 MB of mixed text; tokens")
        for name in options.files:
            path = path_of(name)
            found = {side: [] for side in sides}
            for _ in range(options.r):
                for side, command in sides.items():
                    found[side].append(run([*command, path, text.name, 3]))
            size = os.path.getsize(text.name) / 1e6
            speeds = {side: size / statistics.median(min(r["seconds"]) for r in rows) for side, rows in found.items()}
            loads = {side: 1e3 * statistics.median(r["load"] for r in rows) for side, rows in found.items()}
            line = ", ".join(f"{side} {speeds[side]:.1f} ({loads[side]:.0f} ms), {found[side][0]['tokens']}" for side in sides)
            print(f"{os.path.basename(path)}: {line}" + (f": {speeds['puna'] / speeds['llama.cpp']:.1f} ×" if options.peer else ""), flush=True)


if __name__ == "__main__":
    main()

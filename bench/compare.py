#!/usr/bin/env python3
"""puna against llama.cpp on the same files: in alternation (A B A B), medians, ratios.

usage: compare.py --peer PYTHON MODEL… [-p 512] [-n 64] [-r 3] [-t THREADS] [--isa avx2] [--json]

PYTHON is the interpreter of an environment that has llama-cpp-python (built for the machine: pip compiles it). MODEL: a file or
a catalogue name. puna is measured as a user meets it, the first prompt of a process; llama.cpp after a warm-up, with its
repacking and without, and the better of the two counts."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PUNA = HERE.parent / "build/puna"


def call(command, environment=None):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, env=environment)
    if done.returncode != 0:
        sys.exit(f"compare: {' '.join(map(str, command))}: status {done.returncode}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def puna_speed(model, text, options):
    """Speeds of one process: a prompt of exactly n tokens (random text cut to length), then n_gen more."""
    environment = dict(os.environ, **({"PUNA_ISA": options.isa} if options.isa else {}))
    command = [PUNA, "run", "-m", model, "-f", text, "--raw", "--no-stop", "--temp", "0", "-n", str(options.n + 1), "-c",
               str(options.p + options.n + 64), "--json"]
    timings = call(command + (["-t", options.t] if options.t else []), environment)["timings"]
    return timings["prompt_per_second"], timings["generated_per_second"]


def peer_speed(model, options, repack):
    found = call([options.peer, HERE / "peer_llama.py", model, options.p, options.n, options.t or os.cpu_count(), repack])
    return found["prompt_per_second"], found["generated_per_second"]


def prompt_file(model, n_tokens, folder):
    """A text of exactly n_tokens tokens for this model."""
    words = " ".join(f"the {i * 7919 % 1000} birds of {i * 104729 % 977} hills" for i in range(n_tokens))
    path = pathlib.Path(folder) / "prompt.txt"
    low, high = 1, len(words)
    while low < high:  # the longest start of the text that has no more tokens than wanted
        middle = (low + high + 1) // 2
        path.write_text(words[:middle])
        tokens = call([PUNA, "tokenize", "-m", model, "--json", "-f", path])
        low, high = (middle, high) if len(tokens) <= n_tokens else (low, middle - 1)
    path.write_text(words[:low])
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--peer", required=True)
    parser.add_argument("-p", type=int, default=512)
    parser.add_argument("-n", type=int, default=64)
    parser.add_argument("-r", type=int, default=3)
    parser.add_argument("-t", type=int)
    parser.add_argument("--isa")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    if not options.json:
        print(f"| model | test | puna t/s | llama.cpp t/s (repack, none) | ratio |\n|---|---|---|---|---|", flush=True)
    for name in options.models:
        model = name if os.path.exists(name) else subprocess.run([PUNA, "pull", name], check=True, stdout=subprocess.PIPE,
                                                                 text=True).stdout.strip()
        with tempfile.TemporaryDirectory() as folder:
            text = prompt_file(model, options.p, folder)
            sides = {"puna": [], "repack": [], "none": []}
            for _ in range(options.r):
                sides["puna"].append(puna_speed(model, text, options))
                sides["repack"].append(peer_speed(model, options, 1))
                sides["none"].append(peer_speed(model, options, 0))
        for column, test in enumerate((f"pp{options.p}", f"tg{options.n}")):
            medians = {side: statistics.median(row[column] for row in found) for side, found in sides.items()}
            ratio = medians["puna"] / max(medians["repack"], medians["none"])
            rows.append({"model": os.path.basename(model), "test": test, **medians, "ratio": ratio})
            if not options.json:
                print(f"| {os.path.basename(model)} | {test} | {medians['puna']:.1f} | {medians['repack']:.1f}, {medians['none']:.1f} | "
                      f"{ratio:.2f} |", flush=True)
    if options.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()

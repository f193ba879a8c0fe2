#!/usr/bin/env python3
"""puna beside its peers on the same files: every test in alternation (A B A B), after a warm-up, medians, ratios.

usage: compare.py --peer PYTHON [--peer-ik PYTHON] MODEL… [-r 3] [--repetitions 3] [-t THREADS] [--write | --add]

--peer: the interpreter of an environment that has llama-cpp-python, compiled for this machine by pip; it is measured with its
repacking of weights and without. --peer-ik: one that has ik-llama-cpp-python, a wheel for AVX2, held against puna's AVX2 kernels.
MODEL: a file or a name of the catalogue. --write also writes bench/RESULTS.md, docs/images/bench.svg and bench/results.json; --add
does so too and keeps what is there of other models, tests and sides: what needs more rounds or another depth is a run of its own.
--redraw makes the page and the picture again, after a reason in bench/reasons.json has changed."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

import results
import sides

HERE = pathlib.Path(__file__).resolve().parent
PAGE, DATA, REASONS = HERE / "RESULTS.md", HERE / "results.json", HERE / "reasons.json"
PICTURE = HERE.parent / "docs/images/bench.svg"


def numbers(text):
    return [int(part) for part in text.split(",") if part]


def counted(n, what):
    return f"{n} {what}" + ("" if n == 1 else "s")


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--peer", metavar="PYTHON")
    parser.add_argument("--peer-ik", metavar="PYTHON")
    parser.add_argument("-p", type=int, default=512, help="tokens of a prompt")
    parser.add_argument("-n", type=int, default=128, help="tokens generated")
    parser.add_argument("-d", type=numbers, default=[0, 4096], help="depths, with commas")
    parser.add_argument("--cache", type=lambda text: text.split(","), default=["f16", "q8_0"], help="types of keys and values")
    parser.add_argument("--parallel", type=numbers, default=[16, 64], help="sequences together")
    parser.add_argument("--parallel-p", type=int, default=128, help="tokens of each one's prompt")
    parser.add_argument("--parallel-n", type=int, default=32, help="tokens that each one generates")
    parser.add_argument("-r", type=int, default=3, help="rounds: processes of each side for each test")
    parser.add_argument("--repetitions", type=int, default=3, help="of the test in each process")
    parser.add_argument("-t", type=int, default=len(os.sched_getaffinity(0)), help="threads (default: all processors)")
    parser.add_argument("--title", help="what the page calls the model, when it is one of several that stand there for the same file")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--redraw", action="store_true")
    return parser.parse_args()


def sides_of(options):
    chosen = [sides.Puna("puna")]
    if options.peer:
        chosen += [sides.Peer("llama.cpp, repacking", options.peer, 1), sides.Peer("llama.cpp, as the file", options.peer, 0)]
    if options.peer_ik:
        chosen += [sides.Puna("puna avx2", "avx2"), sides.Peer("ik_llama.cpp avx2", options.peer_ik)]
    return chosen


def path_of(name):
    if os.path.exists(name):
        return name
    return subprocess.run([sides.PUNA, "pull", name], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def main():
    options = read_options()
    if options.redraw:
        results.write(json.loads(DATA.read_text()), PAGE, PICTURE, REASONS)
        return
    if not options.models or not (options.peer or options.peer_ik):
        sys.exit("compare: wanted a MODEL, and --peer or --peer-ik; --help explains")
    if options.title and len(options.models) > 1:
        sys.exit("compare: --title is for one MODEL")
    chosen, tests = sides_of(options), sides.all_tests(options)
    result = json.loads(DATA.read_text()) if options.add and DATA.exists() else {"machine": sides.machine(), "runs": [], "models": []}
    if result["machine"] != sides.machine():
        sys.exit(f"compare: {DATA.name} is of another machine ({result['machine']}); --write begins anew")
    reasons = json.loads(REASONS.read_text()) if REASONS.exists() else {}
    names = [options.title or os.path.basename(name) for name in options.models]
    results.add_run(result["runs"], {
        "date": time.strftime("%Y-%m-%d"),
        "models": names,
        "settings": f"-p {options.p} -n {options.n} -d {','.join(map(str, options.d))}, {options.t} threads; "
                    f"{counted(options.r, 'round')} in alternation, in each a warm-up and {counted(options.repetitions, 'repetition')}",
        "versions": list(dict.fromkeys(side.version() for side in chosen)),
    })
    for file, name in zip(options.models, names):
        found, shares, failures = sides.measure(path_of(file), tests, chosen, options)
        rows = [{"name": test.name, "more_is_better": test.more_is_better, "sides": found[test.name], "of_ceiling": shares[test.name]}
                for test in tests]
        model = {"name": name, "tests": rows, "failures": failures}
        results.add(result["models"], model)
        print(f"## {name}\n\n{results.table(model, reasons)}\n", flush=True)
        if options.write or options.add:
            DATA.write_text(json.dumps(result, indent=1) + "\n")
            results.write(result, PAGE, PICTURE, REASONS)


if __name__ == "__main__":
    main()

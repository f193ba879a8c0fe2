#!/usr/bin/env python3
"""Renders chat templates and generated programs with puna and with jinja2 as transformers sets it up, and compares.

  check_templates.py DRIVER [--templates FOLDER|FILE …] [--programs N] [--seed S]

DRIVER is the program made from tests/text/driver/render_templates.cpp. Both sides must render the same text, or both refuse.
Needs transformers and jinja2; exits with 77 where they are missing.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import template_cases as cases  # noqa: E402
import template_programs as programs  # noqa: E402


class Driver:
    def __init__(self, path):
        self.path = path
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def render(self, request):
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            code = self.process.wait()
            self.start()
            return {"crash": code}
        return json.loads(line)


def is_beyond_us(ours, theirs):
    """Numbers past 127 bits and complex ones are refused here, by name (docs/run.md); Python renders them."""
    refusal = ours.get("error", "")
    if "too large a number" in refusal:
        return re.search(r"\d{38}", theirs.get("text", "")) is not None
    return "has no real power" in refusal and re.search(r"\dj\)", theirs.get("text", "")) is not None


def differs(ours, theirs):
    if "crash" in ours:
        return True
    if is_beyond_us(ours, theirs):
        return False
    if ("text" in ours) != ("text" in theirs):
        return True
    if "text" not in ours or re.search(r" [ab]t 0x[0-9a-f]+>|<function |<class ", theirs["text"]):
        return False  # an address in memory is never the same
    return ours["text"] != theirs["text"]


def report(name, request, ours, theirs):
    print(f"--- {name}")
    print("template:", request["template"] if len(request["template"]) < 2000 else "(long)")
    print("ours:  ", repr(ours.get("text", ours))[:3000])
    print("theirs:", repr(theirs.get("text", theirs))[:3000])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("driver")
    parser.add_argument("--templates", nargs="*", default=[])
    parser.add_argument("--programs", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=10, help="differences to print")
    options = parser.parse_args()
    try:
        oracle = cases.Oracle()
    except ImportError as missing:
        print("skipped:", missing)
        return 77
    driver = Driver(options.driver)
    n, different, refused = 0, [], 0

    def check(name, request):
        nonlocal n, refused
        n += 1
        ours, theirs = driver.render(request), oracle.render(request)
        refused += "text" not in theirs
        if differs(ours, theirs):
            different.append(name)
            if len(different) <= options.show:
                report(name, request, ours, theirs)

    for path in cases.template_files(options.templates):
        source = path.read_text(encoding="utf-8")
        for label, request in cases.matrix(source):
            check(f"{path.name} {label}", request)
    print(f"templates: {n} renderings, {refused} refused by both, {len(different)} different")
    n_templates, before, refused = n, len(different), 0
    for i in range(options.programs):
        generator = programs.Generator(random.Random(options.seed * 1_000_003 + i))
        check(f"program {options.seed}:{i}", generator.request())
    print(f"programs: {n - n_templates} renderings, {refused} refused by both, {len(different) - before} different")
    for name in different[:40]:
        print("different:", name)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

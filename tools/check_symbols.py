#!/usr/bin/env python3
"""Asks nm what our own objects want and offer: the library never prints and never ends the process, and no object compiled for
an instruction set offers a weak symbol outside its own namespace (the linker may take one copy of a weak symbol for all, and then
plain code would run instructions that the machine lacks).

usage: check_symbols.py BUILD_FOLDER [NM]
"""
import pathlib
import re
import subprocess
import sys

# The rooms that are the program's, not the library's.
PROGRAM_ROOMS = {"cli", "server"}

FORBIDDEN = re.compile(
    r"^(abort|_?exit|_Exit|quick_exit|__assert_fail|stdout|stderr|perror"
    r"|_?_?v?f?printf(_chk)?|f?puts|f?putc|putchar"
    r"|_ZSt4cout|_ZSt4cerr|_ZSt4clog)(@.*)?$"
)


def symbols(nm, path, *options):
    """(object, kind, name) of each symbol."""
    output = subprocess.run([nm, "-A", "-P", *options, str(path)], capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        place, _, rest = line.partition(": ")
        fields = re.match(r"(.*?) ([A-Za-z?])(?: [0-9a-f]*)*\s*$", rest)
        if fields:
            yield place, fields.group(2), fields.group(1)


def check_library(nm, build):
    archives = [a for a in sorted(build.glob("libpuna_*.a")) if a.stem.removeprefix("libpuna_") not in PROGRAM_ROOMS]
    if not archives:
        yield f"{build}: no libpuna_*.a: nothing is built here"
    for archive in archives:
        for place, kind, name in symbols(nm, archive, "--undefined-only"):
            if kind in "Uw" and FORBIDDEN.match(name):
                yield f"{place}: uses {name}: the library neither prints nor ends the process"


def check_isa(nm, build):
    objects = [o for o in sorted(build.rglob("*.cpp.o")) if "/backend/cpu/isa/" in o.as_posix()]
    for path in objects:
        namespace = f"::{isa_of(path)}::"
        for _, kind, name in symbols(nm, path, "--defined-only", "-C"):
            if kind in "WVu" and namespace not in name and not name.startswith("DW.ref."):
                yield f"{path.relative_to(build)}: weak symbol {name} lies outside namespace {namespace.strip(':')}"


def isa_of(path):
    """isa/avx2/attend.cpp.o and isa/avx2_attend.cpp.o are avx2's."""
    inside = path.as_posix().split("/backend/cpu/isa/")[1]
    return re.match(r"[a-z]+[0-9]*", inside).group()


def main(arguments):
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    build = pathlib.Path(arguments[0])
    nm = arguments[1] if len(arguments) > 1 else "nm"
    faults = [*check_library(nm, build), *check_isa(nm, build)]
    print("\n".join(faults) if faults else "the library's objects keep to themselves")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

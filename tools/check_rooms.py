#!/usr/bin/env python3
"""Holds the sources to the floor plan of src/README.md: which room may include which, which words stay in which rooms, how long
files and functions may be. Prints one line per fault and exits 1 where there is one.

usage: check_rooms.py [ROOT]     ROOT: the repository, by default the one this file lies in
"""
import pathlib
import re
import sys

# Room -> rooms it may include besides itself, lowest floor first.
ROOMS = {
    "base": "",
    "tensor": "base",
    "text": "base",
    "kv": "base",
    "gguf": "base tensor",
    "formats": "base tensor text",
    "graph": "base tensor",
    "sample": "base text",
    "backend": "base tensor graph",
    "model": "base tensor text kv gguf formats graph",
    "engine": "base tensor text kv gguf formats graph sample backend model",
    "tasks": "base tensor text kv gguf formats graph sample backend model engine",
    "capi": "base text sample gguf model tasks engine",
    "server": "base text sample gguf model tasks engine",
    "cli": "base text sample gguf model tasks engine",
}
ROOMS = {room: set(uses.split()) for room, uses in ROOMS.items()}

MAX_FILE_LINES = 800
MAX_FUNCTION_LINES = 100

# What may be said only in some places: (what it is, pattern over code without comments, where it is at home).
WORDS = [
    ("a model's name", re.compile(r"qwen|gemma|smollm|mistral|mixtral|deepseek|falcon|starcoder|\bphi-?\d|llama-bpe", re.I),
     ("model/families/", "model/families.cpp", "text/pretokenizers", "text/templates", "text/tool_calls/", "formats/hf/",
      "cli/catalogue")),
    ("an intrinsic", re.compile(r"\b_mm\d*_\w+|\b__m(128|256|512)[id]?\b|\bv(ld|st)[1-4]q?_\w+|__builtin_ia32_(?!pause)\w+|\bint8x16_t\b"
                                r"|<(immintrin|x86intrin|arm_neon)\.h>"),
     ("backend/cpu/isa/",)),
    ("a socket", re.compile(r"<(sys/socket|netinet/\w+|arpa/inet|netdb|curl/curl)\.h>|boost/(asio|beast)|\bcurl_easy_\w+"),
     ("server/", "tasks/pull")),
    ("the environment", re.compile(r"\b(secure_)?getenv\s*\("), ("cli/", "base/")),
    ("printing", re.compile(r"\bv?f?printf\s*\(|\bf?puts\s*\(|\bputchar\s*\(|std::(cout|cerr|clog)\b|\b(stdout|stderr)\b|fmt::print\b"),
     ("cli/", "base/")),
    ("leaving the process", re.compile(r"(?<![\w.>])(std::|::)?(_?exit|abort|quick_exit|terminate)\s*\("), ("cli/", "base/")),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
# A string stays (words are looked for in it too), a comment becomes blanks of the same number of lines.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
# The formatter puts the head of a function at column 0 (2 in a class) and its closing brace alone at the same column.
FUNCTION = re.compile(r"^( {0,2})(?!namespace|struct|class|enum|union|extern|using|if|for|while|switch|do|else|\}|//|#)\S.*\{$")


def without_comments(text):
    return TOKEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group()) if m.group().startswith("/") else m.group(), text)


def line_of(text, place):
    return text.count("\n", 0, place) + 1


def check_includes(name, room, text):
    for match in INCLUDE.finditer(text):
        first = match.group(2).split("/")[0]
        where = f"src/{name}:{line_of(text, match.start())}"
        if match.group(1) == '"' and first not in ROOMS:
            yield f'{where}: "{match.group(2)}" names no room: includes of our own begin with a room'
        elif first in ROOMS and "/" in match.group(2) and first != room and first not in ROOMS[room]:
            allowed = " ".join(r for r in ROOMS if r in ROOMS[room]) or "none"
            yield f"{where}: room {room} may not include room {first} (it may: {allowed})"


def check_words(name, text):
    for what, pattern, homes in WORDS:
        if name.startswith(homes):
            continue
        for match in pattern.finditer(text):
            yield f"src/{name}:{line_of(text, match.start())}: {what} ('{match.group().strip()}') is at home in {', '.join(homes)}"


def check_lengths(name, text):
    lines = text.splitlines()
    if len(lines) > MAX_FILE_LINES:
        yield f"{name}: {len(lines)} lines; at most {MAX_FILE_LINES}: more than one thing lives there"
    if not name.endswith((".h", ".cpp")):
        return
    begin = None
    for number, line in enumerate(lines, 1):
        head = FUNCTION.match(line)
        if begin is None and head and ")" in line:
            begin, close = number, head.group(1) + "}"
        elif begin is not None and line.rstrip(";") == close:
            if number - begin + 1 > MAX_FUNCTION_LINES:
                yield f"{name}:{begin}: a function of {number - begin + 1} lines; at most {MAX_FUNCTION_LINES}"
            begin = None


def check_libraries(root):
    """The libraries that CMake lets a room link are those of its row too."""
    script = root / "CMakeLists.txt"
    if not script.exists():
        return
    for match in re.finditer(r"^puna_room\((\w+)(?: USES ([\w ]+?))?(?: LIBS .*| PRIVATE_LIBS .*)?\)$", script.read_text(), re.M):
        room, uses = match.group(1), set((match.group(2) or "").split())
        if room not in ROOMS:
            yield f"CMakeLists.txt: room {room} is not in the table of tools/check_rooms.py"
        for other in sorted(uses - ROOMS.get(room, uses)):
            yield f"CMakeLists.txt: room {room} may not use room {other}"


def check(root):
    source = root / "src"
    for path in sorted(p for p in source.rglob("*") if p.suffix in (".h", ".cpp")):
        name = path.relative_to(source).as_posix()
        room = name.split("/")[0]
        text = path.read_text(encoding="utf-8")
        if room not in ROOMS:
            yield f"src/{name}: no such room: {room}"
            continue
        code = without_comments(text)
        yield from check_includes(name, room, code)
        yield from check_words(name, code)
    for folder in ("src", "tests", "tools", "bench", "fuzz", "cmake"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp", ".py", ".sh", ".cmake") and "__pycache__" not in path.parts:
                yield from check_lengths(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
    yield from check_libraries(root)


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)
    if not (root / "src").is_dir():
        print(f"{root}: no src folder", file=sys.stderr)
        return 2
    faults = list(check(root))
    print("\n".join(faults) if faults else "every room keeps to its row")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""The JSON Schema Test Suite (draft 2020-12): what is valid has a text in the grammar, what is not has none, and every schema that
is refused stands here with its reason."""
import itertools
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import json_normal_form
import schema_program

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "puna/test-json-schema"
MOST_ORDERS = 5000
FORMATS = ["date", "time", "date-time", "uuid", "email", "hostname", "ipv4", "ipv6", "uri", "duration", "json-pointer"]

REMOTE = "leads out of the document"
DYNAMIC = "$dynamicRef: a keyword that is not known here"
UNKNOWN = "is not known here"
DIFFER = "#/uniqueItems: that all items differ cannot be said by a grammar here"
NAMES = "minProperties 4 counts on properties that are not declared"
# Schemas that are refused: file, how many of its groups, a part of the message.
REFUSED = [
    ("defs.json", 1, REMOTE),
    ("dependentSchemas.json", 1, NAMES),
    ("dynamicRef.json", 14, DYNAMIC),
    ("dynamicRef.json", 5, REMOTE),
    ("format.json", 8, UNKNOWN),
    ("multipleOf.json", 1, "multiples of 0.123456789 need an automaton of more than 200000 states"),
    ("not.json", 1, "#/not: unevaluated properties or items cannot be negated"),
    ("ref.json", 1, REMOTE),
    ("refRemote.json", 15, REMOTE),
    ("unevaluatedItems.json", 1, DYNAMIC),
    ("unevaluatedItems.json", 3, '#/unevaluatedItems beside "contains" is not supported'),
    ("unevaluatedProperties.json", 1, DYNAMIC),
    ("unevaluatedProperties.json", 1, "#/$defs/one/oneOf: options 0 and 3 may hold at once"),
    ("unevaluatedProperties.json", 1, "#/if/patternProperties: patternProperties and additionalProperties cannot be negated"),
    ("uniqueItems.json", 3, DIFFER),
    ("optional/cross-draft.json", 1, REMOTE),
    ("optional/dependencies-compatibility.json", 1, NAMES),
    ("optional/dynamicRef.json", 1, DYNAMIC),
]
# Valid values that have no text: file, how many, why.
WITHOUT_TEXT = [
    ("format.json", 11, "the suite takes format for an annotation, here it is asserted"),
    ("vocabulary.json", 1, "a metaschema of its own leaves the validation keywords out, here they are asserted"),
    ("optional/format/time.json", 7, "leap seconds and a small z are not in the normal form"),
    ("optional/format/date-time.json", 3, "leap seconds, a small t and a small z are not in the normal form"),
    ("optional/format/email.json", 5, "quoted names and addresses in brackets are not in the normal form"),
]
# So that none of this shrinks unseen.
COUNTS = {"schemas": 367, "valid": 841, "invalid": 652}


def groups():
    names = [path for path in sorted(CACHE.glob("*.json")) + sorted((CACHE / "optional").glob("*.json"))]
    names += [CACHE / f"optional/format/{name}.json" for name in FORMATS]
    for path in names:
        for group in json.loads(path.read_text(), parse_float=json_normal_form.decimal.Decimal):
            yield path.relative_to(CACHE).as_posix(), group


def schema_text(group):
    """As it stands in the suite: numbers are not read and written again."""
    return json.dumps(group["schema"], default=lambda number: float(number))


def main():
    subprocess.run([sys.executable, ROOT / "tools/fetch_schema_suite.py", CACHE], check=True)
    program = schema_program.Program()
    faults, refused, without_text = [], [], []
    counts = {"schemas": 0, "valid": 0, "invalid": 0}
    for path, group in groups():
        name = group["description"]
        orders = [list(itertools.islice(json_normal_form.texts(test["data"]), MOST_ORDERS)) for test in group["tests"]]
        answer = program.ask(schema=schema_text(group), texts=sum(orders, []))
        if "error" in answer:
            if "no value is valid" in answer["error"] and not any(test["valid"] for test in group["tests"]):
                counts["schemas"] += 1
                counts["invalid"] += len(group["tests"])
                continue
            refused.append((path, name, answer["error"]))
            continue
        counts["schemas"] += 1
        accepted = iter(answer["accepted"])
        for test, texts in zip(group["tests"], orders):
            found = any([next(accepted) for _ in texts])
            if test["valid"] and not found:
                without_text.append((path, name, test["description"]))
            elif not test["valid"] and found:
                faults.append(f"{path}: {name}: {test['description']}: accepted, but it is invalid")
            else:
                counts["valid" if test["valid"] else "invalid"] += 1
    if "--list" in sys.argv:
        for entry in refused + without_text:
            print(json.dumps(entry))
    for path, name, message in refused:
        if not any(path == p and part in message for p, _, part in REFUSED):
            faults.append(f"{path}: {name}: refused: {message}")
    for p, count, part in REFUSED:
        found = sum(path == p and part in message for path, _, message in refused)
        if found != count:
            faults.append(f"{p}: {found} schemas refused for '{part}', not {count}")
    for p in sorted({path for path, _, _ in without_text} | {p for p, _, _ in WITHOUT_TEXT}):
        found = [f"{name}: {test}" for path, name, test in without_text if path == p]
        if len(found) != sum(count for path, count, _ in WITHOUT_TEXT if path == p):
            faults.append(f"{p}: {len(found)} valid values without a text: {found}")
    if counts != COUNTS:
        faults.append(f"the counts are {counts}, not {COUNTS}")
    print(counts, f"{len(refused)} schemas refused, {len(without_text)} values without a text")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

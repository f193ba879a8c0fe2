#!/usr/bin/env python3
"""Writes tests/data/json/cases.json: JSON texts and what Python's json module makes of them.

`documents`: a text and its canonical compact form. `numbers`: a text and the exact double, in hexadecimal."""

import json
import pathlib
import random

random.seed(7)


def number_text():
    kind = random.randrange(3)
    if kind == 0:
        return str(random.choice([0, -1, 7, 2**31, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, random.randrange(10**12)]))
    if kind == 1:  # three decimals: both libraries write these without an exponent
        return f"{random.choice([-1, 1]) * (random.randrange(10**6) + random.randrange(1, 1000) / 1000)!r}"
    return random.choice(["0.7", "0.1", "1.5", "-0.25", "3.14159", "1234.5678"])


def string_text():
    parts = ["a", "B", " ", "é", "ß", "日", "😀", "\\n", "\\t", "\\\\", '\\"', "\\/", "\\u0041", "\\u00e9", "\\ud83d\\ude00", "\\u0000",
             "\\u001f", "\\b", "\\f", "\x7f", "\u2028"]
    return '"' + "".join(random.choice(parts) for _ in range(random.randrange(8))) + '"'


def document(depth):
    space = lambda: random.choice(["", "", " ", "\n", "\t", " \r\n "])
    kind = random.randrange(8 if depth else 5)
    if kind < 2:
        return number_text()
    if kind < 4:
        return string_text()
    if kind == 4:
        return random.choice(["true", "false", "null"])
    items = []
    for i in range(random.randrange(5)):
        value = document(depth - 1)
        if kind >= 6:  # now and then a key twice: the place of the first, the value of the last
            key = random.choice(['"k"', f'"key {i}"', string_text()])
            items.append(f"{space()}{key}{space()}:{space()}{value}{space()}")
        else:
            items.append(f"{space()}{value}{space()}")
    return ("[" + ",".join(items) + "]") if kind == 5 else ("{" + ",".join(items) + "}")


def canonical(text):
    # Python writes backspace and form feed by name; ours writes every control character without a common name by number.
    written = json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
    return written.replace("\\b", "\\u0008").replace("\\f", "\\u000c")


def hard_number():
    mantissa = "".join(random.choice("0123456789") for _ in range(random.randrange(1, 25)))
    return f"{random.randrange(1, 10)}.{mantissa}e{random.randrange(-330, 308)}"


documents = []
while len(documents) < 150:
    text = document(4)
    if "\\\\" in text and ("b" in text or "f" in text):
        continue  # an escaped backslash before a letter would confuse canonical()
    documents.append({"text": text, "compact": canonical(text)})
numbers = ["1e308", "1.7976931348623157e308", "5e-324", "2.4703282292062328e-324", "2.2250738585072011e-308", "9007199254740993.0",
           "0.1", "0.7", "1E5", "-0.0", "123456789012345678901234567890", "1e-400"]
numbers += [hard_number() for _ in range(200)]
data = {"documents": documents, "numbers": [{"text": t, "exact": float(json.loads(t)).hex()} for t in numbers]}

target = pathlib.Path(__file__).resolve().parent.parent / "tests/data/json/cases.json"
target.parent.mkdir(parents=True, exist_ok=True)
target.write_text(json.dumps(data, indent=0) + "\n")
print(f"{target}: {len(documents)} documents, {len(numbers)} numbers")

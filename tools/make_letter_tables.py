#!/usr/bin/env python3
"""Writes src/text/jinja/letter_tables.h: what Python's str methods know about characters beyond what utf8proc tells."""
import unicodedata

CODES = [c for c in range(0x110000) if not 0xD800 <= c <= 0xDFFF]


def ranges(holds):
    out = []
    for code in CODES:
        if holds(chr(code)):
            if out and out[-1][1] == code - 1:
                out[-1][1] = code
            else:
                out.append([code, code])
    return out


def table(name, comment, holds):
    cells = [f"{{0x{a:X}, 0x{b:X}}}" for a, b in ranges(holds)]
    lines = [f"// {comment}", f"inline constexpr CodeRange {name}[] = {{"]
    for i in range(0, len(cells), 6):
        lines.append("    " + ", ".join(cells[i : i + 6]) + ",")
    return lines + ["};", ""]


def codes(text):
    return "{" + ", ".join(f"0x{ord(c):X}" for c in text) + "}"


def main():
    lines = [
        f"// Made by tools/make_letter_tables.py from Python's Unicode {unicodedata.unidata_version} data; do not edit.",
        "#pragma once",
        "",
        "namespace puna::text::jinja {",
        "",
        "struct CodeRange {",
        "  char32_t first, last;",
        "};",
        "",
    ]
    category = unicodedata.category
    lines += table("kDigitNotDecimal", "isdigit() but not a decimal digit: superscripts, circled digits …",
                   lambda c: c.isdigit() and not c.isdecimal())
    lines += table("kNumericLetter", "isnumeric() though the category is no number: ideographs for numbers",
                   lambda c: c.isnumeric() and category(c) not in ("Nd", "Nl", "No"))
    lines += table("kOtherLowercase", "islower() though the category is not Ll",
                   lambda c: c.islower() and category(c) != "Ll")
    lines += table("kOtherUppercase", "isupper() though the category is not Lu",
                   lambda c: c.isupper() and category(c) != "Lu")
    lines += [
        "// Characters whose upper or title case is more than one character.",
        "struct LongCase {",
        "  char32_t code;",
        "  char32_t upper[3], title[3];  // ends at 0",
        "};",
        "inline constexpr LongCase kLongCase[] = {",
    ]
    for code in CODES:
        c = chr(code)
        if len(c.upper()) > 1 or len(c.title()) > 1:
            lines.append(f"    {{0x{code:X}, {codes(c.upper())}, {codes(c.title())}}},")
    lines += ["};", "", "}  // namespace puna::text::jinja"]
    with open("src/text/jinja/letter_tables.h", "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

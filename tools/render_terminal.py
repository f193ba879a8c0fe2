#!/usr/bin/env python3
"""Runs a program in a terminal, types into it, and draws what the screen shows at the end as an SVG picture.

usage: render_terminal.py OUT.svg [--columns N] [--rows N] [--title TEXT] [--type LINE]… -- COMMAND…
Each LINE is typed once the program shows its prompt, "> ", and is quiet. Needs PyPI pyte, a terminal emulator.
"""
import argparse
import fcntl
import html
import os
import pty
import select
import struct
import sys
import termios
import time

import pyte

PROMPT = ">"
QUIET_SECONDS = 0.7
CELL_WIDTH, CELL_HEIGHT, MARGIN, TITLE = 8.4, 19, 16, 34
COLOURS = {"default": "#d8dee9", "green": "#a3be8c", "cyan": "#88c0d0", "yellow": "#ebcb8b", "brown": "#ebcb8b", "red": "#bf616a",
           "blue": "#81a1c1", "magenta": "#b48ead", "black": "#3b4252", "white": "#eceff4", "brightblack": "#7b8494"}


def run(command, lines, columns, rows):
    screen = pyte.Screen(columns, rows)
    stream = pyte.ByteStream(screen)
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.environ["TERM"] = "xterm-256color"
        os.execvp(command[0], command)

    def at_prompt():
        return screen.display[screen.cursor.y].rstrip() == PROMPT and screen.cursor.x == len(PROMPT) + 1

    def read_until_prompt():
        last = time.monotonic()
        while not at_prompt() or time.monotonic() - last < QUIET_SECONDS:
            ready, _, _ = select.select([fd], [], [], 0.1)
            if ready:
                try:
                    stream.feed(os.read(fd, 65536))
                except OSError:
                    return  # the program has left
                last = time.monotonic()

    read_until_prompt()
    for line in lines:
        os.write(fd, line.encode() + b"\r")
        read_until_prompt()
    os.close(fd)
    os.waitpid(pid, 0)
    return screen


def spans(row, columns):
    """(first column, text, style) of each run of equal style in a row."""
    begin, text, style = 0, "", None
    for x in range(columns):
        cell = row[x]
        now = (cell.fg, cell.bold)
        if now != style:
            if text.strip():
                yield begin, text, style
            begin, text, style = x, "", now
        text += cell.data
    if text.strip():
        yield begin, text, style


def draw(screen, title):
    used = max((y for y in range(screen.lines) if screen.display[y].strip()), default=0) + 1
    width = MARGIN * 2 + screen.columns * CELL_WIDTH
    height = TITLE + MARGIN * 2 + used * CELL_HEIGHT
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" '
           'font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">',
           f'<rect width="{width:.0f}" height="{height:.0f}" rx="9" fill="#2e3440"/>',
           *(f'<circle cx="{20 + 20 * i}" cy="18" r="6" fill="{c}"/>' for i, c in enumerate(("#bf616a", "#ebcb8b", "#a3be8c"))),
           f'<text x="{width / 2:.0f}" y="22" fill="#9aa3b2" text-anchor="middle">{html.escape(title)}</text>']
    for y in range(used):
        for x, text, (colour, bold) in spans(screen.buffer[y], screen.columns):
            weight = ' font-weight="bold"' if bold else ""
            out.append(f'<text x="{MARGIN + x * CELL_WIDTH:.1f}" y="{TITLE + MARGIN + y * CELL_HEIGHT:.0f}" xml:space="preserve" '
                       f'fill="{COLOURS.get(colour, "#" + colour)}"{weight}>{html.escape(text.rstrip())}</text>')
    return "\n".join(out) + "\n</svg>\n"


def main():
    words = sys.argv[1:]
    if "--" not in words:
        sys.exit(__doc__)
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--columns", type=int, default=92)
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--title", default="puna")
    parser.add_argument("--type", action="append", default=[])
    options = parser.parse_args(words[: words.index("--")])
    screen = run(words[words.index("--") + 1:], options.type, options.columns, options.rows)
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(draw(screen, options.title))


if __name__ == "__main__":
    main()

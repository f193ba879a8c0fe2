#!/usr/bin/env python3
"""The memory that a run has at most, real models: their weights are never there twice."""
import json
import os
import pathlib
import subprocess
import sys

PUNA = os.environ["PUNA"]
MIB = 1 << 20
# Of a token's keys and values in f16: layers · heads · width · 2 · 2 bytes; Gemma 3 270M, SmolLM2 135M, Qwen 1.5B.
CACHE_BYTES = {"gemma3-270m": 18 * 256 * 4, "smollm2-135m": 30 * 3 * 64 * 4, "qwen2.5-coder-1.5b": 28 * 2 * 128 * 4}
TOKENS = 60  # by then all weights of the small models have moved


def path_of(model):
    run = subprocess.run([PUNA, "pull", model, "--offline"], capture_output=True, text=True)
    return pathlib.Path(run.stdout.strip()) if run.returncode == 0 else None


def peak_bytes(path):
    command = [PUNA, "run", "-m", path, "-p", "A long story of the sea:", "--raw", "-n", str(TOKENS), "--no-stop", "--temp", "0", "-c", "2048"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return usage.ru_maxrss * 1024


missing = 0
for model, cache in CACHE_BYTES.items():
    path = path_of(model)
    if path is None:
        missing += 1
        continue
    most = 1.15 * path.stat().st_size + (TOKENS + 64) * cache + 48 * MIB
    peak = peak_bytes(path)
    print(f"{model}: {peak / MIB:.0f} MiB of at most {most / MIB:.0f}")
    assert peak <= most, model
if missing:
    sys.exit(1 if os.environ.get("PUNA_NEED_MODELS") else 77)

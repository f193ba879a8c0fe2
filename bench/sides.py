"""The programs that bench/compare.py holds against each other. A side measures a test in a process of its own and gives numbers of
which more is better (tokens per second) or less (seconds, bytes)."""
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PUNA = HERE.parent / "build/puna"
START_TOKENS = 15
START_CONTEXT = 2048


class Failed(Exception):
    pass


def why(done):
    """How a process ended that did not end well, and what it said."""
    lines = done.stderr.strip().splitlines()
    said = lines[0] if lines and lines[0].startswith("puna: ") else lines[-1] if lines else ""
    ended = f"ended by {signal.Signals(-done.returncode).name}" if done.returncode < 0 else f"status {done.returncode}"
    return f"{ended}: {said}" if said else ended


def call(command, environment=None):
    """The last line of standard output."""
    command = [str(part) for part in command]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    if done.returncode != 0:
        raise Failed(why(done))
    return done.stdout


class Test:
    """name: "pp512", "tg128 @ d4096 q8_0", "tg32 × 16", "first token", "memory"; column: which of a process's numbers it is."""

    def __init__(self, name, column, more_is_better=True, **settings):
        self.name, self.column, self.more_is_better, self.settings = name, column, more_is_better, settings

    def process(self):
        """Tests with the same settings are answered by one process."""
        return json.dumps(self.settings, sort_keys=True)


def all_tests(options):
    tests = []
    for cache in options.cache:
        for depth in options.d:
            if depth == 0 and cache != options.cache[0]:
                continue
            suffix = f" @ d{depth} {cache}" if depth else ""
            common = {"test": "speed", "n_depth": depth, "cache": cache, "n_parallel": 1}
            tests.append(Test(f"pp{options.p}{suffix}", "prompt_ts", n_prompt=options.p, n_gen=0, **common))
            tests.append(Test(f"tg{options.n}{suffix}", "gen_ts", n_prompt=0, n_gen=options.n, **common))
    for n_parallel in options.parallel:
        # The prompts are a depth here: computed once in a process, not in every repetition.
        together = {"test": "speed", "n_prompt": 0, "n_gen": options.parallel_n, "n_parallel": n_parallel,
                    "n_depth": options.parallel_p, "cache": options.cache[0]}
        tests.append(Test(f"tg{options.parallel_n} × {n_parallel}", "gen_ts", **together))
    start = {"test": "start", "n_prompt": START_TOKENS}
    tests.append(Test("first token", "seconds", more_is_better=False, **start))
    tests.append(Test("memory", "peak_bytes", more_is_better=False, **start))
    return tests


class Puna:
    def __init__(self, name, isa=None):
        self.name, self.isa = name, isa

    def measure(self, model, settings, options):
        environment = dict(os.environ, **({"PUNA_ISA": self.isa} if self.isa else {}))
        if settings["test"] == "start":
            return self.start(model, environment, options)
        return self.speed(model, settings, environment, options)

    def speed(self, model, settings, environment, options):
        command = [PUNA, "bench", "-m", model, "-d", settings["n_depth"], "-ctk", settings["cache"], "-ctv", settings["cache"],
                   "-p", settings["n_prompt"], "-n", settings["n_gen"], "-r", options.repetitions, "-t", options.t, "-o", "json"]
        if settings["n_parallel"] > 1:
            command += ["--parallel", settings["n_parallel"]]
        row, = json.loads(call(command, environment))
        return {"prompt_ts": row["samples_prompt_ts"], "gen_ts": row["samples_gen_ts"], "of_ceiling": row["ceiling_share"]}

    def start(self, model, environment, options):
        command = [str(PUNA), "run", "-m", model, "-p", self.prompt(model), "--raw", "--temp", "0", "-n", "1", "-c", str(START_CONTEXT),
                   "-t", str(options.t)]
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise Failed(f"puna run: {process.stderr.read().decode()}")
        return {"seconds": seconds, "peak_bytes": usage.ru_maxrss * 1024}

    prompts = {}

    def prompt(self, model):
        """A text of START_TOKENS tokens for this model."""
        if model not in self.prompts:
            text = ""
            for word in ("The old road over the high pass was closed by snow from " + "the first week of winter " * 8).split():
                longer = (text + " " + word).strip()
                with tempfile.NamedTemporaryFile("w") as file:
                    file.write(longer)
                    file.flush()
                    n = len(json.loads(call([PUNA, "tokenize", "-m", model, "--json", "-f", file.name])))
                if n > START_TOKENS:
                    break
                text = longer
            self.prompts[model] = text
        return self.prompts[model]

    def version(self):
        commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
        return " ".join(call([PUNA, "--version"]).splitlines()[0].split() + ([commit] if commit else []))


# The package, its version and the compiler, which decides whether a peer's kernels work at all and is known by its OpenMP.
PEER_VERSION = """
import importlib.metadata, pathlib
package = next(d for d in importlib.metadata.distributions() if "llama" in d.name.lower())
libraries = [pathlib.Path(package.locate_file(f)).read_bytes() for f in package.files if f.match("libggml*.so")]
compiler = next((name for mark, name in [(b"libomp.so", "Clang"), (b"libgomp", "GCC")] if any(mark in l for l in libraries)), None)
print(f"{package.name} {package.version}" + (f", compiled by {compiler}" if compiler else ""))
"""


class Peer:
    def __init__(self, name, python, repack=1):
        self.name, self.python, self.repack = name, python, repack

    def measure(self, model, settings, options):
        wanted = dict(settings, threads=options.t, repack=self.repack, repetitions=options.repetitions)
        return json.loads(call([self.python, HERE / "peer_llama.py", model, json.dumps(wanted)]).strip().splitlines()[-1])

    def version(self):
        return call([self.python, "-c", PEER_VERSION]).strip()


def measure(model, tests, sides, options):
    """{test's name: {side's name: [a number for each round]}}, sides in alternation; the same of the shares of the machine's ceiling,
    of sides that measure it; and {side's name: {how it failed: [test's name]}}."""
    found = {test.name: {side.name: [] for side in sides} for test in tests}
    shares = {test.name: {} for test in tests}
    failed, failures = set(), {}
    processes = {}
    for test in tests:
        processes.setdefault(test.process(), []).append(test)
    for settings, group in processes.items():
        for turn in range(options.r):
            for side in sides if turn % 2 == 0 else reversed(sides):
                if (side.name, settings) in failed:
                    continue
                try:
                    numbers = side.measure(model, json.loads(settings), options)
                except Failed as failure:
                    failed.add((side.name, settings))
                    print(f"compare: {side.name}, {group[0].name}: {failure}", file=sys.stderr)
                    failures.setdefault(side.name, {}).setdefault(str(failure), []).extend(test.name for test in group)
                    continue
                for test in group:
                    value = numbers[test.column]
                    found[test.name][side.name].append(statistics.median(value) if isinstance(value, list) else value)
                    if "of_ceiling" in numbers:
                        shares[test.name].setdefault(side.name, []).append(numbers["of_ceiling"])
    return found, shares, failures


def machine():
    def first(pattern, path):
        try:
            match = re.search(pattern, pathlib.Path(path).read_text(), re.M)
        except OSError:
            return ""
        return match.group(1).strip() if match else ""

    memory = int(first(r"^MemTotal:\s*(\d+)", "/proc/meminfo") or 0) / 2**20
    return f"{first(r'^model name.*?: (.*)$', '/proc/cpuinfo') or os.uname().machine}, {os.cpu_count()} processors, {memory:.0f} GiB"

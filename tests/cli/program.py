"""The program as a person or a script meets it: started with arguments, or in a terminal of its own."""
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tiny_model  # noqa: E402

PUNA = os.environ.get("PUNA") or "build/puna"


def environment(home, **more):
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "LC_ALL", "ASAN_OPTIONS", "LD_LIBRARY_PATH")}
    return {**kept, "HOME": str(home), "PUNA_HOME": str(home), "TERM": "xterm", **more}


class Done:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")


class ProgramTest(unittest.TestCase):
    """`self.model` has a chat template, `self.base` has none; `self.home` is puna's folder for this test."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.model = tiny_model.write(os.path.join(cls.folder.name, "tiny.gguf"))
        cls.base = tiny_model.write(os.path.join(cls.folder.name, "base.gguf"), with_template=False)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.home = tempfile.mkdtemp(dir=self.folder.name)

    def puna(self, *words, stdin=b"", seconds=60, **more):
        if isinstance(stdin, str):
            stdin = stdin.encode()
        done = subprocess.run([PUNA, *words], input=stdin, capture_output=True, timeout=seconds, env=environment(self.home, **more))
        return Done(done.returncode, done.stdout, done.stderr)

    def answer(self, *words, **more):
        done = self.puna(*words, **more)
        self.assertEqual(done.status, 0, f"{words}: {done.err}")
        return done.out

    def refused(self, status, *words, **more):
        """What standard error says; nothing may be on standard output."""
        done = self.puna(*words, **more)
        self.assertEqual(done.status, status, f"{words}: {done.out} {done.err}")
        self.assertEqual(done.out, "")
        self.assertTrue(done.err.startswith("puna: "), done.err)
        return done.err

    def file(self, name, content):
        path = os.path.join(self.home, name)
        with open(path, "wb") as out:
            out.write(content if isinstance(content, bytes) else content.encode())
        return path


class Terminal:
    """A terminal with the program in it."""

    def __init__(self, words, env):
        self.seen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(PUNA, [PUNA, *words], env)

    def read(self, seconds=0.05):
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += data.decode("utf-8", "replace")
        return bool(data)

    def wait_for(self, pattern, seconds=30):
        """Until what came since the last wait matches; gives the match and forgets what came."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            match = re.search(pattern, self.seen, re.S)
            if match:
                before, self.seen = self.seen, self.seen[match.end():]
                return before
            self.read()
        raise AssertionError(f"{pattern!r} did not come; the terminal shows {self.seen!r}")

    def send(self, text):
        os.write(self.fd, text.encode())

    def status(self, seconds=30):
        """The exit status once the program has left."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.01)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.read(0.01):
                    pass
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise AssertionError(f"the program did not leave; the terminal shows {self.seen!r}")

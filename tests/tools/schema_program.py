"""The program that compiles schemas for the tests (tests/text/driver/check_schemas.cpp), one question after another."""
import json
import os
import pathlib
import subprocess


class Program:
    def __init__(self):
        driver = pathlib.Path(os.environ["PUNA"]).parent / "tests/check_schemas"
        self.process = subprocess.Popen([driver], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

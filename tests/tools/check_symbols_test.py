"""check_symbols.py against small objects that break its rules, compiled on the spot."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_symbols.py"
COMPILER = os.environ.get("CXX", "c++")


def check(room="text", source="int one() { return 1; }\n", isa_source=None):
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder)
        (build / "a.cpp").write_text(source)
        subprocess.run([COMPILER, "-std=c++20", "-c", "a.cpp", "-o", "a.o"], cwd=build, check=True)
        subprocess.run(["ar", "rcs", f"libpuna_{room}.a", "a.o"], cwd=build, check=True)
        if isa_source is not None:
            isa = build / "x/backend/cpu/isa"
            isa.mkdir(parents=True)
            (isa / "avx2.cpp").write_text(isa_source)
            subprocess.run([COMPILER, "-std=c++20", "-c", "avx2.cpp", "-o", "avx2.cpp.o"], cwd=isa, check=True)
        done = subprocess.run([sys.executable, str(TOOL), str(build)], capture_output=True, text=True)
        return done.returncode, done.stdout


class Symbols(unittest.TestCase):
    def test_quiet_objects_pass(self):
        self.assertEqual(check()[0], 0)

    def test_a_library_that_prints_is_refused(self):
        for source in ("#include <cstdio>\nvoid f(int x) { std::printf(\"%d\", x); }\n",
                       "#include <cstdio>\nvoid f() { std::fputc('x', stderr); }\n",
                       "#include <iostream>\nvoid f() { std::cout << 1; }\n"):
            status, output = check(source=source)
            self.assertEqual(status, 1, source)
            self.assertIn("libpuna_text.a", output)

    def test_a_library_that_ends_the_process_is_refused(self):
        for call in ("abort()", "exit(1)", "_Exit(1)"):
            status, output = check(source=f"#include <cstdlib>\nvoid f() {{ std::{call}; }}\n")
            self.assertEqual(status, 1, call)
            self.assertIn("neither prints nor ends the process", output)

    def test_the_program_may_do_both(self):
        # A second archive, since a folder without any library room says that nothing is built.
        status, output = check(room="cli", source="#include <cstdlib>\nvoid f() { std::abort(); }\n")
        self.assertEqual(status, 1)
        self.assertIn("nothing is built here", output)

    def test_a_weak_symbol_of_an_instruction_set_stays_in_its_namespace(self):
        inside = "namespace puna::avx2 { inline int f(int x) { return x; } int g() { return f(1); } }\n"
        outside = "namespace puna { inline int f(int x) { return x; } int g() { return f(1); } }\n"
        self.assertEqual(check(isa_source=inside)[0], 0)
        status, output = check(isa_source=outside)
        self.assertEqual(status, 1)
        self.assertIn("lies outside namespace avx2", output)


if __name__ == "__main__":
    unittest.main()

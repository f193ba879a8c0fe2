"""A guard that never barks is no guard: each rule of check_rooms.py against a small tree with one planted violation."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_rooms  # noqa: E402


def check(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "src").mkdir()
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return list(check_rooms.check(root))


class Rooms(unittest.TestCase):
    def assert_refused(self, files, *words):
        faults = check(files)
        self.assertEqual(len(faults), 1, faults)
        for word in words:
            self.assertIn(word, faults[0])

    def assert_accepted(self, files):
        self.assertEqual(check(files), [])

    def test_a_room_includes_its_row(self):
        self.assert_accepted({"src/gguf/a.cpp": '#include <span>\n#include "base/result.h"\n#include "gguf/a.h"\n#include "tensor/dtype.h"\n'})

    def test_a_room_may_not_include_a_room_above_it(self):
        self.assert_refused({"src/base/a.h": '#include "base/b.h"\n#include "tensor/dtype.h"\n'}, "src/base/a.h:2", "room base may not include room tensor")

    def test_a_room_may_not_include_a_neighbour(self):
        self.assert_refused({"src/graph/a.cpp": '#include "backend/backend.h"\n'}, "room graph may not include room backend")

    def test_the_command_line_does_not_know_kernels(self):
        self.assert_refused({"src/cli/a.cpp": '#include "backend/cpu/dispatch.h"\n'}, "room cli may not include room backend")

    def test_an_include_of_our_own_names_its_room(self):
        self.assert_refused({"src/base/a.cpp": '#include "result.h"\n'}, "names no room")

    def test_an_include_in_a_comment_is_none(self):
        self.assert_accepted({"src/base/a.h": '// #include "tensor/dtype.h"\n/*\n#include "tensor/dtype.h"\n*/\n'})

    def test_an_unknown_folder_is_no_room(self):
        self.assert_refused({"src/attic/a.h": "\n"}, "no such room: attic")

    def test_cmake_may_not_link_more_than_the_row(self):
        self.assert_refused({"CMakeLists.txt": "puna_room(base USES tensor LIBS fmt)\n"}, "room base may not use room tensor")

    def test_model_names_stay_in_data_tables(self):
        self.assert_accepted({"src/model/families/a.cpp": 'const char* name = "qwen2";\n'})
        self.assert_accepted({"src/engine/a.cpp": "// as Gemma does\n"})
        self.assert_refused({"src/engine/a.cpp": '\nif (name == "gemma3") go();\n'}, "src/engine/a.cpp:2", "a model's name")

    def test_intrinsics_stay_with_their_instruction_set(self):
        self.assert_accepted({"src/backend/cpu/isa/a.cpp": "auto x = _mm256_setzero_ps();\n"})
        self.assert_refused({"src/tensor/a.cpp": "auto x = _mm256_setzero_ps();\n"}, "an intrinsic")

    def test_sockets_stay_with_the_server_and_the_downloader(self):
        self.assert_accepted({"src/tasks/pull/http.cpp": "#include <curl/curl.h>\n"})
        self.assert_refused({"src/engine/a.cpp": "#include <sys/socket.h>\n"}, "a socket")

    def test_the_library_does_not_read_the_environment(self):
        self.assert_accepted({"src/base/a.cpp": 'auto x = std::getenv("HOME");\n'})
        self.assert_refused({"src/tasks/a.cpp": 'auto x = std::getenv("HOME");\n'}, "the environment")

    def test_the_library_does_not_print(self):
        self.assert_accepted({"src/cli/a.cpp": 'std::fprintf(stderr, "x");\n'})
        self.assert_refused({"src/text/a.cpp": 'std::printf("x");\n'}, "printing")
        self.assert_refused({"src/text/a.cpp": 'std::cerr << "x";\n'}, "printing")

    def test_the_library_does_not_end_the_process(self):
        self.assert_refused({"src/kv/a.cpp": "if (bad) std::abort();\n"}, "leaving the process")
        self.assert_accepted({"src/kv/a.cpp": "queue.exit(); on_exit(1);\n"})

    def test_files_stay_readable(self):
        self.assert_accepted({"src/base/a.h": "\n" * 800})
        self.assert_refused({"src/base/a.h": "\n" * 801}, "801 lines; at most 800")

    def test_functions_stay_readable(self):
        body = "  x();\n"
        self.assert_accepted({"src/base/a.cpp": "void f() {\n" + body * 98 + "}\n"})
        self.assert_refused({"src/base/a.cpp": "\nvoid f() {\n" + body * 99 + "}\n"}, "src/base/a.cpp:2", "a function of 101 lines")
        self.assert_refused({"src/base/a.h": "class A {\n  void f() {\n" + body * 99 + "  }\n};\n"}, "src/base/a.h:2", "a function of 101 lines")

    def test_a_folder_without_sources_is_an_error(self):
        self.assertEqual(check_rooms.main(["/nonexistent"]), 2)


if __name__ == "__main__":
    unittest.main()

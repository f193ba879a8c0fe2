"""Files that cannot be used: one line that names the file and what is wrong, a second that says what to do, status 1."""
import os
import struct
import unittest

import tiny_model
from program import ProgramTest


class WrongFiles(ProgramTest):
    def one_line(self, *words):
        """The error's line and its hint: nothing else is said, not even before it."""
        err = self.refused(1, *words)
        lines = err.splitlines()
        self.assertEqual(len(lines), 2, err)
        self.assertTrue(lines[1].startswith("hint: "), err)
        return lines

    def both(self, path):
        for command in (["run", "-p", "x"], ["chat", "-p", "x", "-st"], ["score", "-p", "x"]):
            error, hint = self.one_line(*command, "-m", path)
            self.assertIn(os.path.basename(path), error)
        return error, hint

    def test_a_truncated_file(self):
        with open(self.model, "rb") as file:
            whole = file.read()
        error, hint = self.both(self.file("cut.gguf", whole[:-100]))
        self.assertRegex(error, r"tensor '.*' needs \d+ bytes at offset \d+ of the data, which has \d+")
        self.assertIn("download it again", hint)

    def test_an_unknown_architecture(self):
        error, _ = self.both(tiny_model.write(os.path.join(self.home, "other.gguf"), arch="mamba7"))
        self.assertIn("unknown architecture 'mamba7', wanted one of: llama,", error)

    def test_a_type_of_weights_that_is_not_known(self):
        path = tiny_model.write(os.path.join(self.home, "types.gguf"))
        with open(path, "r+b") as file:
            data = file.read()
            name = b"token_embd.weight"
            at = data.index(struct.pack("<Q", len(name)) + name) + 8 + len(name) + 4 + 2 * 8
            file.seek(at)
            file.write(struct.pack("<I", 39))
        error, hint = self.both(path)
        self.assertIn("tensor 'token_embd.weight': its type is MXFP4 (39)", error)
        self.assertIn("use a file quantized to one of F32", hint)
        out = self.answer("gguf", "info", path)
        self.assertIn("general.architecture", out)
        self.assertIn("MXFP4 (39)", out)
        self.assertIn("output_norm.weight", out)

    def test_a_file_larger_than_all_memory(self):
        path = tiny_model.write(os.path.join(self.home, "large.gguf"))
        with open("/proc/meminfo") as file:
            total = int(file.readline().split()[1]) * 1024
        os.truncate(path, 2 * total)  # a sparse file takes no room
        for more in ([], ["--no-mmap"]):
            done = self.puna("run", "-p", "x", "-m", path, *more)
            self.assertEqual(done.status, 1, done.err)
            self.assertRegex(done.err, r"large.gguf: .* of memory")
            self.assertIn("hint: ", done.err)

    def test_a_broken_template(self):
        template = self.file("broken.jinja", "{% for m in messages %}{{ m.content }")
        for command in (["run", "-p", "x"], ["chat", "-p", "x", "-st"]):
            err = self.refused(1, *command, "-m", self.model, "--chat-template-file", template)
            self.assertRegex(err, r"broken.jinja: line 1, column \d+: ")
            self.assertLessEqual(len(err.splitlines()), 2)

    def test_a_part_of_a_split_model_without_the_others(self):
        path = self.file("m-00002-of-00003.gguf", b"GGUF" + struct.pack("<IQQ", 3, 0, 2) + tiny_model.pair("split.no", tiny_model.U32, 1)
                         + tiny_model.pair("split.count", tiny_model.U32, 3))
        error, hint = self.one_line("run", "-p", "x", "-m", path)
        self.assertIn("2 of the 3 files of this split model are missing: m-00001-of-00003.gguf, m-00003-of-00003.gguf", error)
        self.assertIn("into one directory", hint)

    def test_a_directory(self):
        os.mkdir(os.path.join(self.home, "models"))
        self.file("models/one.gguf", b"")
        error, hint = self.both(os.path.join(self.home, "models"))
        self.assertIn("is a directory", error)
        self.assertIn("one.gguf", hint)


if __name__ == "__main__":
    unittest.main()

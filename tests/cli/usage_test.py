"""The program's outside that needs no model: help, versions, wrong command lines, errors of files."""
import json
import os
import subprocess
import sys
import unittest

from program import PUNA, ProgramTest, environment, tiny_model

COMMANDS = ["chat", "run", "tokenize", "template", "score", "pull", "list", "bench", "gguf info"]


class Usage(ProgramTest):
    def test_the_overview_names_every_command(self):
        for words in ([], ["--help"], ["-h"], ["help"]):
            out = self.answer(*words)
            for command in COMMANDS:
                self.assertIn(command, out)

    def test_every_command_has_a_help_with_an_example(self):
        for command in COMMANDS:
            for words in ([*command.split(), "--help"], ["help", *command.split()], [*command.split(), "-h"]):
                out = self.answer(*words)
                self.assertIn(f"Usage: puna {command}", out)
                self.assertIn("Examples:", out)

    def test_the_version_says_what_it_is_made_of(self):
        out = self.answer("--version")
        for word in ("puna 0.", "compiler", "kernels", "libraries", "Boost", "PCRE2", "OpenSSL"):
            self.assertIn(word, out)

    def test_an_unknown_command_has_a_near_one(self):
        self.assertIn("did you mean puna chat?", self.refused(2, "chta"))
        self.assertIn("did you mean puna gguf info?", self.refused(2, "gguf", "inof"))
        self.assertIn("did you mean puna gguf info?", self.refused(2, "gguf"))
        self.assertIn("did you mean puna gguf info?", self.refused(2, "info", "x.gguf"))
        self.assertIn("did you mean puna gguf info x.gguf?", self.refused(2, "gguf", "x.gguf"))
        self.assertIn("did you mean puna chat x.gguf?", self.refused(2, "x.gguf"))
        self.assertIn("did you mean puna list?", self.refused(2, "models"))

    def test_options_without_a_command_are_those_of_llama_cli(self):
        options = ["-m", self.model, "-n", "5", "--temp", "0", "-ngl", "99", "-fa", "on", "--numa", "isolate", "--prio", "2"]
        self.assertEqual(self.answer(*options, "-p", "b"), self.answer("chat", *options, "-p", "b"))
        self.assertEqual(self.answer(*options, "-p", "ab", "-no-cnv"), self.answer("run", *options, "-p", "ab", "--raw"))
        self.assertIn("unknown option --frobnicate", self.refused(2, "--frobnicate"))

    def test_a_text_without_its_option_learns_the_option(self):
        self.assertIn("-p", self.refused(2, "run", self.model, "Why is the sky blue?").splitlines()[1])
        self.assertIn("-p", self.refused(1, "run", "Why is the sky blue?").splitlines()[1])
        self.assertIn("-p", self.refused(2, "chat", "-m", self.model, "Hello").splitlines()[1])

    def test_help_fits_the_screen_and_has_no_gaps(self):
        for command in COMMANDS:
            out = self.answer(*command.split(), "--help")
            self.assertNotIn("\n\n\n", out)
            for line in out.splitlines():
                if not line.startswith("  -"):  # an option's own spelling is not broken
                    self.assertLessEqual(len(line), 100, line)

    def test_an_unknown_option_has_a_near_one(self):
        self.assertIn("did you mean --temp?", self.refused(2, "run", "--tmep", "0"))
        self.assertIn("puna run has it", self.refused(2, "chat", "-m", self.model, "-no-cnv"))
        self.assertIn("puna run --help", self.refused(2, "run", "--does-not-exist-at-all"))

    def test_a_wrong_value_is_named(self):
        self.assertIn("-c: 'many' is no whole number", self.refused(2, "run", "-c", "many"))

    def test_a_sampling_value_without_a_meaning_is_refused_before_the_model_is_looked_for(self):
        for command in ("run", "chat"):
            for option, value in (("--top-p", "2"), ("--min-p", "nan"), ("--repeat-penalty", "0"), ("--dry-base", "0.5")):
                err = self.refused(2, command, "-m", "/nonexistent.gguf", "-p", "x", option, value)
                self.assertIn(option, err)

    def test_a_scale_of_positions_is_a_finite_number(self):
        for value in ("nan", "inf", "-inf"):
            self.assertIn("--yarn-ext-factor", self.refused(2, "run", "-m", self.model, "-p", "x", "--yarn-ext-factor", value))
        self.assertIn("--yarn-ext-factor", self.refused(1, "run", "-m", self.model, "-p", "x", "--yarn-ext-factor", "7"))
        for key in ("yarn_beta_fast", "yarn_beta_slow"):
            override = f"llama.rope.scaling.{key}=float:0"
            self.assertIn(key, self.refused(1, "run", "-m", self.model, "-p", "x", "--override-kv", override))

    def test_an_empty_word_is_a_value_and_not_a_missing_option(self):
        self.assertIn("--ids", self.refused(2, "score", "-m", self.model, "--ids", "", stdin="the llama"))
        self.assertIn("-f", self.refused(2, "run", "-m", self.model, "-f", "", stdin="the llama"))

    def test_a_text_without_end_is_refused(self):
        self.assertIn("/dev/zero: is longer than", self.refused(1, "tokenize", "-m", self.model, "-f", "/dev/zero"))
        with open("/dev/zero", "rb") as zeros:
            done = subprocess.run([PUNA, "tokenize", "-m", self.model], stdin=zeros, capture_output=True, timeout=60,
                                  env=environment(self.home))
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard input: is longer than", done.stderr)

    def test_what_a_file_says_reaches_the_terminal_in_one_harmless_line(self):
        path = tiny_model.write(os.path.join(self.home, "odd.gguf"), arch="\x1b[31m\nred" + "x" * 5000)
        for words in (["run", "-m", path, "-p", "x"], ["run", "--\x1b[31m\n"], ["\x1b[2J\n"], ["run", "-m", "/\x1b[2J\n" + "x" * 5000]):
            err = self.puna(*words, stdin="x").err
            self.assertNotIn("\x1b", err)
            self.assertLessEqual(len(err.splitlines()), 2, err)
            self.assertLess(len(err), 2500)

    @unittest.skipIf("ASAN_OPTIONS" in os.environ, "the sanitizer wants the address space")
    def test_a_system_that_gives_no_more_threads_or_memory_is_no_crash(self):
        few = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9)); os.execv(sys.argv[1], sys.argv[1:])"
        words = [PUNA, "run", "-m", self.model, "-p", "x", "-n", "3", "-t", "1000"]
        done = subprocess.run([sys.executable, "-c", few, *words], capture_output=True, timeout=60, env=environment(self.home))
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertIn(b"threads, wanted 1000", done.stderr)
        self.assertNotIn(b"terminate called", done.stderr)

    def test_a_wrong_value_is_named_with_its_option_once(self):
        self.assertEqual(self.refused(2, "run", self.model, "-p", "x", "--samplers", "nope").splitlines()[0],
                         "puna: --samplers: there is no step 'nope'")

    def test_the_password_in_a_url_is_not_shown(self):
        err = self.refused(1, "run", "-p", "x", "-mu", "http://me:secret@127.0.0.1:1/model.gguf")
        self.assertIn("127.0.0.1:1/model.gguf is not on this machine yet", err)
        self.assertNotIn("secret", err)

    def test_the_graphs_are_shown_after_a_pass(self):
        graphs = {name: self.puna("run", self.model, "-p", "x", "-n", "1", "--dump-graph", "after:" + name).err for name in ("build", "fuse")}
        for text in graphs.values():
            self.assertEqual(text.count("graph "), 2, text)  # the layers and the head
        self.assertNotEqual(graphs["build"], graphs["fuse"])
        self.assertIn("wanted after:build", self.refused(2, "run", self.model, "-p", "x", "--dump-graph", "fuse"))

    def test_a_log_level_that_is_none_is_said(self):
        self.assertIn("PUNA_LOG: 'loud' is none of", self.puna("list", PUNA_LOG="loud").err)

    def test_two_prompts_are_one_too_many(self):
        self.refused(2, "run", "-m", "x", "-p", "a", "-f", "b")

    def test_a_file_that_is_not_there_is_named(self):
        for command in (["run", "-p", "x"], ["tokenize", "-p", "x"], ["score", "-p", "x"], ["gguf", "info"]):
            err = self.refused(1, *command, "-m", "/nonexistent/model.gguf")
            self.assertIn("/nonexistent/model.gguf", err)
            self.assertLessEqual(len(err.splitlines()), 2)

    def test_a_mistyped_file_has_a_near_one(self):
        self.assertIn("did you mean 'tiny.gguf'?", self.refused(1, "gguf", "info", self.model.replace("tiny", "tniy")))
        self.assertIn("there is no folder", self.refused(1, "gguf", "info", "/nonexistent/tiny.gguf"))

    def test_a_file_that_is_no_model_is_refused_in_a_line_and_a_hint(self):
        for content in (b"", b"hello, I am a text", b"GGUF", b"\0" * 100, b"<!DOCTYPE html>"):
            path = self.file("bad.gguf", content)
            for command in (["run", "-p", "x"], ["chat", "-p", "x"], ["tokenize", "-p", "x"], ["gguf", "info"]):
                err = self.refused(1, *command, "-m", path)
                self.assertIn("bad.gguf", err)
                self.assertLessEqual(len(err.splitlines()), 2)

    def test_a_name_that_is_neither_file_nor_model_lists_the_known_ones(self):
        self.assertIn("smollm2-135m", self.refused(1, "run", "-m", "smolm2", "-p", "x"))

    def test_a_known_model_that_is_not_here_is_not_brought_offline(self):
        self.assertIn("puna pull", self.refused(1, "run", "-m", "smollm2-135m", "-p", "x", "--offline"))

    def test_options_without_effect_are_noted_only_when_asked(self):
        quiet = self.puna("tokenize", "-m", self.model, "--stdin", stdin="a")
        self.assertEqual(quiet.err, "")
        loud = self.puna("tokenize", "-m", self.model, "-v", "--stdin", stdin="a")
        self.assertIn("--stdin has no effect here", loud.err)

    def test_the_list_of_an_empty_machine_shows_the_catalogue(self):
        out = self.answer("list")
        self.assertIn("smollm2-135m", out)
        data = json.loads(self.answer("list", "--json"))
        self.assertEqual(data["models"], [])
        self.assertIn("gemma3-270m", [entry["name"] for entry in data["catalogue"]])

    def test_a_full_disk_is_an_error(self):
        if os.path.exists("/dev/full"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([PUNA, "--help"], stdout=full, stderr=subprocess.PIPE, env=environment(self.home))
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"standard output", done.stderr)


    def test_an_error_names_a_file_once(self):
        done = self.puna("chat", "-m", self.model, stdin="/load /nonexistent\n")
        self.assertEqual(done.err.count("/nonexistent"), 1, done.err)


class Vocabulary(ProgramTest):
    def test_ids_for_scripts_are_one_line_of_json(self):
        out = self.answer("tokenize", "-m", self.model, "--json", stdin="ab")
        self.assertEqual(out, "[1,102,103]\n")
        self.assertEqual(self.answer("tokenize", self.model, "--json", "--no-bos", stdin="ab"), "[102,103]\n")

    def test_a_files_bytes_are_taken_as_they_are(self):
        path = self.file("text", b"a\\n\xff\n")
        self.assertEqual(json.loads(self.answer("tokenize", self.model, "--json", "--no-bos", "-f", path)),
                         [5 + b for b in b"a\\n\xff\n"])

    def test_escapes_of_a_prompt_are_decoded_unless_told_otherwise(self):
        self.assertEqual(json.loads(self.answer("tokenize", self.model, "--json", "--no-bos", "-p", "a\\n")), [102, 15])
        self.assertEqual(json.loads(self.answer("tokenize", self.model, "--json", "--no-bos", "-p", "a\\n", "--no-escape")),
                         [102, 5 + ord("\\"), 5 + ord("n")])

    def test_control_tokens_are_parsed_unless_told_otherwise(self):
        self.assertEqual(json.loads(self.answer("tokenize", self.model, "--json", "--no-bos", "-p", "<|bot|>")), [4])
        self.assertEqual(len(json.loads(self.answer("tokenize", self.model, "--json", "--no-bos", "--no-parse-special", "-p", "<|bot|>"))), 7)

    def test_people_get_a_line_for_each_token(self):
        lines = self.answer("tokenize", self.model, "-p", "a\\n<|bot|>", "--show-count").splitlines()
        self.assertEqual([line.split() for line in lines[:4]],
                         [["1", "control", "<s>"], ["102", "byte", "a"], ["15", "byte", "\\n"], ["4", "control", "<|bot|>"]])
        self.assertEqual(lines[4], "Total number of tokens: 4")

    def test_without_colours_bars_part_the_tokens(self):
        self.assertEqual(self.answer("tokenize", self.model, "--no-bos", "--color", "-p", "ab<|bot|>"), "a|b|<|bot|>\n")

    def test_the_vocabulary_can_be_searched(self):
        self.assertIn("<|bot|>", self.answer("tokenize", self.model, "--find", "4"))
        found = self.answer("tokenize", self.model, "--find", "llama")
        self.assertEqual(len(found.splitlines()), 1)
        data = json.loads(self.answer("tokenize", self.model, "--find", "<|", "--json"))
        self.assertEqual([token["id"] for token in data], [3, 4])
        self.assertIn("0 to", self.refused(1, "tokenize", self.model, "--find", "100000"))
        self.refused(1, "tokenize", self.model, "--find", "nothing like it")

    def test_the_file_can_be_described(self):
        out = self.answer("gguf", "info", self.model)
        self.assertIn("general.architecture", out)
        self.assertIn("token_embd.weight", out)
        data = json.loads(self.answer("gguf", "info", self.model, "--json"))
        self.assertEqual(data["metadata"]["general.name"], "tiny")
        self.assertEqual(len(data["tensors"]), 12)

    def test_metadata_can_be_overridden(self):
        out = self.answer("gguf", "info", self.model, "--json", "--override-kv", "general.name=str:other,x.y=int:7")
        self.assertEqual(json.loads(out)["metadata"]["general.name"], "other")
        self.assertEqual(json.loads(out)["metadata"]["x.y"], 7)


if __name__ == "__main__":
    unittest.main()

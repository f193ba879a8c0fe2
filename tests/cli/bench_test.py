"""bench with a tiny model: every option, the rows they lead to, the forms for scripts."""
import csv
import io
import json
import re
import signal
import subprocess
import unittest

from program import PUNA, ProgramTest, Terminal, environment

QUICK = ["-r", "1", "--no-warmup"]


class Bench(ProgramTest):
    def rows(self, *words, **more):
        return json.loads(self.answer("bench", *QUICK, "-o", "json", *words, **more))

    def shape(self, *words):
        return [(row["n_prompt"], row["n_gen"], row["n_depth"], row["n_parallel"]) for row in self.rows("-m", self.model, *words)]

    def test_a_prompt_and_a_generation_are_measured_unless_told_otherwise(self):
        self.assertEqual(self.shape("-p", "16"), [(16, 0, 0, 1), (0, 128, 0, 1)])
        self.assertEqual(self.shape("-n", "4"), [(512, 0, 0, 1), (0, 4, 0, 1)])
        self.assertEqual(self.shape("-p", "0", "-n", "4"), [(0, 4, 0, 1)])
        self.assertEqual(self.shape("-p", "16", "-n", "0"), [(16, 0, 0, 1)])

    def test_lists_make_every_combination(self):
        self.assertEqual(self.shape("-p", "8,16", "-n", "2", "-pg", "8,2", "-pg", "4,1", "-d", "0,32"),
                         [(p, n, d, 1) for d in (0, 32) for p, n in ((8, 0), (16, 0), (0, 2), (8, 2), (4, 1))])
        rows = self.rows("-m", self.model, "-p", "8", "-n", "0", "-t", "1,2", "-b", "64,32", "-ub", "16,8", "-ctk", "f16", "-ctv", "f16")
        self.assertEqual({(row["n_threads"], row["n_batch"], row["n_ubatch"]) for row in rows},
                         {(t, b, u) for t in (1, 2) for b in (64, 32) for u in (16, 8)})
        self.assertEqual(len(rows), 8)

    def test_an_option_given_again_adds_to_its_list(self):
        self.assertEqual(self.shape("-p", "8", "-p", "16", "-n", "0"), [(8, 0, 0, 1), (16, 0, 0, 1)])

    def test_several_models_are_measured_one_after_the_other(self):
        for words in ([self.model, self.base], ["-m", self.model, "-m", self.base], ["-m", f"{self.model},{self.base}"]):
            rows = self.rows(*words, "-p", "8", "-n", "0")
            self.assertEqual([row["model_filename"] for row in rows], [self.model, self.base])

    def test_types_of_the_cache_and_the_way_of_the_file_are_told(self):
        row, = self.rows("-m", self.model, "-p", "8", "-n", "0", "-ctk", "f32", "-ctv", "f32", "-mmp", "0")
        self.assertEqual((row["type_k"], row["type_v"], row["use_mmap"]), ("f32", "f32", False))

    def test_sequences_run_together(self):
        words = ("-p", "8", "-n", "2", "--parallel", "1,3")
        self.assertEqual(self.shape(*words), [(8, 2, 0, 1), (8, 2, 0, 3)])
        for row in self.rows("-m", self.model, *words, "--shared-prompt"):
            self.assertTrue(row["shared_prompt"])
            self.assertGreater(row["avg_prompt_ts"], 0)
            self.assertGreater(row["avg_gen_ts"], 0)
        out = self.answer("bench", *QUICK, "-m", self.model, *words)
        for title in ("parallel", "PP t/s", "TG t/s", "total t/s"):
            self.assertIn(f" {title} |", out)

    def test_each_repetition_is_a_sample(self):
        row, = self.rows("-m", self.model, "-p", "8", "-n", "0", "-r", "3")
        self.assertEqual(len(row["samples_ns"]), 3)
        self.assertAlmostEqual(row["avg_ns"], sum(row["samples_ns"]) / 3, delta=1)
        self.assertAlmostEqual(row["avg_ts"], sum(row["samples_ts"]) / 3, delta=row["avg_ts"] / 1e6)
        self.assertAlmostEqual(row["samples_ts"][0], 8e9 / row["samples_ns"][0], delta=row["avg_ts"] / 1e3)

    def test_a_row_says_what_the_model_is_and_what_the_machine_could_do(self):
        row, = self.rows("-m", self.model, "-p", "8", "-n", "0")
        self.assertRegex(row["model_type"], r"^llama [\d.]+K F32$")
        self.assertEqual(row["model_size"], sum(tensor["bytes"] for tensor in self.info()["tensors"]))
        self.assertEqual(row["model_n_params"], self.info()["parameters"])
        self.assertRegex(row["test_time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        for field in ("ceiling_share", "ceiling_read_bytes_per_second", "ceiling_int8_ops_per_second"):
            self.assertGreater(row[field], 0)

    def info(self):
        return json.loads(self.answer("gguf", "info", self.model, "--json"))

    def test_the_kernels_are_those_of_the_environment(self):
        row, = self.rows("-m", self.model, "-p", "8", "-n", "0", PUNA_ISA="scalar")
        self.assertEqual(row["isa"], "scalar")

    def test_people_get_a_table(self):
        out = self.answer("bench", "-m", self.model, "-p", "8", "-n", "2", "-d", "0,16", "-r", "2")
        lines = out.splitlines()
        self.assertEqual(re.findall(r"[\w/]+(?: [\w/]+)*", lines[0]), ["model", "size", "backend", "threads", "test", "t/s", "of ceiling"])
        self.assertEqual([line.split("|")[5].strip() for line in lines[2:6]], ["pp8", "tg2", "pp8 @ d16", "tg2 @ d16"])
        self.assertEqual(len(lines[0]), len(lines[1]))
        self.assertEqual({line.count("|") for line in lines[:6]}, {8})
        self.assertIn("ceiling: ", lines[-1])

    def test_csv_has_the_rows_of_json_without_the_samples(self):
        out = self.answer("bench", *QUICK, "-m", self.model, "-p", "8", "-n", "2", "-o", "csv")
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual([(row["n_prompt"], row["n_gen"]) for row in rows], [("8", "0"), ("0", "2")])
        fields = [name for name, value in self.rows("-m", self.model, "-p", "8", "-n", "0")[0].items() if not isinstance(value, list)]
        self.assertEqual(list(rows[0]), fields)

    def test_options_of_llama_bench_without_a_meaning_here_are_accepted(self):
        self.assertEqual(len(self.rows("-m", self.model, "-p", "8", "-n", "0", "-ngl", "99", "-fa", "1", "-sm", "layer")), 1)

    def test_a_wrong_value_is_named_with_its_option(self):
        for option, value in (("-p", "many"), ("-p", "8,,16"), ("-n", "-1"), ("-pg", "8"), ("-pg", "8,2,1"), ("-d", "x"), ("-t", "1,x"),
                              ("-b", "0"), ("-ub", "0"), ("-ctk", "q3"), ("-ctv", "f16,q3"), ("-r", "0"), ("-o", "xml"),
                              ("--parallel", "0"), ("-mmp", "2"), ("-m", "")):
            self.assertIn(f"puna: {option}: ", self.refused(2, "bench", self.model, option, value))

    def test_options_that_do_not_go_together_are_refused(self):
        self.assertIn("-p 0 and -n 0", self.refused(2, "bench", self.model, "-p", "0", "-n", "0"))
        self.assertIn("--parallel", self.refused(2, "bench", self.model, "--shared-prompt"))
        self.assertIn("-pg and --parallel", self.refused(2, "bench", self.model, "-pg", "8,2", "--parallel", "2"))

    def test_a_model_that_is_not_there_is_named(self):
        self.assertIn("nothing.gguf", self.refused(1, "bench", "/nothing.gguf", "-p", "8", "-n", "0"))

    def test_a_bad_file_among_several_is_told_before_anything_is_measured(self):
        broken = self.file("broken.gguf", b"GGUF\x03\0\0\0")
        for bad in ("/nothing.gguf", broken):
            self.assertIn(bad, self.refused(1, "bench", *QUICK, self.model, bad, "-p", "8", "-n", "0"))

    def test_another_programs_name_leads_here(self):
        self.assertIn("did you mean puna bench?", self.refused(2, "llama-bench"))

    def test_an_interrupt_ends_it_with_the_rows_so_far(self):
        command = [PUNA, "bench", "-m", self.model, "-p", "8", "-n", "200", "-r", "5000", "-o", "json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(self.home))
        out = ""
        while not out.endswith("}"):
            out += process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        rest, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual([row["n_prompt"] for row in json.loads(out + rest)], [8])

    def test_a_terminal_is_shown_how_far_it_is(self):
        terminal = Terminal(["bench", "-m", self.model, "-p", "0", "-n", "100", "-r", "10000"], environment(self.home))
        terminal.wait_for(r"row 1 of 1: tg100  .*tokens/s")
        terminal.send("\x03")
        self.assertEqual(terminal.status(), 130)


if __name__ == "__main__":
    unittest.main()

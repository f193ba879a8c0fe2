"""run and score with a tiny model: the forms for scripts, where answers end, what goes where."""
import json
import os
import signal
import subprocess
import time
import unittest

from program import PUNA, ProgramTest, environment, tiny_model


DATA = os.environ.get("PUNA_TEST_DATA") or "tests/data"


class Run(ProgramTest):
    def script_form(self, *words, **more):
        return json.loads(self.answer("run", "-m", self.model, "--raw", "--no-stop", "--temp", "0", "--json", *words, **more))

    def test_the_form_for_scripts_has_ids_text_and_timings(self):
        path = self.file("prompt", b"a\\n")
        data = self.script_form("-f", path, "-n", "8")
        self.assertEqual(set(data), {"prompt_tokens", "tokens", "text", "timings"})
        self.assertEqual(data["prompt_tokens"], [1, 102, 97, 115])
        self.assertEqual(len(data["tokens"]), 8)
        self.assertGreater(len(data["text"]), 0)
        self.assertEqual(data["timings"]["generated_tokens"], 8)
        self.assertEqual(data["timings"]["finish"], "length")

    def test_the_prompt_comes_from_an_option_a_file_or_standard_input(self):
        path = self.file("prompt", "ab")
        by_option = self.script_form("-p", "ab", "-n", "4")
        self.assertEqual(self.script_form("-f", path, "-n", "4")["tokens"], by_option["tokens"])
        self.assertEqual(self.script_form("-n", "4", stdin="ab")["tokens"], by_option["tokens"])
        self.assertEqual(self.script_form("-f", "-", "-n", "4", stdin="ab")["tokens"], by_option["tokens"])

    def test_only_the_answer_is_on_standard_output(self):
        done = self.puna("run", "-m", self.model, "--temp", "0", "-n", "8", "-p", "ab", "--stats")
        self.assertEqual(done.status, 0)
        self.assertTrue(done.out.endswith("\n"))
        self.assertNotIn("t/s", done.out)
        self.assertIn("t/s", done.err)

    def test_the_template_is_applied_unless_raw(self):
        form = json.loads(self.answer("run", "-m", self.model, "--temp", "0", "-n", "1", "--json", "-p", "a", "-sys", "s\\n"))
        self.assertEqual(form["prompt_tokens"], [1, 3, 5 + ord("s"), 15, 3, 102, 4])

    def test_what_a_user_says_is_no_control_token(self):
        form = json.loads(self.answer("run", "-m", self.model, "--temp", "0", "-n", "1", "--json", "-p", "<|bot|>"))
        self.assertEqual(form["prompt_tokens"].count(4), 1)
        raw = self.script_form("-p", "<|bot|>", "-n", "1")
        self.assertEqual(raw["prompt_tokens"], [1, 4])
        self.assertEqual(len(self.script_form("-p", "<|bot|>", "-n", "1", "--no-parse-special", "--no-bos")["prompt_tokens"]), 7)

    def test_a_base_model_goes_on_with_the_text_and_says_so(self):
        done = self.puna("run", "-m", self.base, "--temp", "0", "-n", "4", "-p", "ab")
        self.assertEqual(done.status, 0)
        self.assertIn("no chat template", done.err)

    def test_a_templates_refusal_is_given_in_its_own_words(self):
        err = self.refused(1, "run", "-m", self.model, "-p", "x", "-sys", "forbidden")
        self.assertIn("That system prompt is forbidden", err)

    def test_the_same_seed_gives_the_same_answer(self):
        def words(seed):
            return self.answer("run", "-m", self.model, "-p", "a", "-n", "30", "-s", str(seed), "--temp", "1.5")
        self.assertEqual(words(1), words(1))
        self.assertEqual(len({words(seed) for seed in range(6)} - {words(1)}), 5)

    def test_a_full_context_ends_the_answer_and_says_so(self):
        done = self.puna("run", "-m", self.model, "-c", "64", "--temp", "0", "--no-stop", "-p", "a")
        self.assertEqual(done.status, 0)
        self.assertIn("context of 64 tokens is full", done.err)

    def test_a_context_shift_goes_on(self):
        data = self.script_form("-c", "64", "--context-shift", "-n", "200", "-p", "a")
        self.assertEqual(len(data["tokens"]), 200)
        self.assertGreater(data["timings"]["context_shifts"], 0)

    def test_a_prompt_that_does_not_fit_is_refused_with_the_numbers(self):
        self.assertIn("64", self.refused(1, "run", "-m", self.model, "-c", "64", "-p", "x" * 100))

    def test_an_empty_prompt_is_refused(self):
        self.refused(1, "run", "-m", self.model, "-p", "")

    def test_ctrl_c_stops_the_answer_with_130(self):
        process = subprocess.Popen([PUNA, "run", "-m", self.model, "-p", "a", "--no-stop", "--context-shift", "--temp", "0"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(self.home))
        process.stdout.read(10)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        out, _ = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertLess(time.monotonic() - start, 10)

    def test_a_model_that_is_cut_short_while_in_use_is_said(self):
        path = tiny_model.write(os.path.join(self.home, "cut.gguf"))
        process = subprocess.Popen([PUNA, "chat", "-m", path, "--exact", "-n", "3"], env=environment(self.home),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(b"hi\n")
        process.stdin.flush()
        process.stdout.readline()
        os.truncate(path, 0)
        _, err = process.communicate(b"hi again\n", timeout=30)
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"cut short", err)

    def test_values_without_a_meaning_are_refused_by_name(self):
        self.assertIn("--top-p", self.refused(2, "run", "-m", self.model, "-p", "a", "--top-p", "2"))

    def test_the_models_context_is_cut_to_what_fits_and_that_is_said(self):
        huge = ["--override-kv", "llama.context_length=int:260000000", "-ctk", "f32", "-ctv", "f32"]  # some 120 GiB of cache
        if os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") > 110 << 30:
            self.skipTest("this machine has memory for it")
        model = os.path.join(DATA, "models", "llama.gguf")
        done = self.puna("run", model, "--raw", "-p", "a", "-n", "2", "--temp", "0", *huge)
        self.assertEqual(done.status, 0, done.err)
        self.assertRegex(done.err, r"context cut to \d+ positions \(of the model's 260000000\): .* of memory are available")
        self.assertIn("would fit", self.refused(1, "run", model, "--raw", "-p", "a", "-n", "2", "-c", "260000000", *huge))


class Score(ProgramTest):
    def test_the_form_for_scripts_has_ids_nll_and_top(self):
        path = self.file("text", "abc")
        data = json.loads(self.answer("score", "-m", self.model, "-f", path, "--top", "5", "--json"))
        self.assertEqual(set(data), {"ids", "nll", "top"})
        self.assertEqual(data["ids"], [1, 102, 103, 104])
        self.assertEqual(len(data["nll"]), 3)
        self.assertTrue(all(nll > 0 for nll in data["nll"]))
        self.assertEqual(len(data["top"]), 5)
        self.assertEqual([logit for _, logit in data["top"]], sorted((logit for _, logit in data["top"]), reverse=True))

    def test_ids_score_as_their_text_does(self):
        by_text = self.answer("score", "-m", self.model, "-p", "abc", "--json")
        self.assertEqual(self.answer("score", "-m", self.model, "--ids", "[1, 102,103,104]", "--json"), by_text)

    def test_the_exact_path_is_near(self):
        fast = json.loads(self.answer("score", "-m", self.model, "-p", "abc", "--json"))
        exact = json.loads(self.answer("score", "-m", self.model, "-p", "abc", "--json", "--exact"))
        for a, b in zip(fast["nll"], exact["nll"]):
            self.assertAlmostEqual(a, b, delta=0.2)

    def test_the_greedy_token_is_the_first_of_top(self):
        top = json.loads(self.answer("score", "-m", self.model, "-p", "abc", "--json"))["top"]
        run = json.loads(self.answer("run", "-m", self.model, "-p", "abc", "--raw", "--no-stop", "--temp", "0", "-n", "1", "--json"))
        self.assertEqual(run["tokens"][0], top[0][0])

    def test_people_get_a_table_with_the_perplexity(self):
        out = self.answer("score", "-m", self.model, "-p", "abc")
        self.assertIn("perplexity", out)
        self.assertIn("expected next", out)

    def test_wrong_ids_are_refused(self):
        for ids in ("[1,", "{}", "[1.5]", "[-1]", '["a"]', "7", "[99999999999]"):
            self.refused(2, "score", "-m", self.model, "--ids", ids)
        self.assertIn("5000", self.refused(1, "score", "-m", self.model, "--ids", "[1,5000]"))


if __name__ == "__main__":
    unittest.main()

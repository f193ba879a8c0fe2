"""The side-by-side's page and picture, from results as bench/compare.py finds them."""
import os
import pathlib
import sys
import types
import unittest
import xml.etree.ElementTree

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
import results  # noqa: E402
import sides  # noqa: E402


def result():
    tests = [
        {"name": "pp512", "more_is_better": True, "sides": {"puna": [300.0, 310.0, 290.0], "llama.cpp, repacking": [200.0],
                                                            "llama.cpp, as the file": [240.0]}},
        {"name": "tg128", "more_is_better": True, "sides": {"puna": [20.0], "llama.cpp, repacking": [25.0], "llama.cpp, as the file": [10.0]}},
        {"name": "tg128 @ d4096 q8_0", "more_is_better": True, "sides": {"puna": [], "llama.cpp, repacking": [25.0],
                                                                         "llama.cpp, as the file": []}},
        {"name": "first token", "more_is_better": False, "sides": {"puna": [0.5], "llama.cpp, repacking": [1.5],
                                                                   "llama.cpp, as the file": [1.0]}},
        {"name": "memory", "more_is_better": False, "sides": {"puna": [2.0**30], "llama.cpp, repacking": [1.5 * 2**30],
                                                              "llama.cpp, as the file": [2.0**31]}},
    ]
    runs = [{"date": "2026-01-31", "models": ["model.gguf"], "settings": "2 threads", "versions": ["puna 0.1.0", "peer 1"]}]
    return {"machine": "a <machine>", "runs": runs, "models": [{"name": "model.gguf", "tests": tests}]}


class Results(unittest.TestCase):
    def row(self, test, reasons=None):
        return next(line for line in results.page(result(), reasons or {}).splitlines() if line.startswith(f"| {test} |"))

    def test_a_row_has_medians_their_spread_and_the_ratio_to_the_better_setting(self):
        self.assertEqual(self.row("pp512"), "| pp512 | 300.0 ± 3 % | 200.0 ± 0 % | 240.0 ± 0 % | **1.25** |  |")

    def test_a_generation_s_share_of_the_ceiling_stands_behind_it(self):
        found = result()
        found["models"][0]["tests"][1]["of_ceiling"] = {"puna": [0.7, 0.8, 0.9]}
        self.assertIn("| tg128 | 20.0 ± 0 % (80 %) | 25.0 ± 0 % |", results.page(found, {}))

    def test_a_peer_that_was_measured_elsewhere_counts_by_its_ratio_there(self):
        found = result()
        found["models"][0]["name"] = "qwen-Q8_0.gguf"  # 314 there where llama.cpp as the file had 106
        page = results.page(found, {})
        self.assertIn("| pp512 | 300.0 ± 3 % | 200.0 ± 0 % | 240.0 ± 0 % | 710.9 ± 0 % | 0.42 |", page)
        self.assertIn("| first token | 0.50 s ± 0 % | 1.50 s ± 0 % | 1.00 s ± 0 % | – | **2.00** |", page)

    def test_a_row_that_loses_stays_with_its_reason(self):
        self.assertIn("| 0.80 | not explained yet |", self.row("tg128"))
        self.assertIn("| 0.80 | because |", self.row("tg128", {"tg128": "because"}))
        self.assertIn("| 0.80 | of this one |", self.row("tg128", {"tg128": "because", "model.gguf: tg128": "of this one"}))

    def test_a_row_that_wins_by_less_than_was_wanted_may_have_one(self):
        self.assertIn("| **1.25** | 2 wanted |", self.row("pp512", {"pp512": "2 wanted"}))

    def test_less_is_better_for_times_and_memory(self):
        self.assertIn("| 0.50 s ± 0 % |", self.row("first token"))
        self.assertIn("| **2.00** |", self.row("first token"))
        self.assertIn("| 1024 MiB ± 0 % | 1536 MiB ± 0 % | 2048 MiB ± 0 % | **1.50** |", self.row("memory"))

    def test_what_a_program_cannot_do_is_no_number(self):
        self.assertEqual(self.row("tg128 @ d4096 q8_0"), "| tg128 @ d4096 q8_0 | – | 25.0 ± 0 % | – | – |  |")

    def test_a_side_that_failed_is_named_below_the_table(self):
        found = result()
        found["models"][0]["failures"] = {"llama.cpp, repacking": {"ended by SIGSEGV": ["pp512", "tg128"]}}
        self.assertIn("\n- llama.cpp, repacking: ended by SIGSEGV (pp512, tg128)\n", results.page(found, {}))
        self.assertNotIn("Not measured", results.page(result(), {}))

    def test_each_run_is_named_with_its_settings(self):
        self.assertIn("\n- 2026-01-31, model.gguf: 2 threads; puna 0.1.0; peer 1\n", results.page(result(), {}))

    def test_a_run_is_added_to_what_was_measured_before(self):
        def test(name, **of_sides):
            return {"name": name, "sides": of_sides, "of_ceiling": {side: [0.5] for side in of_sides}}

        def model(name, tests, **failures):
            return {"name": name, "tests": tests, "failures": failures}

        models = [model("a", [test("tg8 @ d64", puna=[1], peer=[2]), test("memory", puna=[3])], peer={"died": ["pp8", "memory"]})]
        results.add(models, model("a", [test("pp8", peer=[5], ik=[6]), test("memory", ik=[7])], ik={"slept": ["tg4"]}))
        results.add(models, model("b", [test("pp8", puna=[8])]))
        self.assertEqual([m["name"] for m in models], ["a", "b"])
        self.assertEqual([(t["name"], t["sides"]) for t in models[0]["tests"]],
                         [("pp8", {"peer": [5], "ik": [6]}), ("tg8 @ d64", {"puna": [1], "peer": [2]}), ("memory", {"puna": [3], "ik": [7]})])
        self.assertEqual(models[0]["failures"], {"peer": {"died": ["memory"]}, "ik": {"slept": ["tg4"]}})

    def test_a_run_takes_the_place_of_an_earlier_one_like_it(self):
        runs = result()["runs"]
        results.add_run(runs, {**runs[0], "date": "2026-02-01", "versions": ["puna 0.2.0", "peer 1"]})
        self.assertEqual([run["date"] for run in runs], ["2026-02-01"])
        results.add_run(runs, {**runs[0], "versions": ["puna 0.2.0", "peer 2"]})
        results.add_run(runs, {**runs[0], "settings": "3 threads"})
        self.assertEqual([(run["settings"], run["versions"][1]) for run in runs],
                         [("2 threads", "peer 1"), ("2 threads", "peer 2"), ("3 threads", "peer 1")])

    def test_the_picture_is_xml_with_a_bar_for_each_ratio(self):
        root = xml.etree.ElementTree.fromstring(results.picture(result()))
        texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual([text for text in texts if text.endswith("×")], ["1.25 ×", "0.80 ×", "2.00 ×", "1.50 ×"])
        self.assertIn("a <machine>; 2026-01-31", texts)

    def test_the_tests_are_the_promised_ones(self):
        options = types.SimpleNamespace(p=512, n=128, d=[0, 4096], cache=["f16", "q8_0"], parallel=[16, 64], parallel_p=128, parallel_n=32)
        self.assertEqual([test.name for test in sides.all_tests(options)],
                         ["pp512", "tg128", "pp512 @ d4096 f16", "tg128 @ d4096 f16", "pp512 @ d4096 q8_0", "tg128 @ d4096 q8_0",
                          "tg32 × 16", "tg32 × 64", "first token", "memory"])

    def test_a_side_that_ends_badly_says_how(self):
        def why(returncode, stderr):
            return sides.why(types.SimpleNamespace(returncode=returncode, stderr=stderr))

        self.assertEqual(why(-11, ""), "ended by SIGSEGV")
        self.assertEqual(why(1, "Traceback\n  line\nRuntimeError: no context\n"), "status 1: RuntimeError: no context")
        self.assertEqual(why(2, "puna: -ctk: no such type\nhint: f16\n"), "status 2: puna: -ctk: no such type")

    def test_sides_take_turns(self):
        order = []

        class Side:
            def __init__(self, name):
                self.name = name

            def measure(self, _model, _settings, _options):
                order.append(self.name)
                if self.name == "c":
                    raise sides.Failed("c cannot do it")
                return {"prompt_ts": [3.0, 1.0, 2.0]}

        test = sides.Test("pp8", "prompt_ts", test="speed")
        stderr, sys.stderr = sys.stderr, open(os.devnull, "w")
        try:
            found = sides.measure("model", [test], [Side("a"), Side("b"), Side("c")], types.SimpleNamespace(r=3))
        finally:
            sys.stderr.close()
            sys.stderr = stderr
        self.assertEqual(order, ["a", "b", "c", "b", "a", "a", "b"])
        self.assertEqual(found, ({"pp8": {"a": [2.0] * 3, "b": [2.0] * 3, "c": []}}, {"pp8": {}}, {"c": {"c cannot do it": ["pp8"]}}))


if __name__ == "__main__":
    unittest.main()

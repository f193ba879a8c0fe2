"""run and chat held to a grammar: what comes out, and what is refused before a model is loaded."""
import json
import unittest

from program import ProgramTest


class Grammars(ProgramTest):
    def texts(self, *words, n=6):
        for seed in range(n):
            yield self.answer("run", "-m", self.model, "-p", "a", "--temp", "2", "-s", str(seed), *words)

    def test_answers_are_the_grammars(self):
        file = self.file("list.gbnf", 'root ::= ("- " [a-z]{2,4} "\\n"){2} # two lines\n')
        for option in (["--grammar", 'root ::= ("- " [a-z]{2,4} "\\n"){2}'], ["--grammar-file", file]):
            for text in self.texts(*option):
                self.assertRegex(text, r"\A(- [a-z]{2,4}\n){2}\Z")

    def test_answers_are_what_a_regular_expression_matches(self):
        for text in self.texts("--regex", "[0-9]{3}-(yes|no)"):
            self.assertRegex(text, r"\A[0-9]{3}-(yes|no)\n\Z")

    def test_answers_are_json_that_a_schema_holds_of(self):
        schema = {"type": "object", "properties": {"a": {"enum": ["x", "y"]}, "b": {"type": "boolean"}}, "required": ["a", "b"],
                  "additionalProperties": False}
        file = self.file("schema.json", json.dumps(schema))
        for option in (["--json-schema", json.dumps(schema)], ["-j", json.dumps(schema)], ["--json-schema-file", file], ["-jf", file]):
            for text in self.texts(*option, n=3):
                value = json.loads(text)
                self.assertIn(value["a"], ("x", "y"))
                self.assertIn(value["b"], (True, False))
                self.assertEqual(len(value), 2)

    def test_an_answer_that_can_only_end_ends(self):
        form = json.loads(self.answer("run", "-m", self.model, "-p", "a", "--grammar", 'root ::= "yes" | "no"', "--json"))
        self.assertIn(form["text"], ("yes", "no"))
        self.assertEqual(form["timings"]["finish"], "constraint_met")

    def test_an_answer_that_is_cut_short_says_so(self):
        words = ["run", "-m", self.model, "-p", "a", "--regex", "[0-9]{9}"]
        done = self.puna(*words, "-n", "2")
        self.assertEqual(done.status, 0, done.err)
        self.assertIn("only the beginning of what was asked for: -n ended it", done.err)
        self.assertIn("hint: a larger -n", done.err)
        self.assertIs(json.loads(self.puna(*words, "-n", "2", "--json").out)["complete"], False)
        done = self.puna(*words, "--json")
        self.assertNotIn("beginning", done.err)
        self.assertIs(json.loads(done.out)["complete"], True)
        self.assertIn("-r ended it", self.puna("run", "-m", self.model, "-p", "a", "--grammar", 'root ::= "abc"', "-r", "b").err)
        self.assertNotIn("complete", json.loads(self.answer("run", "-m", self.model, "-p", "a", "-n", "2", "--json")))

    def test_every_answer_of_a_chat_is_the_grammars(self):
        out = self.answer("chat", "-m", self.model, "--temp", "2", "--grammar", 'root ::= [xyz]{5}', stdin="a\nb\nc\n")
        self.assertRegex(out, r"\A([xyz]{5}\n){3}\Z")

    def test_what_is_no_grammar_is_refused_with_its_place(self):
        missing = self.file("none", "")
        for words, wanted in ((["--grammar", "root ::= a"], "--grammar: line 1, column 10: there is no rule 'a'"),
                              (["--grammar", ""], "--grammar: there is no rule 'root'"),
                              (["--grammar", 'root ::= "a" root'], "'root' never ends"),
                              (["--grammar-file", missing], "there is no rule 'root'"),
                              (["--json-schema", "{"], "--json-schema: "),
                              (["--json-schema", '{"$ref":"http://elsewhere/x"}'], "--json-schema: "),
                              (["--regex", "(a"], "--regex: "),
                              (["--grammar", 'root ::= "a"', "--regex", "a"], "--grammar and --regex: leave one out")):
            for command in (["run", "-p", "a"], ["chat", "-p", "a", "-st"]):
                err = self.refused(2 if "never ends" not in wanted else 1, *command, "-m", self.model, *words)
                self.assertIn(wanted, err.replace(missing, "FILE"))

    def test_tokens_are_named_as_the_model_has_them(self):
        err = self.refused(1, "run", "-m", self.model, "-p", "a", "--grammar", "root ::= <none>")
        self.assertIn("<none> is no token of this model", err)


if __name__ == "__main__":
    unittest.main()

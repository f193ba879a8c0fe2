"""Thoughts and calls of tools, as chat and run show them: by a model whose words are made for it."""
import json
import os
import unittest

from program import ProgramTest, Terminal, environment, tiny_model

CALL = '<tool_call>{"name": "now", "arguments": {"city": "Lima"}}</tool_call>'
WORDS = [CALL.replace(" ", "▁"), "▁warm", "<tool_call>oops</tool_call>", "<think>", "</think>"]
FIRST = 261  # the id of the first word
TEMPLATE = (
    "{% if tools %}[{{ tools[0].function.name }}]{% endif %}"
    "{% for m in messages %}<|user|>{{ m.role }}:{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }}"
    "{% for c in m.tool_calls or [] %}"
    '<tool_call>{"name": {{ c.function.name|tojson }}, "arguments": {{ c.function.arguments|tojson }}}</tool_call>{% endfor %}{% endfor %}'
    "{% if add_generation_prompt %}<|bot|>{% if enable_thinking is not defined or enable_thinking %}OPEN{% endif %}{% endif %}"
)
TOOL = {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}


class ToolCalls(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.caller = tiny_model.write(os.path.join(cls.folder.name, "caller.gguf"), words=WORDS)
        for name, opened in (("plain", ""), ("thinks", "<think>")):
            with open(os.path.join(cls.folder.name, name), "w") as file:
                file.write(TEMPLATE.replace("OPEN", opened))
        with open(os.path.join(cls.folder.name, "tools"), "w") as file:
            json.dump([TOOL], file)

    def words(self, command, word, *more, template="plain", tools=True):
        """A command line under which the model says this word again and again."""
        path = os.path.join(self.folder.name, template)
        given = ["--tools", os.path.join(self.folder.name, "tools")] if tools else []
        return [command, "-m", self.caller, "--temp", "0", "--logit-bias", f"{FIRST + word}+100", "--chat-template-file", path, *given, *more]

    def test_a_call_is_told_from_the_text(self):
        out = json.loads(self.answer(*self.words("run", 0, "-n", "2", "-p", "a", "--json")))
        self.assertEqual(out["text"], "")
        self.assertEqual([c["function"] for c in out["tool_calls"]], [{"name": "now", "arguments": '{"city": "Lima"}'}] * 2)
        self.assertNotEqual(out["tool_calls"][0]["id"], out["tool_calls"][1]["id"])
        self.assertEqual(out["tool_calls"][0]["type"], "function")

    def test_without_tools_or_without_a_call_it_is_text(self):
        out = json.loads(self.answer(*self.words("run", 0, "-n", "1", "-p", "a", "--json", tools=False)))
        self.assertEqual(out["text"], CALL)
        self.assertNotIn("tool_calls", out)
        self.assertEqual(self.answer(*self.words("run", 2, "-n", "1", "-p", "a")), WORDS[2] + "\n")

    def test_in_a_chat_the_next_message_is_the_result(self):
        path = os.path.join(self.home, "saved.json")
        done = self.puna(*self.words("chat", 0, "-n", "1"), stdin=f"a\nwarm\n/save {path}\n")
        self.assertEqual(done.status, 0, done.err)
        self.assertIn('now{"city": "Lima"}', done.err)
        self.assertEqual(done.out.strip(), "")
        with open(path) as file:
            messages = json.load(file)["messages"]
        self.assertEqual([m["role"] for m in messages], ["user", "assistant", "tool", "assistant"])
        self.assertEqual((messages[2]["content"], messages[2]["name"]), ("warm", "now"))
        self.assertEqual(messages[2]["tool_call_id"], messages[1]["tool_calls"][0]["id"])

    def test_a_thought_is_no_answer(self):
        thinks = self.words("run", 1, "-n", "3", "-p", "a", template="thinks")
        self.assertEqual(self.answer(*thinks), "\n")
        out = json.loads(self.answer(*thinks, "--json"))
        self.assertEqual((out["text"], out["reasoning"]), ("", "warm warm warm"))
        self.assertEqual(self.answer(*thinks, "--reasoning-format", "none"), " warm warm warm\n")

    def test_a_thought_has_a_budget(self):
        thinks = self.words("run", 1, "-n", "5", "-p", "a", "--json", template="thinks")
        out = json.loads(self.answer(*thinks, "--reasoning-budget", "2"))
        self.assertEqual((out["reasoning"], out["text"]), ("warm warm", "warm warm warm"))
        self.assertEqual(len(out["tokens"]), 5)
        out = json.loads(self.answer(*thinks, "--reasoning-budget", "0"))
        self.assertNotIn("reasoning", out)
        self.assertEqual(out["text"].split(), ["warm"] * 5)

    def test_no_budget_also_closes_thoughts_that_the_model_opens(self):
        out = json.loads(self.answer(*self.words("run", 3, "-n", "3", "-p", "a", "--json", "--reasoning-budget", "0")))
        self.assertNotIn("reasoning", out)
        self.assertEqual(len(out["tokens"]), 3)

    def test_a_grammar_binds_the_answer_and_not_the_thought_before_it(self):
        yes = ["--grammar", 'root ::= "yes"', "-p", "a", "--json"]
        closed = json.loads(self.answer(*self.words("run", 4, *yes, template="thinks")))
        self.assertEqual((closed["text"], closed.get("reasoning"), closed["complete"]), ("yes", None, True))
        cut = json.loads(self.answer(*self.words("run", 1, *yes, "--reasoning-budget", "2", template="thinks")))
        self.assertEqual((cut["text"], cut["reasoning"], cut["complete"]), ("yes", "warm warm", True))
        ended = json.loads(self.answer(*self.words("run", 2 - FIRST, *yes, template="thinks")))
        self.assertEqual((ended["text"], ended["complete"]), ("yes", True))
        endless = self.puna(*self.words("run", 1, *yes, "-n", "3", template="thinks"))
        self.assertEqual(json.loads(endless.out)["complete"], False)
        self.assertIn("only the beginning", endless.err)

    def test_what_a_grammar_makes_of_a_thought_is_not_cut(self):
        made = self.words("run", 1, "-p", "a", "--json", "--reasoning-budget", "2", "--grammar", 'root ::= "<think>abcdef</think>yes"')
        out = json.loads(self.answer(*made))
        self.assertEqual((out["reasoning"], out["text"], out["complete"]), ("abcdef", "yes", True))

    def test_tools_that_no_template_takes_are_told_of(self):
        tools = ["--tools", os.path.join(self.folder.name, "tools")]
        done = self.puna("run", "-m", self.model, "-p", "a", "-n", "1", *tools)
        self.assertEqual(done.status, 0, done.err)
        self.assertIn("nothing is taken for a call", done.err)
        self.assertIn("nothing is taken for a call", self.puna("chat", "-m", self.model, "-p", "a", "-st", "-n", "1", *tools).err)
        self.assertNotIn("for a call", self.puna(*self.words("run", 1, "-p", "a", "-n", "1")).err)
        self.assertIn("--raw and --tools: leave one out", self.refused(2, "run", "-m", self.model, "-p", "a", "--raw", *tools))

    def test_a_terminal_shows_thoughts_dimmed(self):
        words = self.words("chat", 1, "-n", "3", "-st", "-p", "a", "--reasoning-budget", "1", template="thinks")
        terminal = Terminal(words, environment(self.home))
        terminal.wait_for(r"\x1b\[2m ?warm\x1b\[0m.*warm warm")
        self.assertEqual(terminal.status(), 0)

    def test_wrong_words_are_refused(self):
        self.assertIn("auto or none", self.refused(2, "run", "-m", self.caller, "--reasoning-format", "loud"))
        wrong = os.path.join(self.home, "wrong")
        with open(wrong, "w") as file:
            file.write("{}")
        self.assertIn("wanted a list of tools", self.refused(1, "run", "-m", self.caller, "--tools", wrong, "-p", "a"))


if __name__ == "__main__":
    unittest.main()

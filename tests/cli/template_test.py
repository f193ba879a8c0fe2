"""template: what prompt a conversation becomes; and the options that choose a template or end an answer."""
import json
import os
import unittest

from program import ProgramTest

TOOL = {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}


class Template(ProgramTest):
    def file(self, name, content):
        path = os.path.join(self.home, name)
        with open(path, "w") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def json(self, *words, **more):
        return json.loads(self.answer("template", self.model, "--json", *words, **more))

    def test_the_prompt_and_its_tokens_special_ones_marked(self):
        out = self.answer("template", self.model, "-p", "a")
        prompt, _, tokens = out.partition("\n\n")
        self.assertEqual(prompt, "<s><|user|>a<|bot|>")
        self.assertEqual([line.split() for line in tokens.splitlines()],
                         [["1", "control", "<s>"], ["3", "control", "<|user|>"], ["102", "byte", "a"], ["4", "control", "<|bot|>"]])

    def test_messages_come_from_a_file_standard_input_or_a_request(self):
        messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
        expected = {"prompt": "<s><|user|>a<|bot|>b<|bot|>", "tokens": [1, 3, 102, 4, 103, 4]}
        self.assertEqual(self.json("-f", self.file("m.json", messages)), expected)
        self.assertEqual(self.json(stdin=json.dumps(messages)), expected)
        self.assertEqual(self.json(stdin=json.dumps({"model": "x", "messages": messages})), expected)
        self.assertEqual(self.json("--no-generation-prompt", stdin=json.dumps(messages))["prompt"], "<s><|user|>a<|bot|>b")
        self.assertEqual(self.json("-sys", "s", "-p", "a")["prompt"], "<s><|user|>s<|user|>a<|bot|>")

    def test_a_message_never_becomes_a_control_token(self):
        self.assertEqual(self.json("-p", "<|bot|>")["tokens"].count(4), 1)

    def test_another_template_by_name_by_file_or_as_text(self):
        path = self.file("t.jinja", "{{ x }}{{ messages[0].content }}{% if tools %}{{ tools[0].function.name }}{% endif %}")
        for option in ("--chat-template", "--chat-template-file"):
            self.assertEqual(self.json(option, path, "-p", "a", "--chat-template-kwargs", '{"x":"v"}')["prompt"], "va")
        self.assertEqual(self.json("--chat-template", "solar", "-p", "a")["prompt"], "### User:\na\n\n### Assistant:\n")
        self.assertIn("chatml", self.refused(1, "template", self.base, "--chat-template", "nonesuch", "-p", "a"))
        self.assertIn("chatml\n", self.answer("template", "--list"))

    def test_tools_reach_the_template(self):
        path = self.file("t.jinja", "{% for t in tools %}{{ t.function.name }}{% endfor %}")
        for tools in ([TOOL], [TOOL["function"]]):
            self.assertEqual(self.json("--chat-template", path, "-p", "a", "--tools", self.file("tools.json", tools))["prompt"], "now")
        request = {"messages": [{"role": "user", "content": "a"}], "tools": [TOOL], "chat_template_kwargs": {"x": 1}}
        self.assertEqual(self.json("--chat-template", path, stdin=json.dumps(request))["prompt"], "now")
        wrong = self.file("wrong.json", [TOOL, {}])
        self.assertIn("wrong.json[1]: a tool without a name", self.refused(1, "template", self.model, "-p", "a", "--tools", wrong))

    def test_the_templates_own_refusal_and_faults_of_messages_are_said(self):
        self.assertIn("That system prompt is forbidden", self.refused(1, "template", self.model, "-p", "a", "-sys", "forbidden"))
        bad = [{"role": "user", "content": "a"}, {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{bad"}}]}]
        self.assertIn("messages[1]", self.refused(1, "template", self.model, stdin=json.dumps(bad)))
        self.assertIn("standard input", self.refused(1, "template", self.model, stdin="{bad"))
        self.assertIn("wanted a list of messages", self.refused(1, "template", self.model, stdin="3"))

    def test_a_model_without_a_template_is_told(self):
        self.assertIn("--chat-template", self.refused(1, "template", self.base, "-p", "a"))
        self.assertIn("<|im_start|>", json.loads(self.answer("template", self.base, "--json", "--chat-template", "chatml", "-p", "a"))["prompt"])

    def test_the_source_is_the_template_itself(self):
        self.assertIn("add_generation_prompt", self.answer("template", self.model, "--source"))


class ReversePrompt(ProgramTest):
    def test_an_answer_ends_before_its_text(self):
        whole = self.answer("run", "-m", self.model, "-p", "a", "--temp", "0", "-n", "20", "--ignore-eos").rstrip("\n")
        stop = whole.split()[4]
        expected = whole[:whole.index(" " + stop)]
        for words in (("-r", " " + stop), ("-r", "never", "--reverse-prompt", " " + stop)):
            out = self.answer("run", "-m", self.model, "-p", "a", "--temp", "0", "-n", "20", "--ignore-eos", *words)
            self.assertEqual(out, expected + "\n")
        self.assertEqual(self.answer("chat", "-m", self.model, "--temp", "0", "-n", "20", "--ignore-eos", "-st", "-p", "a", "-r", " " + stop),
                         expected + "\n")


if __name__ == "__main__":
    unittest.main()

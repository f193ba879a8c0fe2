"""chat, in a terminal as a person sees it and through a pipe as a script does."""
import json
import os
import signal
import termios
import time
import unittest

from program import ProgramTest, Terminal, environment

PROMPT = r">\x1b\[0m $|> $"


class Piped(ProgramTest):
    def chat(self, stdin, *words):
        done = self.puna("chat", "-m", self.model, "--temp", "0", "-n", "5", *words, stdin=stdin)
        self.assertEqual(done.status, 0, done.err)
        return done

    def test_each_line_is_a_message_and_only_answers_are_on_standard_output(self):
        done = self.chat("a\nb\n")
        self.assertEqual(len(done.out.splitlines()), 2)
        self.assertNotIn(">", done.out)
        self.assertNotIn("\x1b", done.out)

    def test_the_conversation_is_remembered(self):
        self.assertNotEqual(self.chat("a\nb\n").out.splitlines()[1], self.chat("c\nb\n").out.splitlines()[1])

    def test_reset_forgets(self):
        self.assertEqual(self.chat("a\n/reset\nb\n").out.splitlines()[1], self.chat("b\n").out.splitlines()[0])

    def test_a_single_turn_leaves_after_the_first_answer(self):
        self.assertEqual(len(self.chat("b\nc\n", "-st").out.splitlines()), 1)
        self.assertEqual(self.chat("", "-st", "-p", "b").out, self.chat("b\n").out)

    def test_the_system_prompt_is_part_of_the_prompt(self):
        self.assertIn("prompt 4 tokens", self.chat("b\n", "--stats").err)
        self.assertIn("prompt 8 tokens", self.chat("b\n", "--stats", "-sys", "abc").err)
        self.assertIn("prompt 8 tokens", self.chat("/system abc\nb\n", "--stats").err)

    def test_a_conversation_can_be_saved_and_gone_on_with(self):
        path = os.path.join(self.home, "saved.json")
        whole = self.chat(f"a\n/save {path}\nb\n").out.splitlines()
        with open(path) as file:
            saved = json.load(file)
        self.assertEqual([m["role"] for m in saved["messages"]], ["user", "assistant"])
        self.assertEqual(self.chat(f"/load {path}\nb\n").out.splitlines()[0], whole[1])

    def test_what_cannot_be_loaded_leaves_the_chat_alive(self):
        done = self.chat("/load /nonexistent\nb\n")
        self.assertEqual(done.err.count("/nonexistent"), 1)
        self.assertEqual(len(done.out.splitlines()), 1)

    def test_an_unknown_command_is_no_message(self):
        done = self.chat("/sytem x\n")
        self.assertEqual(done.out, "")
        self.assertIn("did you mean /system?", done.err)

    def test_an_error_takes_the_message_back(self):
        done = self.chat("/system forbidden\na\n/system ok\nb\n")
        self.assertIn("That system prompt is forbidden", done.err)
        self.assertEqual(done.out, self.chat("b\n", "-sys", "ok").out)

    def test_statistics_come_when_asked(self):
        self.assertIn("t/s", self.chat("a\n/stats\n").err)
        self.assertIn("t/s", self.chat("a\n", "--stats").err)
        self.assertNotIn("t/s", self.chat("a\n").err)

    def test_the_next_turn_takes_the_beginning_from_the_cache(self):
        self.assertIn("cached)", self.chat("a long first message\nb\n/stats\n").err)

    def test_lines_can_be_joined(self):
        self.assertEqual(self.chat("a\\\nb\n").out, self.chat('"""\na\nb\n"""\n').out)
        self.assertEqual(len(self.chat("a\\\nb\n").out.splitlines()), 1)

    def test_a_base_model_goes_on_with_the_text(self):
        done = self.puna("chat", "-m", self.base, "--temp", "0", "--ignore-eos", stdin="a\n")
        self.assertEqual(done.status, 0)
        self.assertIn("256 tokens at a time", done.err)


class AtATerminal(ProgramTest):
    def chat(self, *words, **more):
        env = environment(self.home, **more)
        terminal = Terminal(["chat", "-m", self.model, "--temp", "0", "-n", "5", *words], env)
        terminal.wait_for(PROMPT)
        return terminal

    def leave(self, terminal):
        terminal.send("/quit\r")
        self.assertEqual(terminal.status(), 0)

    def saved(self, terminal):
        path = os.path.join(self.home, "saved.json")
        terminal.send(f"/save {path}\r")
        terminal.wait_for("saved to")
        terminal.wait_for(PROMPT)
        with open(path) as file:
            return json.load(file)["messages"]

    def test_a_message_is_answered_and_the_prompt_comes_back(self):
        terminal = self.chat()
        terminal.send("hello\r")
        terminal.wait_for(r"hello.*\n")
        terminal.wait_for(PROMPT)
        messages = self.saved(terminal)
        self.assertEqual(messages[0], {"role": "user", "content": "hello"})
        self.assertEqual(messages[1]["role"], "assistant")
        self.leave(terminal)

    def test_wide_characters_can_be_typed_and_deleted(self):
        terminal = self.chat()
        terminal.send("山🦙x\x7f\x7fü\r")
        terminal.wait_for(PROMPT)
        self.assertEqual(self.saved(terminal)[0]["content"], "山ü")
        self.leave(terminal)

    def test_wide_characters_need_no_locale(self):
        terminal = self.chat(LANG="C", LC_ALL="C")
        terminal.send("山ü\r")
        terminal.wait_for(PROMPT)
        self.assertEqual(self.saved(terminal)[0]["content"], "山ü")
        self.leave(terminal)

    def test_a_paste_of_several_lines_is_one_message(self):
        terminal = self.chat()
        terminal.send("say: \x1b[200~one\r\ntwo\r\tthree\nüber\x1b[201~ end\r")
        terminal.wait_for(PROMPT)
        self.assertEqual(self.saved(terminal)[0]["content"], "say: one\ntwo\n\tthree\nüber end")
        self.leave(terminal)

    def test_a_large_paste_arrives_whole(self):
        text = "\n".join(f"line {i} of a long text" for i in range(400))
        terminal = self.chat("-c", "256")
        os.set_blocking(terminal.fd, False)
        rest = ("\x1b[200~" + text + "\x1b[201~").encode()
        end = time.monotonic() + 60
        while rest and time.monotonic() < end:
            try:
                rest = rest[os.write(terminal.fd, rest[:512]):]
            except BlockingIOError:
                pass
            terminal.read(0.001)
        terminal.send("\r")
        terminal.wait_for(PROMPT, 60)
        self.assertEqual(self.saved(terminal)[0]["content"], text)
        self.leave(terminal)

    def test_ctrl_c_stops_the_answer_and_keeps_the_chat(self):
        terminal = self.chat("-n", "-1", "--ignore-eos")
        terminal.send("go\r")
        terminal.wait_for("go.*\n.* .* .* ")
        terminal.send("\x03")
        terminal.wait_for(PROMPT)
        messages = self.saved(terminal)
        self.assertEqual([m["role"] for m in messages], ["user", "assistant"])
        self.assertGreater(len(messages[1]["content"]), 3)
        self.leave(terminal)

    def test_ctrl_c_at_the_prompt_leaves_with_0(self):
        terminal = self.chat()
        terminal.send("half a mess\x03")
        self.assertEqual(terminal.status(), 0)

    def test_a_request_to_end_during_an_answer_ends_the_chat_too(self):
        terminal = self.chat("-n", "-1", "--ignore-eos")
        terminal.send("go\r")
        terminal.wait_for("go.*\n.* .* .* ")
        os.kill(terminal.pid, signal.SIGTERM)
        self.assertEqual(terminal.status(), 130)

    def test_a_request_to_end_at_the_prompt_gives_the_terminal_back_as_it_was(self):
        terminal = self.chat()
        self.assertFalse(termios.tcgetattr(terminal.fd)[3] & termios.ICANON)
        os.kill(terminal.pid, signal.SIGTERM)
        time.sleep(0.2)
        self.assertTrue(termios.tcgetattr(terminal.fd)[3] & termios.ICANON)
        self.assertEqual(terminal.status(), -signal.SIGTERM)

    def test_a_model_cannot_steer_the_terminal(self):
        terminal = self.chat("-l", "32+100")  # the byte 1B
        terminal.send("go\r")
        self.assertIn("\\x1b" * 5, terminal.wait_for(r"limit of tokens"))
        self.leave(terminal)

    def test_ctrl_d_leaves_with_0(self):
        terminal = self.chat()
        terminal.send("\x04")
        self.assertEqual(terminal.status(), 0)

    def test_history_is_kept_between_chats(self):
        terminal = self.chat()
        terminal.send("remember 山 me\r")
        terminal.wait_for(PROMPT)
        self.leave(terminal)
        self.assertEqual(os.stat(os.path.join(self.home, "history")).st_mode & 0o077, 0)
        terminal = self.chat()
        terminal.send("\x1b[A\x1b[A\r")
        terminal.wait_for(PROMPT)
        self.assertEqual(self.saved(terminal)[0]["content"], "remember 山 me")
        self.leave(terminal)

    def test_colours_only_without_no_color(self):
        terminal = self.chat()
        terminal.send("a\r")
        self.assertIn("\x1b[1;32m", terminal.wait_for(PROMPT))
        self.leave(terminal)
        terminal = self.chat(NO_COLOR="1")
        terminal.send("a\r")
        self.assertNotIn("\x1b[1;32m", terminal.wait_for(r"> $"))
        self.leave(terminal)

    def test_only_the_prompt_is_coloured(self):
        terminal = Terminal(["chat", "-m", self.model, "--temp", "0", "-n", "5"], environment(self.home))
        terminal.wait_for(r"\x1b\[1;32m>\x1b\[0m $")
        self.leave(terminal)

    def test_a_text_typed_for_another_command_ends_with_one_ctrl_d(self):
        terminal = Terminal(["tokenize", "-m", self.model], environment(self.home))
        terminal.wait_for("Ctrl-D ends it")
        terminal.send("a\n\x04")
        self.assertEqual(terminal.status(), 0)

    def test_a_first_message_is_shown_answered_and_followed_by_the_prompt(self):
        terminal = Terminal(["chat", "-m", self.model, "--temp", "0", "-n", "5", "-p", "hello"], environment(self.home))
        terminal.wait_for("> hello")
        terminal.wait_for(PROMPT)
        self.leave(terminal)

    def test_a_dumb_terminal_gets_plain_lines(self):
        for name in ("dumb", ""):
            terminal = Terminal(["chat", "-m", self.model, "--temp", "0", "-n", "5"], environment(self.home, TERM=name))
            start = terminal.wait_for("> ")
            terminal.send("hello\n")
            self.assertNotRegex(start + terminal.wait_for("hello.*\n.*> "), "[\x01\x1b]")
            terminal.send("/quit\n")
            self.assertEqual(terminal.status(), 0)


if __name__ == "__main__":
    unittest.main()

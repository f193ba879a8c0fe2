"""puna tokenize: which pre-tokenizer cuts the words, and what is said where there is none of that name."""
import json
import unittest

import tiny_model
from program import ProgramTest
from tiny_model import ARRAY, I32, STRING, pair


def byte_characters():
    """How vocabularies of bytes write each byte: as itself where that can be seen, else as a character from U+0100 on."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    unseen = [b for b in range(256) if b not in seen]
    return [chr(b) if b in seen else chr(0x100 + unseen.index(b)) for b in range(256)]


class Tokenize(ProgramTest):
    def vocabulary(self, pre):
        """A file of nothing but a vocabulary: bytes, and "12", which only a word of two digits can become."""
        metadata = [
            pair("general.architecture", STRING, "llama"),
            pair("tokenizer.ggml.model", STRING, "gpt2"),
            pair("tokenizer.ggml.tokens", ARRAY, byte_characters() + ["12"], STRING),
            pair("tokenizer.ggml.token_type", ARRAY, [1] * 257, I32),
            pair("tokenizer.ggml.merges", ARRAY, ["1 2"], STRING),
        ]
        if pre is not None:
            metadata.append(pair("tokenizer.ggml.pre", STRING, pre))
        return self.file("vocabulary.gguf", tiny_model.head(metadata))

    def ids(self, *words):
        return json.loads(self.answer("tokenize", "--json", *words))

    def test_the_files_pre_tokenizer_cuts_the_words(self):
        self.assertEqual(self.ids(self.vocabulary("gpt-2"), "-p", "12"), [256])
        self.assertEqual(self.ids(self.vocabulary("smollm"), "-p", "12"), [ord("1"), ord("2")])

    def test_another_one_may_be_chosen(self):
        self.assertEqual(self.ids(self.vocabulary("gpt-2"), "-p", "12", "--pre", "smollm"), [ord("1"), ord("2")])
        for unknown in ("martian", None):
            self.assertEqual(self.ids(self.vocabulary(unknown), "-p", "12", "--pre", "gpt-2"), [256])

    def test_a_file_with_an_unknown_name_is_refused_with_the_list(self):
        message, hint = self.refused(1, "tokenize", self.vocabulary("martian"), "-p", "12").splitlines()
        self.assertIn("vocabulary.gguf: tokenizer.ggml.pre: unknown pre-tokenizer 'martian'", message)
        for name in ("gpt-2", "llama-bpe", "qwen2", "deepseek-v3"):
            self.assertIn(name, hint)
        self.assertIn("--pre", hint)

    def test_a_file_that_names_none_is_refused_with_the_list(self):
        message, hint = self.refused(1, "tokenize", self.vocabulary(None), "-p", "12").splitlines()
        self.assertIn("vocabulary.gguf: the file does not say its pre-tokenizer (tokenizer.ggml.pre)", message)
        self.assertIn("gpt-2", hint)
        self.assertIn("--pre", hint)

    def test_an_unknown_choice_is_the_commands_fault_and_has_a_near_one(self):
        message, hint = self.refused(1, "tokenize", self.vocabulary("gpt-2"), "-p", "12", "--pre", "qwn2").splitlines()
        self.assertIn("--pre: unknown pre-tokenizer 'qwn2'", message)
        self.assertNotIn("tokenizer.ggml.pre", message)
        self.assertIn("did you mean qwen2?", hint)

    def test_a_vocabulary_that_has_none_takes_no_choice(self):
        message, hint = self.refused(1, "tokenize", self.model, "-p", "12", "--pre", "gpt-2").splitlines()
        self.assertIn("--pre gpt-2", message)
        self.assertIn("'llama'", message)
        self.assertIn("leave out --pre", hint)


if __name__ == "__main__":
    unittest.main()

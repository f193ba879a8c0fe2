#!/usr/bin/env python3
"""500 random words of each class of schemas: all valid by PyPI's jsonschema, formats too, and words of the grammars that xgrammar and
llguidance make of the same schema. Long."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import jsonschema
import schema_program
from schema_classes import CLASSES

SAMPLES = 500

# Where another engine refuses words, and why it is not ours that is wrong: engine, class.
DIFFERS = {
    ("llguidance", "numbers"): "it refuses 105.2, which is below 105.25",
    ("llguidance", "formats"): "it wants something after a URI's colon, which RFC 3986 does not",
    ("xgrammar", "flat object"): "it wants more than one letter in the last label of an address",
    ("xgrammar", "list of objects"): "it wants more than one letter in the last label of an address",
    ("xgrammar", "formats"): "it wants more than one letter in the last label of an address",
    ("xgrammar", "numbers"): "it takes no more than six digits after the point where a number has a range",
    ("xgrammar", "tagged union"): "it takes no more than six digits after the point where a number has a range",
    ("xgrammar", "names by pattern"): "it wants all of a name to match, where patternProperties search",
}


class Llguidance:
    def __init__(self):
        import llguidance
        self.tokenizer = llguidance.LLTokenizer("byte")
        self.matcher = llguidance.LLMatcher

    def compile(self, schema):
        grammar = self.matcher.grammar_from_json_schema(json.dumps(schema), overrides={"whitespace_flexible": True})
        matcher = self.matcher(self.tokenizer, grammar)
        return None if matcher.is_error() else matcher

    def accepts(self, matcher, text):
        if "\x7f" in text:
            return True  # it refuses this character, which JSON lets stand
        matcher.reset()
        tokens = self.tokenizer.tokenize_bytes(text.encode())
        return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


class Xgrammar:
    def __init__(self):
        import xgrammar
        self.xgrammar = xgrammar
        # A vocabulary of single bytes.
        info = xgrammar.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"], stop_token_ids=[256])
        self.compiler = xgrammar.GrammarCompiler(info)

    def compile(self, schema):
        try:
            return self.compiler.compile_json_schema(json.dumps(schema), any_whitespace=True, strict_mode=False)
        except Exception as refusal:  # whatever it raises for what it does not know
            print("xgrammar:", str(refusal).split("\n")[0][:150])
            return None

    def accepts(self, grammar, text):
        matcher = self.xgrammar.GrammarMatcher(grammar, terminate_without_stop_token=True)
        return matcher.accept_string(text.encode()) and matcher.is_completed()


def main():
    program = schema_program.Program()
    engines = {"llguidance": Llguidance(), "xgrammar": Xgrammar()}
    faults = []
    for name, schema in CLASSES.items():
        answer = program.ask(schema=json.dumps(schema), samples=SAMPLES, seed=7)
        if "error" in answer:
            faults.append(f"{name}: {answer['error']}")
            continue
        validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
        words = answer["samples"]
        faults += [f"{name}: invalid: {word}" for word in words if not validator.is_valid(json.loads(word))]
        line = f"{name}: {len(set(words))} words"
        for engine, one in engines.items():
            compiled = one.compile(schema)
            if compiled is None:
                line += f", {engine} refuses the schema"
                continue
            refused = [word for word in words if not one.accepts(compiled, word)]
            line += f", {engine} refuses {len(refused)}"
            if bool(refused) != ((engine, name) in DIFFERS):
                faults.append(f"{name}: {engine} refuses {len(refused)} words, such as {refused[:1]}; {DIFFERS.get((engine, name))}")
        print(line, flush=True)
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

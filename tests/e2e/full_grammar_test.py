#!/usr/bin/env python3
"""Token masks beside those of xgrammar and llguidance, over SmolLM2's vocabulary: random walks through grammars, at each step the
same set of tokens. Where one of the two differs, the other one decides; where both do, it is a fault. Long."""
import json
import os
import pathlib
import random
import subprocess
import sys

import llguidance
import llguidance.numpy
import numpy
from llguidance.gbnf_to_lark import gbnf_to_lark

N_WALKS, N_STEPS = 6, 40
GRAMMARS = {
    "json": r'''root ::= value
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (string ":" ws value ws ("," ws string ":" ws value ws)*)? "}"
array ::= "[" ws (value ws ("," ws value ws)*)? "]"
string ::= "\"" ([^"\\\x00-\x1F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F]))* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
ws ::= [ \n\t]*''',
    "any but x": "root ::= [^x]*",
    "parentheses": 'root ::= "(" root ")" | [a-z]*',
    "arithmetic": 'root ::= t ([-+] t)*\nt ::= f ([*/] f)*\nf ::= "(" root ")" | [0-9]+ | [a-z] [a-z0-9]*',
    "letters": 'root ::= ([a-zé中]+ " ")+ "."',
    "lists": 'root ::= ("- " item "\\n")+\nitem ::= [^\\n]+',
    "counts": 'root ::= [a-f]{3,12} "-" ("ab" | "c"){2,5} "!"',
    "choices": 'root ::= "yes" | "no" | "maybe" ", " root',
}


class Driver:
    def __init__(self, program, model):
        self.process = subprocess.Popen([program, model], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        first = json.loads(self.process.stdout.readline())
        self.tokens = [bytes.fromhex(token) for token in first["tokens"]]
        self.ends = first["ends"]

    def masks(self, gbnf, tokens):
        self.process.stdin.write(json.dumps({"gbnf": gbnf, "tokens": tokens}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            sys.exit(f"{gbnf}\n{tokens}: {answer['error']}")
        bits = [numpy.unpackbits(numpy.frombuffer(bytes.fromhex(mask), numpy.uint8), bitorder="little") for mask in answer["masks"]]
        return [one[:len(self.tokens)].astype(bool) for one in bits]


class XGrammar:
    def __init__(self, driver):
        import torch
        import xgrammar
        self.torch, self.xgrammar, self.n = torch, xgrammar, len(driver.tokens)
        info = xgrammar.TokenizerInfo(driver.tokens, xgrammar.VocabType.RAW, vocab_size=self.n, stop_token_ids=driver.ends)
        self.compiler = xgrammar.GrammarCompiler(info)

    def start(self, gbnf):
        self.matcher = self.xgrammar.GrammarMatcher(self.compiler.compile_grammar(gbnf))
        return self

    def mask(self):
        bits = self.xgrammar.allocate_token_bitmask(1, self.n)
        self.matcher.fill_next_token_bitmask(bits)
        return numpy.unpackbits(bits.numpy().view(numpy.uint8).reshape(-1), bitorder="little")[:self.n].astype(bool)

    def accept(self, token):
        return self.matcher.accept_token(int(token))


class LLGuidance:
    def __init__(self, driver):
        class Tokenizer:
            eos_token_id, bos_token_id = driver.ends[0], None
            tokens = [token or b"\xff<%d>" % i for i, token in enumerate(driver.tokens)]
            special_token_ids = [i for i, token in enumerate(driver.tokens) if not token]

            def __call__(self, text):
                return [self.tokens.index(bytes([byte])) for byte in text]

        self.n = len(driver.tokens)
        self.tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(Tokenizer()), slices=[])

    def start(self, gbnf):
        self.matcher = llguidance.LLMatcher(self.tokenizer, llguidance.LLMatcher.grammar_from_lark(gbnf_to_lark(gbnf)))
        if self.matcher.is_error():
            sys.exit(self.matcher.get_error())
        return self

    def mask(self):
        bits = llguidance.numpy.allocate_token_bitmask(1, self.n)
        llguidance.numpy.fill_next_token_bitmask(self.matcher, bits)
        return numpy.unpackbits(bits.view(numpy.uint8).reshape(-1), bitorder="little")[:self.n].astype(bool)

    def accept(self, token):
        return self.matcher.consume_token(int(token))


def compare(name, gbnf, driver, others, generator):
    is_text = numpy.array([bool(token) for token in driver.tokens])
    ends = numpy.zeros(len(driver.tokens), bool)
    ends[driver.ends] = True
    tokens, found = [], [[] for _ in others]
    matchers = [other.start(gbnf) for other in others]
    for _ in range(N_STEPS):
        masks = [matcher.mask() for matcher in matchers]
        for seen, mask in zip(found, masks):
            seen.append(mask)
        shared = numpy.flatnonzero(numpy.logical_and.reduce(masks) & is_text)
        if not len(shared):
            break
        tokens.append(int(generator.choice(shared)))
        for matcher in matchers:
            if not matcher.accept(tokens[-1]) and isinstance(matcher, XGrammar):
                sys.exit(f"{name}: xgrammar refuses what it allowed")
    n_different = [0] * len(others)
    for step, ours in enumerate(driver.masks(gbnf, tokens)[:len(found[0])]):
        # Of several end tokens one library allows one: whether any is allowed is what counts.
        differ = [numpy.flatnonzero((ours != seen[step]) & is_text) for seen in found]
        ends_differ = [bool((ours & ends).any()) != bool((seen[step] & ends).any()) for seen in found]
        n_different = [n + bool(len(d) or e) for n, d, e in zip(n_different, differ, ends_differ)]
        wrong = set.intersection(*(set(d.tolist()) for d in differ))
        if wrong or all(ends_differ):
            shown = [(i, driver.tokens[i], bool(ours[i])) for i in sorted(wrong)[:10]]
            text = b"".join(driver.tokens[i] for i in tokens[:step])
            sys.exit(f"{name} after {text!r}: both disagree about {shown}, ends {ends_differ}")
    return len(found[0]), n_different


def main():
    build = pathlib.Path(os.environ["PUNA"]).parent
    model = subprocess.run([os.environ["PUNA"], "pull", "smollm2-135m"], check=True, capture_output=True, text=True).stdout.strip()
    driver = Driver(build / "tests/grammar_masks", model)
    others = [XGrammar(driver), LLGuidance(driver)]
    generator = random.Random(1)
    for name, gbnf in GRAMMARS.items():
        n_steps, n_different = 0, [0] * len(others)
        for _ in range(N_WALKS):
            n, different = compare(name, gbnf, driver, others, generator)
            n_steps += n
            n_different = [a + b for a, b in zip(n_different, different)]
        print(f"{name}: {n_steps} masks; different from xgrammar's {n_different[0]}, from llguidance's {n_different[1]}")
        if n_steps < N_WALKS:
            sys.exit("too few steps")


if __name__ == "__main__":
    main()

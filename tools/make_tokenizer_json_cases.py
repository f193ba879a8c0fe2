#!/usr/bin/env python3
"""Writes tests/data/tokenizer/json_*.json: small tokenizer.json files of every kind, as Hugging Face's tokenizers make them, with the
ids that these give the first of the generated texts.

usage: make_tokenizer_json_cases.py                  (pip install tokenizers; Python 3.11, as make_tokenizer_cases.py)
"""
import collections
import json

from tokenizers import AddedToken, Regex, Tokenizer, decoders as d, models, normalizers as n, pre_tokenizers as p, processors, trainers

from make_tokenizer_cases import OUT, corpus, make_texts

N_TEXTS = 300
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
ALPHABET = p.ByteLevel.alphabet()


def train(tokenizer, trainer, few=False, without="\0"):
    """few: of the corpus only the texts that the 200 commonest characters write (a Unigram vocabulary holds every character). without: no
    texts with this."""
    common = {c for c, _ in collections.Counter("".join(corpus())).most_common(200)}
    tokenizer.train_from_iterator([t for t in corpus() if (not few or set(t) <= common) and without not in t], trainer)
    return tokenizer


def byte_level():
    """Compatibility forms, digits, a pattern and tokens with every flag."""
    t = Tokenizer(models.BPE(ignore_merges=True))
    t.normalizer = n.NFKC()
    t.pre_tokenizer = p.Sequence([p.Digits(individual_digits=True), p.Split(Regex(r" ?[\p{L}\p{M}]+|\s+(?!\S)|\s"), "isolated"),
                                  p.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.decoder = d.ByteLevel()
    train(t, trainers.BpeTrainer(vocab_size=600, initial_alphabet=ALPHABET, show_progress=False))
    t.add_special_tokens([AddedToken("<|im_start|>", normalized=False), AddedToken("<|im_end|>", normalized=False, rstrip=True)])
    t.add_tokens([AddedToken("<mask>", lstrip=True, normalized=False), AddedToken("the", single_word=True, normalized=False), AddedToken("ﬁn", normalized=True)])
    return t


def pieces(byte_fallback, **steps):
    """BPE of characters, spaces as marks."""
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=byte_fallback))
    t.normalizer, t.decoder = steps["normalizer"], steps["decoder"]
    t.pre_tokenizer = p.Metaspace() if steps.get("pre_tokenizer") else p.Split("▁", "merged_with_next")  # for the training: merges inside words
    special = ["<unk>", "<s>", "</s>"] + (BYTES if byte_fallback else [])
    train(t, trainers.BpeTrainer(vocab_size=800, special_tokens=special, limit_alphabet=150, show_progress=False))
    file = json.loads(t.to_str())
    file["pre_tokenizer"] = json.loads(steps["pre_tokenizer"].__getstate__()) if steps.get("pre_tokenizer") else None
    file["added_tokens"] = [token for token in file["added_tokens"] if token["content"] not in BYTES]
    t = Tokenizer.from_str(json.dumps(file))
    t.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return t


def llama():
    decoder = d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse(), d.Strip(" ", 1, 0)])
    return pieces(True, normalizer=n.Sequence([n.Prepend("▁"), n.Replace(" ", "▁")]), decoder=decoder)


def gemma():
    return pieces(True, normalizer=n.Replace(" ", "▁"), decoder=d.Sequence([d.Replace("▁", " "), d.ByteFallback(), d.Fuse()]),
                  pre_tokenizer=p.Split(" ", "merged_with_previous"))


def unknowns():
    return pieces(False, normalizer=n.Sequence([n.NFD(), n.Lowercase(), n.Replace(Regex(r"\d+"), "#"), n.Strip()]), decoder=d.Metaspace(),
                  pre_tokenizer=p.Metaspace(prepend_scheme="always"))


def unigram(byte_fallback):
    t = Tokenizer(models.Unigram())
    t.normalizer = n.NFKC() if byte_fallback else n.Sequence([n.NFD(), n.StripAccents()])
    t.pre_tokenizer = p.Metaspace(prepend_scheme="always") if byte_fallback else p.Sequence([p.WhitespaceSplit(), p.Metaspace()])
    t.decoder = d.Metaspace()
    special = ["<unk>", "</s>"] + (BYTES if byte_fallback else [])
    train(t, trainers.UnigramTrainer(vocab_size=900, special_tokens=special, unk_token="<unk>", show_progress=False), few=True)
    file = json.loads(t.to_str())
    file["model"]["byte_fallback"] = byte_fallback
    file["added_tokens"] = [token for token in file["added_tokens"] if token["content"] not in BYTES]
    t = Tokenizer.from_str(json.dumps(file))
    t.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return t


def bert(lowercase):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer = n.BertNormalizer(lowercase=lowercase)
    t.pre_tokenizer = p.BertPreTokenizer()
    t.decoder = d.WordPiece()
    train(t, trainers.WordPieceTrainer(vocab_size=1100, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False), without="▁")
    t.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return t


def main():
    texts = make_texts(1, N_TEXTS)
    cases = {"byte_level": byte_level(), "llama": llama(), "gemma": gemma(), "unknowns": unknowns(), "unigram": unigram(False),
             "unigram_bytes": unigram(True), "bert": bert(True), "bert_cased": bert(False)}
    for name, tokenizer in cases.items():
        path = OUT / f"json_{name}.json"
        value = {"file": json.loads(tokenizer.to_str()), "ids": [e.ids for e in tokenizer.encode_batch(texts, add_special_tokens=False)]}
        path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
        print(path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()

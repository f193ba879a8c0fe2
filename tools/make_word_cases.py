#!/usr/bin/env python3
"""Writes tests/data/tokenizer/words.json: for every name of a pre-tokenizer the lengths in bytes of the words that Hugging Face's
splitters make of some texts. The steps are written here as the models' own files write them.

usage: make_word_cases.py                            (pip install tokenizers; Python 3.11, as make_tokenizer_cases.py)
"""
import json
import random

from tokenizers import Regex, pre_tokenizers as p

from make_tokenizer_cases import OUT, make_texts

N_TEXTS = 120
CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
SPACES = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
SIGNS = r"| ?[^\s\p{L}\p{N}]+[\r\n]*"
WORD = r"|[^\r\n\p{L}\p{N}]?\p{L}+"


def cased(digits, contractions="", slash="/"):
    return (rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{contractions}|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{contractions}"
            rf"|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n{slash}]*" + SPACES)


def split(pattern):
    return p.Split(Regex(pattern), "isolated")


GPT2 = p.ByteLevel(add_prefix_space=False, use_regex=True)
DIGITS = p.Digits(individual_digits=True)
EAST_ASIAN = split("[一-龥぀-ゟ゠-ヿ]+")
THREES = split(r"\p{N}{1,3}")
QWEN2 = CONTRACTIONS + WORD + r"|\p{N}" + SIGNS + SPACES
LLAMA3 = CONTRACTIONS + WORD + r"|\p{N}{1,3}" + SIGNS + SPACES
GPT4O = cased(r"\p{N}{1,3}", CONTRACTIONS + "?")
DEEPSEEK3 = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*""" + SPACES
NOT_STOPS = split(" ?[^(\\s|[.,!?…。，、।۔،])]+")
HAN_OUT = [s[:-1] + r"&&[^\p{Han}]]" for s in (UPPER, LOWER)]
KIMI = r"[\p{Han}]+|" + cased(r"\p{N}{1,3}", CONTRACTIONS + "?", "").replace(UPPER, HAN_OUT[0]).replace(LOWER, HAN_OUT[1])
LINES = split(r"[^\n]+|[\n]+")
CHINESE = split("[一-龥ࠀ-一가-퟿]+")
LETTERS = ("A-Za-z"
           "\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386"
           "\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba"
           "\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d"
           "\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc"
           "\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184"
           "\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-"
           "\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3\U000104d8-\U000104fb\U00010c80-\U00010cb2"
           "\U00010cc0-\U00010cf2\U000118a0-\U000118df\U0001e900-\U0001e943")
MARKS = "!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002"
SOUTH_EAST = ("\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\u3040-\u309f\u30a0-\u30ff\uff65-\uff9f\u2f00-\u2fdf\u0e00-\u0e7f\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f"
              "\uaa60-\uaa7f\ua9e0-\ua9ff\uac00-\ud7af\u1100-\u11ff")
JAIS2_SPACES = "|".join(rf"\s{{{n}}}(?!\S)" for n in (512, 256, 128, 64, 32, 16, 8, 4)) + r"|\s{1,2}(?!\S)|\s{1}"

GROUPS = [
    ("gpt-2 gpt2 phi-2 jina-es jina-de jina-v1-en jina-v2-es jina-v2-de jina-v2-code roberta-bpe gigachat a.x-4.0 mellum exaone4 jais trillion "
     "granite-docling modern-bert mpt olmo", [GPT2]),
    ("smollm starcoder refact command-r codeshell exaone minerva-7b mellum2", [DIGITS, GPT2]),
    ("llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano dbrx smaug-bpe chatglm-bpe glm4 glm5", [split(LLAMA3)]),
    ("qwen2 deepseek-r1-qwen megrez kormo f2llmv2 hunyuan stablelm2 solar-open grok-2", [split(QWEN2)]),
    ("qwen35", [split(CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*" + SPACES)]),
    ("gpt-4o gpt-oss llama4 kanana2 talkie minimax-m2 granite-embed-multi-97m", [split(GPT4O)]),
    ("tekken", [split(cased(r"\p{N}"))]),
    ("tiny_aya cohere2moe", [split(r"\d{1,3}(?=(?:\d{3})*\b)"), split(GPT4O)]),
    ("kimi-k2", [split(KIMI)]),
    ("superbpe", [split(r"\p{N}+"), split(r"(?=(\d{3})+(?!\d))")]),
    ("deepseek-llm", [split("[\r\n]"), split(rf"\s?[{LETTERS}]+"), split(rf"\s?[{MARKS}]+"), split(r"\s+$"), CHINESE, p.Digits(individual_digits=False)]),
    ("deepseek-coder", [split("[\r\n]"), split(r"\s?\p{L}+"), split(r"\s?\p{P}+"), CHINESE, DIGITS]),
    ("deepseek-v3 hunyuan-dense joyai-llm hy_v4", [THREES, EAST_ASIAN, split(DEEPSEEK3)]),
    ("spark2_5", [THREES, EAST_ASIAN, split(DEEPSEEK3.replace(r"[\r\n]*|\s*[\r\n]+", r"|[\r\n]")), DIGITS]),
    ("afmoe", [split(r"\p{Nd}+"), split(r"(?=(\d{3})+(?!\d))"), split(f"[{SOUTH_EAST}]+"), split(DEEPSEEK3)]),
    ("youtu", [split("[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+"), split(cased(r"\p{N}", CONTRACTIONS + "?"))]),
    ("falcon", [p.Punctuation("contiguous"), GPT2, split("[0-9][0-9][0-9]")]),
    ("default", [p.Punctuation("contiguous"), split(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"), p.Digits(individual_digits=False), split("[0-9][0-9][0-9]")]),
    ("bloom poro-chat gpt3-finnish", [NOT_STOPS]),
    ("viking", [NOT_STOPS, DIGITS]),
    ("chameleon", [split("<sentinel:[0-9]+>"), split("(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z"), split("([\t\n]|    |  )"), DIGITS,
                   p.Punctuation("isolated"), GPT2]),
    ("jais-2", [split(LLAMA3.removesuffix(r"|\s+(?!\S)|\s+") + "|" + JAIS2_SPACES)]),
    ("bailingmoe bailingmoe2 llada-moe", [split(r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+")]),
    ("seed-coder", [split(CONTRACTIONS + WORD + r"|\p{N}| ?[^\s\p{L}\p{N}\r\n]+" + SPACES)]),
    ("ufakzeka", [split(QWEN2.removeprefix(CONTRACTIONS + "|"))]),
    ("exaone-moe", [split(CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+")]),
    ("laguna", [LINES, split(QWEN2)]),
    ("minicpm5", [THREES, split(LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}+"))]),
    ("whitespace", [split(r"\S+")]),
    ("gemma4 granite-embed-multi-311m sarvam-moe", [LINES]),
]


def texts():
    r = random.Random(11)
    sorts = ["a", "Z", "'s", "'Ll", "É", "中", "か", "한", "1", "12", "1234567", "٣", "½", " ", "   ", "\t", "\n", "\r\n", "/", "\u2003", ".", "!?", "-", "_", "€", "\u0301", "🦙",
             "。", "<sentinel:7>", "IMGIMGAZ", "    "]
    mixed = ["".join(r.choice(sorts) for _ in range(r.randint(2, 16))) for _ in range(N_TEXTS)]
    return [t for t in make_texts(3, N_TEXTS) + mixed if t]


def lengths(steps, text):
    # What the byte-level step gives are characters that stand for bytes, so the offsets into the text are taken.
    return [len(text[begin:end].encode()) for _, (begin, end) in p.Sequence(steps).pre_tokenize_str(text)]


def main():
    all_texts = texts()
    groups = [{"names": names.split(), "lengths": [lengths(steps, t) for t in all_texts]} for names, steps in GROUPS]
    path = OUT / "words.json"
    body = ",\n".join(json.dumps(g, ensure_ascii=False, separators=(",", ":")) for g in groups)
    path.write_text('{"texts":' + json.dumps(all_texts, ensure_ascii=False) + ',\n"groups":[\n' + body + "\n]}\n", encoding="utf-8")
    print(path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()

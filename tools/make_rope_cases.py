#!/usr/bin/env python3
"""Writes tests/data/rope/cases.json: rotary frequencies and attention factors as transformers computes them.

Needs PyPI's transformers and torch (CPU). Each case holds the parameters in our words and, from transformers, the
angle per position of each pair and the factor on cos and sin."""

import json
import pathlib

from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding


def config(head_dim, base, context, **scaling):
    return LlamaConfig(
        hidden_size=4 * head_dim,
        num_attention_heads=4,
        head_dim=head_dim,
        max_position_embeddings=context,
        rope_parameters={"rope_theta": base, "rope_type": "default", **scaling},
    )


def default_frequencies(head_dim, base):
    return LlamaRotaryEmbedding.compute_default_rope_parameters(config(head_dim, base, 2048))[0].tolist()


def case(name, head_dim, base, kind, context=2048, seq_len=None, ours=None, **scaling):
    settings = config(head_dim, base, context, rope_type=kind, **scaling)
    if kind == "default":
        frequencies, factor = LlamaRotaryEmbedding.compute_default_rope_parameters(settings)
    else:
        frequencies, factor = ROPE_INIT_FUNCTIONS[kind](settings, "cpu", seq_len=seq_len)
    return {
        "name": name,
        "rope_dim": head_dim,
        "freq_base": float(base),
        **(ours or {}),
        "frequencies": frequencies.tolist(),
        "attention_factor": float(factor),
    }


def yarn(name, head_dim, base, factor, context, attention_factor=None, beta_fast=32.0, beta_slow=1.0):
    scaling = {"factor": factor, "original_max_position_embeddings": context, "beta_fast": beta_fast, "beta_slow": beta_slow}
    ours = {"scaling": "yarn", "freq_scale": 1 / factor, "original_context": context, "beta_fast": beta_fast, "beta_slow": beta_slow}
    if attention_factor is not None:
        scaling["attention_factor"] = attention_factor
        ours["wanted_magnitude"] = attention_factor
    return case(name, head_dim, base, "yarn", int(context * factor), ours=ours, **scaling)


def dynamic(name, head_dim, base, factor, context, seq_len):
    # A longer sequence is another base; the formula is that of the NTK-aware scaling's authors.
    stretched = base * (factor * seq_len / context - (factor - 1)) ** (head_dim / (head_dim - 2))
    result = case(name, head_dim, base, "dynamic", context, seq_len=seq_len, factor=factor)
    return {**result, "freq_base": stretched}


def llama3(name, head_dim, base, factor, low, high, context):
    result = case(name, head_dim, base, "llama3", context * 16, factor=factor, low_freq_factor=low, high_freq_factor=high,
                  original_max_position_embeddings=context)
    # A model file carries this scaling as a divisor for each pair.
    result["freq_factors"] = [d / f for d, f in zip(default_frequencies(head_dim, base), result["frequencies"])]
    return result


CASES = [
    case("default, 64 values, base 10,000", 64, 10000.0, "default"),
    case("default, 128 values, base 1,000,000", 128, 1000000.0, "default"),
    case("linear, factor 4", 64, 10000.0, "linear", ours={"scaling": "linear", "freq_scale": 0.25}, factor=4.0),
    dynamic("dynamic NTK, factor 2, thrice the context", 128, 10000.0, 2.0, 2048, 6144),
    yarn("yarn, factor 4", 128, 1000000.0, 4.0, 32768),
    yarn("yarn, factor 16, short context", 64, 10000.0, 16.0, 4096),
    yarn("yarn, own betas and attention factor", 96, 500000.0, 8.0, 8192, 1.25, 24.0, 2.0),
    llama3("llama3, factor 8", 128, 500000.0, 8.0, 1.0, 4.0, 8192),
    llama3("llama3, factor 32, 64 values", 64, 500000.0, 32.0, 1.0, 4.0, 8192),
]

target = pathlib.Path(__file__).resolve().parent.parent / "tests/data/rope/cases.json"
target.parent.mkdir(parents=True, exist_ok=True)
lines = ",\n".join(json.dumps(c) for c in CASES)
target.write_text(f"[\n{lines}\n]\n")
print(f"{target}: {len(CASES)} cases")

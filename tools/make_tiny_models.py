#!/usr/bin/env python3
"""Random tiny models, one per family and position scheme, with the logits that transformers computes from them.

usage: make_tiny_models.py [OUT_DIR]        (pip install torch transformers gguf)

Writes OUT_DIR/NAME.gguf (at most 200 KB) and OUT_DIR/NAME.json: {"ids": […], "rows": [positions], "logits": [[…] per row],
"nll": […]}. Matrices are quantized to Q8_0 first and transformers computes in float32 from the dequantized values, so an
engine that computes in float32 must agree to rounding.
"""
import json
import math
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
import gguf
import numpy as np
import torch
import transformers as tf

torch.set_num_threads(1)
N_TOKENS = 72  # of the text that is scored: longer than every window and original context below
VOCAB_SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
CHATML = ("{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}"
          "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")


def byte_alphabet():
    """The characters that byte-level vocabularies write bytes with."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table, extra = {}, 0
    for b in range(256):
        if b in plain:
            table[b] = chr(b)
        else:
            table[b], extra = chr(256 + extra), extra + 1
    return [table[b] for b in range(256)]


def vocabulary():
    tokens = byte_alphabet()
    merges = ["Ġ t", "h e", "Ġ a", "i n", "e r", "Ġt he", "o n", "r e", "Ġ s", "a t", "Ġ l", "l a", "m a", "Ġl la", "s Ġ"][:14]
    tokens += [m.replace(" ", "") for m in merges]
    kinds = [1] * len(tokens) + [3] * len(VOCAB_SPECIALS)
    return tokens + VOCAB_SPECIALS, kinds, merges


TOKENS, KINDS, MERGES = vocabulary()
SPECIAL = {text: TOKENS.index(text) for text in VOCAB_SPECIALS}


def base_config(**more):
    config = dict(vocab_size=len(TOKENS), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
                  num_key_value_heads=2, head_dim=16, max_position_embeddings=256, rms_norm_eps=1e-5, tie_word_embeddings=True,
                  attn_implementation="eager", bos_token_id=SPECIAL["<|endoftext|>"], eos_token_id=SPECIAL["<|im_end|>"])
    return {**config, **more}


def rope(kind="default", theta=10000.0, **more):
    return {"rope_type": kind, "rope_theta": theta, **more}


LLAMA3 = dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=32)

# name: (architecture, configuration class, settings, extra metadata)
MODELS = {
    "llama": ("llama", tf.LlamaConfig, base_config(tie_word_embeddings=False, rope_parameters=rope()), {}),
    "llama3-rope": ("llama", tf.LlamaConfig, base_config(rope_parameters=rope("llama3", 500000.0, **LLAMA3)), {}),
    "llama-linear": ("llama", tf.LlamaConfig, base_config(rope_parameters=rope("linear", factor=4.0)),
                     {"rope.scaling.type": "linear", "rope.scaling.factor": 4.0}),
    "llama-yarn": ("llama", tf.LlamaConfig,
                   base_config(max_position_embeddings=128, rope_parameters=rope("yarn", factor=4.0, original_max_position_embeddings=32)),
                   {"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "rope.scaling.original_context_length": 32}),
    "mistral-window": ("llama", tf.MistralConfig, base_config(sliding_window=16, rope_parameters=rope()),
                       {"attention.sliding_window": 16}),
    "llama-bias": ("llama", tf.LlamaConfig, base_config(attention_bias=True, mlp_bias=True, rope_parameters=rope()), {}),
    "qwen2": ("qwen2", tf.Qwen2Config, base_config(head_dim=8, rope_parameters=rope(theta=1e6)), {}),
    "qwen3": ("qwen3", tf.Qwen3Config, base_config(rope_parameters=rope(theta=1e6)), {}),
    "gemma2": ("gemma2", tf.Gemma2Config,
               base_config(num_hidden_layers=4, sliding_window=16, attn_logit_softcapping=5.0, final_logit_softcapping=3.0,
                           query_pre_attn_scalar=16, hidden_activation="gelu_pytorch_tanh", rope_parameters=rope()),
               {"attention.sliding_window": 16, "attn_logit_softcapping": 5.0, "final_logit_softcapping": 3.0}),
    "gemma3": ("gemma3", tf.Gemma3TextConfig,
               base_config(num_hidden_layers=7, sliding_window=16, query_pre_attn_scalar=16, hidden_activation="gelu_pytorch_tanh",
                           rope_parameters={"full_attention": rope("linear", 1e6, factor=8.0), "sliding_attention": rope()}),
               {"attention.sliding_window": 16, "rope.scaling.type": "linear", "rope.scaling.factor": 8.0}),
}

NAMES = {  # transformers → GGUF, inside a layer
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
}
GEMMA_NAMES = {**NAMES, "post_attention_layernorm": "post_attention_norm", "pre_feedforward_layernorm": "ffn_norm",
               "post_feedforward_layernorm": "post_ffw_norm"}


def gguf_name(name, arch):
    name = name.removeprefix("model.")
    stem, kind = name.rsplit(".", 1)
    if stem == "embed_tokens": return "token_embd." + kind
    if stem == "norm": return "output_norm." + kind
    if stem == "lm_head": return "output." + kind
    _, layer, rest = stem.split(".", 2)
    return f"blk.{layer}.{(GEMMA_NAMES if arch.startswith('gemma') else NAMES)[rest]}.{kind}"


def interleave_heads(w, n_heads):
    """GGUF's llama files pair neighbours where transformers pairs halves."""
    return w.reshape(n_heads, 2, w.shape[0] // n_heads // 2, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape)


def llama3_factors(config):
    p, half = config.rope_parameters, config.head_dim // 2
    factors = []
    for i in range(half):
        wavelength = 2 * math.pi * p["rope_theta"] ** (2 * i / config.head_dim)
        turns = p["original_max_position_embeddings"] / wavelength
        if turns > p["high_freq_factor"]: factors.append(1.0)
        elif turns < p["low_freq_factor"]: factors.append(p["factor"])
        else:
            smooth = (turns - p["low_freq_factor"]) / (p["high_freq_factor"] - p["low_freq_factor"])
            factors.append(1 / ((1 - smooth) / p["factor"] + smooth))
    return np.array(factors, dtype=np.float32)


def randomize(model, arch, rng):
    """Random weights, those of matrices as Q8_0 holds them; returns name → (raw or float array, type)."""
    tensors = {}
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            shape = tuple(parameter.shape)
            if len(shape) == 1:
                is_norm = "norm" in name
                values = rng.normal(0, 0.2, shape).astype(np.float32) + (1.0 if is_norm and not arch.startswith("gemma") else 0.0)
                stored = values + 1 if is_norm and arch.startswith("gemma") else values
                kind = gguf.GGMLQuantizationType.F32
            else:
                values = rng.normal(0, 1.6 / math.sqrt(shape[1]), shape).astype(np.float32)
                raw = gguf.quants.quantize(values, gguf.GGMLQuantizationType.Q8_0)
                values = gguf.quants.dequantize(raw, gguf.GGMLQuantizationType.Q8_0)
                kind, stored = gguf.GGMLQuantizationType.Q8_0, raw
            parameter.copy_(torch.from_numpy(np.ascontiguousarray(values)))
            if arch == "llama" and ("q_proj" in name or "k_proj" in name):
                heads = model.config.num_attention_heads if "q_proj" in name else model.config.num_key_value_heads
                stored = interleave_heads(stored, heads)
            tensors[gguf_name(name, arch)] = (np.ascontiguousarray(stored), kind)
    return tensors


def write_file(path, name, arch, config, extra, tensors):
    w = gguf.GGUFWriter(path, arch)
    w.add_name("tiny " + name)
    w.add_block_count(config.num_hidden_layers)
    w.add_context_length(config.max_position_embeddings)
    w.add_embedding_length(config.hidden_size)
    w.add_feed_forward_length(config.intermediate_size)
    w.add_head_count(config.num_attention_heads)
    w.add_head_count_kv(config.num_key_value_heads)
    if config.head_dim * config.num_attention_heads != config.hidden_size:
        w.add_key_length(config.head_dim)
        w.add_value_length(config.head_dim)
    w.add_layer_norm_rms_eps(config.rms_norm_eps)
    p = config.rope_parameters
    w.add_rope_freq_base((p.get("full_attention") or p)["rope_theta"])
    for key, value in extra.items():
        add = {int: w.add_uint32, float: w.add_float32, str: w.add_string}[type(value)]
        add(f"{arch}.{key}", value)
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("gpt-2")
    w.add_token_list(TOKENS)
    w.add_token_types(KINDS)
    w.add_token_merges(MERGES)
    w.add_bos_token_id(SPECIAL["<|endoftext|>"])
    w.add_eos_token_id(SPECIAL["<|im_end|>"])
    w.add_add_bos_token(False)
    w.add_chat_template(CHATML)
    for tensor, (values, kind) in tensors.items():
        w.add_tensor(tensor, values, raw_dtype=kind if kind != gguf.GGMLQuantizationType.F32 else None)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def expected(model, rng):
    ids = rng.integers(0, len(TOKENS), N_TOKENS).tolist()
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0].double()
    nll = [round(float(torch.logsumexp(logits[i], 0) - logits[i, t]), 6) for i, t in enumerate(ids[1:])]
    rows = [0, 15, 16, 40, N_TOKENS - 1]
    return {"ids": ids, "nll": nll, "rows": rows, "logits": [[round(float(v), 5) for v in logits[r]] for r in rows]}


def main(out):
    os.makedirs(out, exist_ok=True)
    for name, (arch, config_class, settings, extra) in MODELS.items():
        rng = np.random.default_rng(sum(map(ord, name)))
        config = config_class(**settings)
        model = tf.AutoModelForCausalLM.from_config(config, attn_implementation="eager").float().eval()
        tensors = randomize(model, arch, rng)
        if name == "llama3-rope":
            tensors["rope_freqs.weight"] = (llama3_factors(config), gguf.GGMLQuantizationType.F32)
        path = os.path.join(out, name + ".gguf")
        write_file(path, name, arch, config, extra, tensors)
        with open(os.path.join(out, name + ".json"), "w") as f:
            json.dump(expected(model, rng), f, separators=(",", ":"))
        print(f"{name}: {os.path.getsize(path) / 1000:.0f} KB, {len(tensors)} tensors")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", "tests", "data", "models"))

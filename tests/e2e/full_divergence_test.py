#!/usr/bin/env python3
"""How far puna's answers are from the model's: the Kullback-Leibler divergence from transformers' float32 logits over every
position of every golden prompt, and how often the most likely token is the same. Position 0 is left out: without a BOS token
it is an outlier. The default path must be no farther than llama.cpp b11434 (AVX-512, the better of its settings) was on the
same ids; the exact one at rounding's distance. Long: it runs three models in torch."""
import json
import os
import pathlib
import subprocess
import sys
import warnings

warnings.filterwarnings("ignore")
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"
import numpy as np  # noqa: E402
import torch  # noqa: E402
from transformers import AutoModelForCausalLM  # noqa: E402

PUNA = pathlib.Path(os.environ["PUNA"])
DRIVER = PUNA.parent / "tests/logits"
GOLDEN = pathlib.Path(os.environ["PUNA_TEST_DATA"]) / "golden"
# catalogue name: golden file, the peer's mean divergence in nat, its top-1 agreement
MODELS = {
    "smollm2-135m": ("SmolLM2-135M-Instruct.Q4_1", 1.21e-3, 0.984),
    "gemma3-270m": ("gemma-3-270m-q4_k_m", 2.20e-3, 0.985),
    "qwen2.5-coder-1.5b": ("qwen2.5-coder-1.5b", 0.81e-3, 0.986),
}
EXACT_DIVERGENCE = 1e-7


def puna_logits(model, ids, path, n_vocab):
    out = subprocess.run([DRIVER, model, json.dumps(ids), path], check=True, stdout=subprocess.PIPE).stdout
    return torch.from_numpy(np.frombuffer(out, dtype=np.float32).reshape(len(ids), n_vocab).copy())


def compare(reference, found):
    """Per position from 1 on: the divergence in nat, and whether the best token is the same."""
    divergences, agreements = [], []
    for wanted, got in zip(reference[1:].split(128), found[1:].split(128)):
        p = torch.log_softmax(wanted.double(), dim=-1)
        q = torch.log_softmax(got.double(), dim=-1)
        divergences.append((p.exp() * (p - q)).sum(-1))
        agreements.append(wanted.argmax(-1) == got.argmax(-1))
    return torch.cat(divergences), torch.cat(agreements)


def check_model(name):
    golden, peer_divergence, peer_agreement = MODELS[name]
    path = pathlib.Path(subprocess.run([PUNA, "pull", name], check=True, stdout=subprocess.PIPE, text=True).stdout.strip())
    prompts = json.loads((GOLDEN / f"{golden}.json").read_text())["results"]
    model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32).eval()
    measured = {"fast": [], "exact": []}
    for prompt in prompts:
        with torch.no_grad():
            reference = model(torch.tensor([prompt["ids"]])).logits[0]
        for kind, results in measured.items():
            results.append(compare(reference, puna_logits(path, prompt["ids"], kind, reference.shape[1])))
    held = True
    for kind, results in measured.items():
        divergence = float(torch.cat([d for d, _ in results]).mean())
        agreement = float(torch.cat([a for _, a in results]).double().mean())
        limits = (peer_divergence, peer_agreement) if kind == "fast" else (EXACT_DIVERGENCE, 0.999)
        ok = divergence <= limits[0] and agreement >= limits[1]
        held = held and ok
        print(f"{name} {kind}: divergence {divergence:.3g} nat (at most {limits[0]:.3g}), same best token {agreement:.4f} "
              f"(at least {limits[1]:.3f}){'' if ok else '  FAILED'}", flush=True)
    return held


if __name__ == "__main__":
    names = sys.argv[1:] or list(MODELS)
    sys.exit(0 if all([check_model(name) for name in names]) else 1)

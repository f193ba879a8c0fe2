#!/usr/bin/env python3
"""Writes tests/data/sample/transformers_cases.json: what Hugging Face transformers' logits processors keep of random logits.

Needs torch and transformers. Logits are float32 numbers, computed with in double; the expected values are the ids that
stay (ascending) or, for steps that change logits, the new logits.
"""
import json
import pathlib
import random

import torch
from transformers.generation.logits_process import (
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)

OUT = pathlib.Path(__file__).parent.parent / "tests/data/sample/transformers_cases.json"


def kept(warper, logits):
    scores = warper(None, torch.tensor([logits], dtype=torch.float64))[0]
    return [i for i, x in enumerate(scores.tolist()) if x != float("-inf")]


def main():
    rng = random.Random(1)
    cases = []
    for n_vocab, spread in [(5, 1.0), (20, 2.0), (60, 0.3), (60, 4.0)]:
        for _ in range(3):
            logits = torch.tensor([rng.gauss(0, spread) for _ in range(n_vocab)], dtype=torch.float32).tolist()
            logits = [round(x, 4) for x in logits]
            logits = torch.tensor(logits, dtype=torch.float32).tolist()
            history = [rng.randrange(n_vocab) for _ in range(8)]
            case = {"logits": logits, "history": history, "steps": []}
            for k in (1, 3, 40):
                case["steps"].append({"name": "top_k", "value": k, "kept": kept(TopKLogitsWarper(k), logits)})
            for p in (0.1, 0.5, 0.9, 0.99):
                case["steps"].append({"name": "top_p", "value": p, "kept": kept(TopPLogitsWarper(p), logits)})
            for p in (0.05, 0.3, 0.9):
                case["steps"].append({"name": "min_p", "value": p, "kept": kept(MinPLogitsWarper(p), logits)})
            for p in (0.2, 0.7, 0.95):
                case["steps"].append({"name": "typ_p", "value": p, "kept": kept(TypicalLogitsWarper(p), logits)})
            for t in (0.3, 1.7):
                scores = TemperatureLogitsWarper(t)(None, torch.tensor([logits], dtype=torch.float64))[0].tolist()
                rounded = [round(x, 6) for x in scores]
                case["steps"].append({"name": "temperature", "value": t, "logits": rounded})
            for r in (0.8, 1.3):
                processor = RepetitionPenaltyLogitsProcessor(r)
                scores = processor(torch.tensor([history]), torch.tensor([logits], dtype=torch.float64))[0].tolist()
                rounded = [round(x, 6) for x in scores]
                case["steps"].append({"name": "penalties", "value": r, "logits": rounded})
            cases.append(case)
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(cases, separators=(",", ":")).replace('{"logits"', '\n{"logits"') + "\n")


if __name__ == "__main__":
    main()

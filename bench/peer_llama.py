#!/usr/bin/env python3
"""A peer's side of bench/compare.py, by its Python bindings: llama.cpp (PyPI llama-cpp-python) or ik_llama.cpp (PyPI
ik-llama-cpp-python), whichever this interpreter has.

usage: peer_llama.py MODEL '{"test": "speed" | "start", …}'
speed: n_prompt, n_gen, n_depth, n_parallel, cache ("f16", "q8_0"), repetitions → {"prompt_ts": […], "gen_ts": […]}: tokens per second
       of each repetition, after a warm-up, as the peer's own bench tool measures them
start: n_prompt → {"seconds", "peak_bytes"}: from opening the file to the logits behind the prompt; what the process had resident at
       most. The interpreter's own start and memory are left out.
Both take threads and repack (llama.cpp: 0 leaves the weights as the file has them)."""
import ctypes
import json
import os
import sys
import time

try:
    import llama_cpp as llama
except ImportError:
    from ik_llama_cpp import _ctypes_api as llama

TYPES = {"f32": 0, "f16": 1, "q4_0": 2, "q8_0": 8, "bf16": 30}
BATCH, UBATCH = 2048, 512


def memory(key):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(key + ":"))


class Peer:
    def __init__(self, path, options):
        self.options = options
        if hasattr(llama, "llama_log_set"):
            self.quiet = llama.llama_log_callback(lambda _level, _text, _data: None)
            llama.llama_log_set(self.quiet, ctypes.c_void_p(0))
        llama.llama_backend_init()
        params = llama.llama_model_default_params()
        if hasattr(params, "use_extra_bufts"):
            params.use_extra_bufts = bool(options["repack"])
        self.model = llama.llama_model_load_from_file(path.encode(), params)
        if not self.model:
            raise RuntimeError(f"{path}: the peer does not load it")
        self.n_vocab = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(self.model))
        self.n_sequences = options.get("n_parallel", 1)
        self.context = self.make_context()

    def make_context(self):
        options = self.options
        params = llama.llama_context_default_params()
        each = options.get("n_depth", 0) + options["n_prompt"] + options.get("n_gen", 0)
        params.n_ctx = self.n_sequences * ((each + 255) // 256 * 256)
        params.n_batch, params.n_ubatch, params.n_seq_max = BATCH, UBATCH, self.n_sequences
        params.n_threads = params.n_threads_batch = options["threads"]
        params.type_k = params.type_v = TYPES[options.get("cache", "f16")]
        if hasattr(params, "flash_attn_type"):
            params.flash_attn_type = 1
        else:  # ik_llama.cpp's asserts that every row sees something of every part of the cache, which other sequences' parts break
            params.flash_attn = self.n_sequences == 1
        context = llama.llama_init_from_model(self.model, params)
        if not context:
            raise RuntimeError("the peer makes no context")
        return context

    def decode(self, tokens):
        """tokens: [(id, position, sequence)]; the logits of each sequence's last one are wanted."""
        last = {sequence: i for i, (_, _, sequence) in enumerate(tokens)}
        for begin in range(0, len(tokens), BATCH):
            part = tokens[begin:begin + BATCH]
            batch = llama.llama_batch_init(len(part), 0, 1)
            batch.n_tokens = len(part)
            for i, (token, position, sequence) in enumerate(part):
                batch.token[i], batch.pos[i], batch.n_seq_id[i] = token, position, 1
                batch.seq_id[i][0] = sequence
                batch.logits[i] = last[sequence] == begin + i
            if llama.llama_decode(self.context, batch) != 0:
                raise RuntimeError("llama_decode failed")
            llama.llama_batch_free(batch)
        if hasattr(llama, "llama_synchronize"):
            llama.llama_synchronize(self.context)

    def tokens(self, start, n, seed):
        return [((7919 * (start + i) + 104729 * seed + 1299709 * sequence) % (self.n_vocab - 1000), start + i, sequence)
                for sequence in range(self.n_sequences) for i in range(n)]

    def cut(self, length):
        """Every sequence to its first `length` tokens."""
        for sequence in range(self.n_sequences):
            if hasattr(llama, "llama_memory_seq_rm"):
                llama.llama_memory_seq_rm(llama.llama_get_memory(self.context), sequence, length, -1)
            else:
                remove = llama._lib.llama_kv_cache_seq_rm
                remove.argtypes = [ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_int32]
                remove.restype = ctypes.c_bool
                remove(self.context, sequence, length, -1)

    def speeds(self):
        options = self.options
        depth, n_prompt, n_gen = options["n_depth"], options["n_prompt"], options["n_gen"]
        if depth:
            self.decode(self.tokens(0, depth, 0))
        found = {"prompt_ts": [], "gen_ts": []}
        for repetition in range(options["repetitions"] + 1):
            self.cut(depth)
            prompt = self.tokens(depth, n_prompt, repetition)
            begin = time.perf_counter()
            if prompt:
                self.decode(prompt)
            prompt_seconds = time.perf_counter() - begin
            steps = [self.tokens(depth + n_prompt + i, 1, repetition) for i in range(n_gen if repetition else min(n_gen, 1))]
            begin = time.perf_counter()
            for step in steps:
                self.decode(step)
            seconds = time.perf_counter() - begin
            if repetition == 0:
                continue  # the warm-up
            if n_prompt:
                found["prompt_ts"].append(len(prompt) / prompt_seconds)
            if n_gen:
                found["gen_ts"].append(n_gen * self.n_sequences / seconds)
        return found


def main():
    path, options = sys.argv[1], json.loads(sys.argv[2])
    before = memory("VmRSS")
    begin = time.perf_counter()
    if options["test"] == "start":
        peer = Peer(path, options)
        peer.decode(peer.tokens(0, options["n_prompt"], 0))
        found = {"seconds": time.perf_counter() - begin, "peak_bytes": memory("VmHWM") - before}
    else:
        found = Peer(path, options).speeds()
    print(json.dumps(found))
    sys.stdout.flush()
    os._exit(0)  # its destructors take a second for large models


if __name__ == "__main__":
    main()

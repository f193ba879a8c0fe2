#!/usr/bin/env python3
"""llama.cpp's side of bench/compare.py, on PyPI's llama-cpp-python: MODEL N_PROMPT N_GEN THREADS REPACK(0|1) → one line
{"prompt_per_second", "generated_per_second"}. A warm-up first, as its own bench tool does."""
import ctypes
import json
import os
import sys
import time

import llama_cpp as llama


def quietly(_level, _text, _data):
    pass


def main():
    path, n_prompt, n_gen, threads, repack = sys.argv[1], *map(int, sys.argv[2:6])
    callback = llama.llama_log_callback(quietly)
    llama.llama_log_set(callback, ctypes.c_void_p(0))
    llama.llama_backend_init()
    model_params = llama.llama_model_default_params()
    model_params.use_extra_bufts = bool(repack)
    model = llama.llama_model_load_from_file(path.encode(), model_params)
    params = llama.llama_context_default_params()
    params.n_ctx = n_prompt + n_gen + 64
    params.n_batch = 2048
    params.n_ubatch = 512
    params.n_threads = params.n_threads_batch = threads
    context = llama.llama_init_from_model(model, params)
    n_vocab = llama.llama_vocab_n_tokens(llama.llama_model_get_vocab(model))

    def decode(ids):
        array = (llama.llama_token * len(ids))(*ids)
        if llama.llama_decode(context, llama.llama_batch_get_one(array, len(ids))) != 0:
            raise RuntimeError("llama_decode failed")
        llama.llama_synchronize(context)

    def forget():
        llama.llama_memory_clear(llama.llama_get_memory(context), True)

    ids = [(7919 * i + 13) % (n_vocab - 1000) for i in range(n_prompt)]
    decode(ids)
    forget()
    start = time.perf_counter()
    decode(ids)
    prompt_seconds = time.perf_counter() - start
    forget()
    decode(ids[:1])
    start = time.perf_counter()
    for i in range(n_gen):
        decode([ids[i % n_prompt]])
    seconds = time.perf_counter() - start
    print(json.dumps({"prompt_per_second": n_prompt / prompt_seconds, "generated_per_second": n_gen / seconds}))
    sys.stdout.flush()
    os._exit(0)  # its destructors take a second for large models


if __name__ == "__main__":
    main()

"""llama.cpp's tokenizer, by way of llama-cpp-python: peer_tokenizer.py FILE.gguf TEXT ROUNDS. Prints what tokenize_speed does."""
import ctypes
import json
import sys
import time

import llama_cpp as llama


def main():
    path, text_path, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    text = open(text_path, "rb").read()
    params = llama.llama_model_default_params()
    params.vocab_only = True
    llama.llama_log_set(ctypes.cast(None, llama.llama_log_callback), None)
    start = time.perf_counter()
    model = llama.llama_model_load_from_file(path.encode(), params)
    if not model:
        sys.exit(f"{path}: llama.cpp does not load it")
    vocab = llama.llama_model_get_vocab(model)
    load = time.perf_counter() - start
    room = (llama.llama_token * len(text))()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        n = llama.llama_tokenize(vocab, text, len(text), room, len(text), False, True)
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"load": load, "seconds": seconds, "tokens": n}))


if __name__ == "__main__":
    main()

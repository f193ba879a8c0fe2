"""A GGUF model of a few kilobytes that talks in real words at random: for tests of the program, not of the numbers.

Vocabulary: <unk> <s> </s> <|user|> <|bot|>, the 256 bytes, and words. Only words have output weights, so only they are said.
"""
import random
import struct

WORDS = "▁the ▁llama ▁grazes ▁on ▁high ▁grass ▁and ▁walks ▁slowly ▁to ▁a ▁lake ▁where ▁wind ▁sings ▁über ▁山 ▁🦙".split()
SPECIALS = ["<unk>", "<s>", "</s>", "<|user|>", "<|bot|>"]
TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}"
    "{% if m.role == 'system' and 'forbidden' in m.content %}{{ raise_exception('That system prompt is forbidden') }}{% endif %}"
    "{{ '<|bot|>' if m.role == 'assistant' else '<|user|>' }}{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}<|bot|>{% endif %}"
)
DIM, HEADS, FFN, CONTEXT = 32, 2, 64, 256

U32, F32, BOOL, STRING, ARRAY, I32 = 4, 6, 7, 8, 9, 5


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def scalar(kind, value):
    if kind == STRING:
        return text(value)
    return struct.pack({U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}[kind], value)


def pair(key, kind, value, element=None):
    data = text(key) + struct.pack("<I", kind)
    if kind == ARRAY:
        return data + struct.pack("<IQ", element, len(value)) + b"".join(scalar(element, v) for v in value)
    return data + scalar(kind, value)


def head(metadata, infos=b"", n_tensors=0):
    return b"GGUF" + struct.pack("<IQQ", 3, n_tensors, len(metadata)) + b"".join(metadata) + infos


def write(path, with_template=True, arch="llama", words=WORDS):
    tokens = SPECIALS + [f"<0x{b:02X}>" for b in range(256)] + words
    kinds = [2, 3, 3, 3, 3] + [6] * 256 + [1] * len(words)
    metadata = [
        pair("general.architecture", STRING, arch),
        pair("general.name", STRING, "tiny"),
        pair(f"{arch}.context_length", U32, CONTEXT),
        pair(f"{arch}.embedding_length", U32, DIM),
        pair(f"{arch}.block_count", U32, 1),
        pair(f"{arch}.feed_forward_length", U32, FFN),
        pair(f"{arch}.attention.head_count", U32, HEADS),
        pair(f"{arch}.attention.head_count_kv", U32, 1),
        pair(f"{arch}.attention.layer_norm_rms_epsilon", F32, 1e-5),
        pair(f"{arch}.rope.dimension_count", U32, DIM // HEADS),
        pair(f"{arch}.vocab_size", U32, len(tokens)),
        pair("tokenizer.ggml.model", STRING, "llama"),
        pair("tokenizer.ggml.tokens", ARRAY, tokens, STRING),
        pair("tokenizer.ggml.scores", ARRAY, [0.0] * 261 + [-1.0 - i for i in range(len(words))], F32),
        pair("tokenizer.ggml.token_type", ARRAY, kinds, I32),
        pair("tokenizer.ggml.bos_token_id", U32, 1),
        pair("tokenizer.ggml.eos_token_id", U32, 2),
        pair("tokenizer.ggml.unknown_token_id", U32, 0),
        pair("tokenizer.ggml.add_bos_token", BOOL, True),
        pair("tokenizer.ggml.add_space_prefix", BOOL, False),
    ]
    if with_template:
        metadata.append(pair("tokenizer.chat_template", STRING, TEMPLATE))

    dice = random.Random(7)
    kv = DIM // HEADS
    shapes = {
        "token_embd.weight": (DIM, len(tokens)), "output_norm.weight": (DIM,), "output.weight": (DIM, len(tokens)),
        "blk.0.attn_norm.weight": (DIM,), "blk.0.attn_q.weight": (DIM, DIM), "blk.0.attn_k.weight": (DIM, kv),
        "blk.0.attn_v.weight": (DIM, kv), "blk.0.attn_output.weight": (DIM, DIM), "blk.0.ffn_norm.weight": (DIM,),
        "blk.0.ffn_gate.weight": (DIM, FFN), "blk.0.ffn_up.weight": (DIM, FFN), "blk.0.ffn_down.weight": (FFN, DIM),
    }
    data, infos = b"", b""
    for name, shape in shapes.items():
        count = 1
        for size in shape:
            count *= size
        infos += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", s) for s in shape)
        infos += struct.pack("<IQ", 0, len(data))
        if name.endswith("norm.weight"):
            values = [1.0] * count
        else:
            values = [dice.gauss(0, 0.3) for _ in range(count)]
        if name == "output.weight":
            values[: DIM * 261] = [0.0] * (DIM * 261)
        data += struct.pack(f"<{count}f", *values)
        data += b"\0" * (-len(data) % 32)
    start = head(metadata, infos, len(shapes))
    with open(path, "wb") as file:
        file.write(start + b"\0" * (-len(start) % 32) + data)
    return str(path)

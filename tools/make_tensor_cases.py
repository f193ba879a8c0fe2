#!/usr/bin/env python3
"""Makes tests/data/tensor from PyPI's `gguf` and `numpy`: random blocks of every type with the floats they stand for.

TYPE.bin    blocks, then their weights as float32 (as many blocks as the size tells)
halves.bin  records of float32 bits, the nearest float16 bits, the nearest bfloat16 bits (uint32, uint16, uint16)

Usage: make_tensor_cases.py [OUTPUT_FOLDER]      (needs: pip install gguf numpy)
"""

import pathlib
import sys

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import BF16, dequantize

# Where the half floats of a block lie; all its other bytes may be anything.
HALVES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108],
    "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0],
}  # fmt: skip


def finite_halves(random, count):
    """Bit patterns of float16, no infinities and no NaN; every eighth one subnormal."""
    bits = random.integers(0, 1 << 16, count, dtype=np.uint16)
    bits = np.where((bits & 0x7C00) == 0x7C00, bits & 0xBFFF, bits)
    return np.where(np.arange(count) % 8 == 0, bits & 0x83FF, bits).astype(np.uint16)


def write_blocks(folder, name, offsets, random):
    kind = GGMLQuantizationType[name]
    block_size, block_bytes = GGML_QUANT_SIZES[kind]
    n_blocks = 2048 // block_size
    blocks = random.integers(0, 256, (n_blocks, block_bytes), dtype=np.uint8)
    for offset in offsets:
        blocks[:, offset : offset + 2] = finite_halves(random, n_blocks).reshape(-1, 1).view(np.uint8)
    weights = dequantize(blocks, kind).astype(np.float32)
    assert weights.size == n_blocks * block_size
    (folder / f"{name}.bin").write_bytes(blocks.tobytes() + weights.tobytes())


def write_halves(folder, random):
    special = np.array(
        [0, -0.0, 1, 65504, 65519.996, 65520, 65536, 1e30, np.inf, -np.inf, np.nan, 2**-14, 2**-24, 2**-25, 2**-25 * 1.001, 2**-26]
        + [1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-8, 1 + 3 * 2**-8, 3.4e38, 1e-40, 2**-14 - 2**-25, 2**-14 - 2**-24],
        dtype=np.float32,
    )
    anything = random.integers(0, 1 << 32, 1000, dtype=np.uint32).view(np.float32)
    anything = anything[~np.isnan(anything)]  # what is left of a NaN's payload is each library's own affair
    exponents = random.uniform(-27, 17, 1000)
    in_range = (random.choice([-1, 1], 1000) * 2.0**exponents).astype(np.float32)
    floats = np.concatenate([special, anything, in_range]).astype(np.float32)
    record = np.zeros(floats.size, dtype=[("f32", "<u4"), ("f16", "<u2"), ("bf16", "<u2")])
    record["f32"] = floats.view(np.uint32)
    with np.errstate(over="ignore"):
        record["f16"] = floats.astype(np.float16).view(np.uint16)
    record["bf16"] = BF16.quantize_blocks(floats.reshape(1, -1)).view(np.uint16).reshape(-1)
    (folder / "halves.bin").write_bytes(record.tobytes())


def main():
    default = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "tensor"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(20240229)
    for name, offsets in HALVES.items():
        write_blocks(folder, name, offsets, random)
    write_halves(folder, random)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Makes tests/data/gguf: small GGUF files from the Python package `gguf`, and beside each what that package reads in it.

    python3 tools/make_gguf_cases.py [DIRECTORY]      needs: gguf 0.19.0, numpy

The files are the same on every run. The tests hold the reader, the writer and the description against them.
"""
import json
import struct
import sys
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter
from gguf.quants import quantize

OUT = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "tests/data/gguf")


def add_every_kind_of_value(writer):
    writer.add_uint8("test.u8", 255)
    writer.add_int8("test.i8", -128)
    writer.add_uint16("test.u16", 65535)
    writer.add_int16("test.i16", -32768)
    writer.add_uint32("test.u32", 4294967295)
    writer.add_int32("test.i32", -2147483648)
    writer.add_uint64("test.u64", 2**64 - 1)
    writer.add_int64("test.i64", -(2**63))
    writer.add_float32("test.f32", 1e-5)
    writer.add_float64("test.f64", 0.1)
    writer.add_bool("test.true", True)
    writer.add_bool("test.false", False)
    writer.add_string("test.text", 'line\n"quoted" \\ ñ 漢 🦙')
    writer.add_array("test.strings", ["a", "", "漢字"] + [f"<token {i}>" for i in range(20)])
    writer.add_array("test.ints", list(range(-4, 4)))
    writer.add_array("test.floats", [0.5, -1.25, 3.0e38])
    writer.add_array("test.bools", [True, False, True])
    writer.add_array("test.bytes", b"\x00\x7f\xff")
    for kind in ("UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "UINT64", "INT64", "FLOAT64"):
        writer.add_key_value(f"test.array.{kind.lower()}", [1, 2, 100], GGUFValueType.ARRAY, GGUFValueType[kind])


def add_tensors(writer, random):
    """One tensor of each type that numpy code can quantize, of one to four dimensions (numpy's order: rows last)."""
    values = random.standard_normal((3, 64), dtype=np.float32)
    writer.add_tensor("plain.f32", values)
    writer.add_tensor("plain.f16", values.astype(np.float16))
    writer.add_tensor("four.dims", random.standard_normal((2, 3, 4, 5), dtype=np.float32))
    writer.add_tensor("one.value", np.array([7.0], dtype=np.float32))
    for kind in ("BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0"):
        kind = GGMLQuantizationType[kind]
        writer.add_tensor(f"quantized.{kind.name}", quantize(values, kind), raw_dtype=kind)
    for kind, size in (("Q2_K", 84), ("Q3_K", 110), ("Q4_K", 144), ("Q5_K", 176), ("Q6_K", 210), ("IQ4_XS", 136)):
        blocks = random.integers(0, 256, (2, 3 * size), dtype=np.uint8)  # two rows of 768 weights
        writer.add_tensor(f"random.{kind}", blocks, raw_dtype=GGMLQuantizationType[kind])
    blocks = random.integers(0, 256, (2, 18), dtype=np.uint8)
    writer.add_tensor("random.IQ4_NL", blocks, raw_dtype=GGMLQuantizationType.IQ4_NL)


def finish(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def plain(value):
    """As JSON holds it: bytes-like and numpy scalars to numbers."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def fnv1a(data):
    """A short name for the bytes of a tensor (FNV-1a, 64 bits)."""
    result = 0xCBF29CE484222325
    for byte in data:
        result = (result ^ byte) * 0x100000001B3 % 2**64
    return f"{result:016x}"


def read_back(path):
    reader = GGUFReader(path)
    metadata = []
    for key, field in reader.fields.items():
        if key.startswith("GGUF."):
            continue
        types = [kind.name.lower() for kind in field.types]
        metadata.append({"key": key, "types": types[:2], "value": plain(field.contents())})
    tensors = [
        {
            "name": tensor.name,
            "type": tensor.tensor_type.name,
            "shape": [int(n) for n in tensor.shape],
            "bytes": int(tensor.n_bytes),
            "position": int(tensor.data_offset),
            "fnv1a": fnv1a(tensor.data.tobytes()),
        }
        for tensor in reader.tensors
    ]
    version = int(reader.fields["GGUF.version"].contents())
    return {"version": version, "alignment": int(reader.alignment), "metadata": metadata, "tensors": tensors}


def describe(path):
    text = json.dumps(read_back(path), ensure_ascii=False, indent=1)
    path.with_suffix(".json").write_text(text + "\n", encoding="utf-8")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    for name, alignment in (("everything", None), ("aligned-4096", 4096)):
        writer = GGUFWriter(OUT / f"{name}.gguf", "llama")
        if alignment:
            writer.add_custom_alignment(alignment)
        add_every_kind_of_value(writer)
        add_tensors(writer, np.random.default_rng(1))
        finish(writer)

    # Version 2 differs in its number alone.
    content = bytearray((OUT / "everything.gguf").read_bytes())
    struct.pack_into("<I", content, 4, 2)
    (OUT / "version-2.gguf").write_bytes(content)

    writer = GGUFWriter(OUT / "metadata-only.gguf", "llama")
    add_every_kind_of_value(writer)
    finish(writer)

    writer = GGUFWriter(OUT / "split.gguf", "llama", split_max_tensors=6, small_first_shard=True)
    writer.add_string("general.name", "in parts")
    add_tensors(writer, np.random.default_rng(1))
    finish(writer)

    for path in sorted(OUT.glob("*.gguf")):
        describe(path)
        assert path.stat().st_size <= 200_000, path


main()

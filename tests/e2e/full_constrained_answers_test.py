#!/usr/bin/env python3
"""500 finished answers of SmolLM2 at temperature 1.5 under each class of schemas: all valid by PyPI's jsonschema, formats too. Long."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/tools"))
import jsonschema
from schema_classes import CLASSES

SAMPLES = 500
TOKENS = 160
MORE_TOKENS = {"formats": 400}  # eight texts, and some are read byte by byte


def bounded(schema):
    """At this temperature a text, a URI or a fraction of a second goes on for as long as it may, so here they may not."""
    schema = json.loads(json.dumps(schema))
    for value in [*schema.get("properties", {}).values(), schema.get("items")]:
        if isinstance(value, dict) and ("format" in value or "string" in value.get("type", "")):
            value.setdefault("maxLength", 40)
    return schema


def sample(program, model, name, schema, samples):
    """What is wrong with the answers of a class, as lines."""
    tokens = MORE_TOKENS.get(name, TOKENS)
    request = {"schema": json.dumps(schema), "prompt": f"As JSON, {name}: ", "samples": samples, "temperature": 1.5, "seed": 1, "tokens": tokens}
    driver = subprocess.run([program.parent / "tests/constrained", model], input=json.dumps(request), stdout=subprocess.PIPE, text=True, check=True)
    answer = json.loads(driver.stdout)
    if "error" in answer:
        return [f"{name}: {answer['error']}"]
    validator = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
    texts = answer["texts"]
    faults = [f"{name}: invalid: {text}" for text in texts if not validator.is_valid(json.loads(text))]
    print(f"{name}: {len(texts)} answers, {len(set(texts))} different, {answer['unfinished']} cut off at {tokens} tokens", *faults, sep="\n", flush=True)
    return faults


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES
    program = pathlib.Path(os.environ["PUNA"])
    model = subprocess.run([program, "pull", "smollm2-135m"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        jobs = [pool.submit(sample, program, model, name, bounded(schema), samples) for name, schema in CLASSES.items()]
        faults = [fault for job in jobs for fault in job.result()]
    print(f"{len(CLASSES)} classes, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Thousands of random JSON schemas: every random word of a schema's grammar is valid by PyPI's jsonschema, and of random values those
that are valid have a text in the grammar and the others have none. Long."""
import fractions
import itertools
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import json_normal_form
import jsonschema
import random_schemas
import schema_program

SCHEMAS = 4000
VALUES = 40
SAMPLES = 10
MOST_ORDERS = 200


def multiple_of(validator, factor, instance, schema):
    """As jsonschema's own, but exact: that divides doubles."""
    if validator.is_type(instance, "number") and fractions.Fraction(str(instance)) % fractions.Fraction(str(factor)) != 0:
        yield jsonschema.ValidationError(f"{instance} is not a multiple of {factor}")


Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"multipleOf": multiple_of})


def check(program, seed):
    """The faults of one schema, and what became of it."""
    maker = random_schemas.Maker(seed)
    schema = maker.document()
    validator = Validator(schema)

    def is_valid(value):
        try:
            return validator.is_valid(value)
        except RecursionError:
            return None  # a schema that refers to itself for the same value, which has no meaning

    values = [maker.value() for _ in range(VALUES)]
    orders = [list(itertools.islice(json_normal_form.texts(value), MOST_ORDERS)) for value in values]
    answer = program.ask(schema=json.dumps(schema), texts=sum(orders, []), samples=SAMPLES, seed=seed)
    if "error" in answer:
        if "no value is valid" in answer["error"]:
            found = [value for value in values if is_valid(value)]
            return [f"'no value is valid', but {json.dumps(found[0])} is: {json.dumps(schema)}"] if found else [], "empty"
        return [], "refused"
    faults = []
    accepted = iter(answer["accepted"])
    for value, texts in zip(values, orders):
        found = any([next(accepted) for _ in texts])
        if is_valid(value) not in (found, None):
            faults.append(f"{json.dumps(value)} is {'accepted, but invalid' if found else 'valid, but refused'}: {json.dumps(schema)}")
    for text in answer["samples"]:
        if is_valid(json_normal_form.parse(text)) is False:
            faults.append(f"the word {text} is invalid: {json.dumps(schema)}")
    return faults, "compiled"


def main():
    begin = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else SCHEMAS
    program = schema_program.Program()
    faults, became = [], {"compiled": 0, "refused": 0, "empty": 0}
    for seed in range(begin, begin + count):
        more, what = check(program, seed)
        faults += [f"seed {seed}: {fault}" for fault in more]
        became[what] += 1
    print(became)
    print("\n".join(faults))
    if became["compiled"] < count * 0.6:
        print(f"only {became['compiled']} of {count} schemas were compiled", file=sys.stderr)
        return 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

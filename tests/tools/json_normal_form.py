"""JSON values as the texts of puna's normal form (docs/json_schema.md): ", " and ": ", the shortest escapes, plain decimal
numbers. Which order an object's members have depends on the schema, so a value has a text for every order."""
import decimal
import itertools
import json


def number(value):
    if isinstance(value, int):
        return str(value)
    value = decimal.Decimal(value)
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def string(value):
    return json.dumps(value, ensure_ascii=False)


def texts(value):
    """Yields the text of every order of members."""
    if value is None or isinstance(value, bool):
        yield json.dumps(value)
    elif isinstance(value, (int, float, decimal.Decimal)):
        yield number(value)
    elif isinstance(value, str):
        yield string(value)
    elif isinstance(value, list):
        for items in itertools.product(*(list(texts(item)) for item in value)):
            yield "[" + ", ".join(items) + "]"
    else:
        members = [[f"{string(name)}: {text}" for text in texts(member)] for name, member in value.items()]
        for order in itertools.permutations(members):
            for chosen in itertools.product(*order):
                yield "{" + ", ".join(chosen) + "}"


def parse(text):
    return json.loads(text, parse_float=decimal.Decimal)

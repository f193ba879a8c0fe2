"""Random JSON schemas over a small world of names and values, and random values of that world, so that they often meet."""
import random

NAMES = ["a", "b", "ab", "x"]
SCALARS = [None, True, False, 0, 1, 2, -3, 10, 0.5, -1.5, "", "a", "ab", "b1", "é\"\nx"]
PATTERNS = ["^a", "b$", "^[ab]*$", "[0-9]", "^.{2}$", "é|x"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, part):
        return self.random.random() < part

    def value(self, depth=0):
        kind = self.random.randrange(10)
        if depth < 2 and kind == 0:
            return [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        if depth < 2 and kind in (1, 2):
            return {name: self.value(depth + 1) for name in self.random.sample(NAMES, self.random.randrange(4))}
        return self.random.choice(SCALARS)

    def count(self):
        return self.random.randrange(4)

    def part(self, depth):
        """A schema for a part of a value."""
        return self.schema(depth + 1)

    def schema(self, depth=0):
        if depth > 3 or self.chance(0.1):
            return self.random.choice([True, True, False, {}, {"type": "integer"}, {"type": ["string", "null"]}])
        schema = {}
        for _ in range(self.random.choice([1, 1, 2, 2, 3, 4])):
            self.add(schema, self.random.choice(KEYWORDS), depth)
        return schema

    def add(self, schema, keyword, depth):
        pick = self.random.choice
        if keyword == "type":
            types = ["null", "boolean", "integer", "number", "string", "array", "object", "object", "array"]
            schema["type"] = pick(types) if self.chance(0.7) else sorted(set(self.random.sample(types, 3)))
        elif keyword == "enum":
            schema["enum"] = [self.value() for _ in range(1 + self.count())]
        elif keyword == "const":
            schema["const"] = self.value()
        elif keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
            schema[keyword] = pick([-3, -1.5, 0, 0.5, 1, 2, 10])
        elif keyword == "multipleOf":
            schema[keyword] = pick([1, 2, 3, 0.5, 2.5])
        elif keyword.startswith(("min", "max")):
            schema[keyword] = self.count()
        elif keyword == "pattern":
            schema["pattern"] = pick(PATTERNS)
        elif keyword == "required":
            schema["required"] = self.random.sample(NAMES, 1 + self.random.randrange(2))
        elif keyword == "properties":
            schema["properties"] = {name: self.part(depth) for name in self.random.sample(NAMES, 1 + self.random.randrange(3))}
        elif keyword == "patternProperties":
            schema["patternProperties"] = {pattern: self.part(depth) for pattern in self.random.sample(PATTERNS, 1 + self.random.randrange(2))}
        elif keyword == "prefixItems":
            schema["prefixItems"] = [self.part(depth) for _ in range(1 + self.random.randrange(3))]
        elif keyword in ("allOf", "anyOf", "oneOf"):
            schema[keyword] = [self.part(depth) for _ in range(1 + self.random.randrange(3))]
        elif keyword == "if":
            schema.update({name: self.part(depth) for name in ("if", "then", "else") if name == "if" or self.chance(0.7)})
        elif keyword == "dependentRequired":
            schema[keyword] = {pick(NAMES): self.random.sample(NAMES, 1)}
        elif keyword == "dependentSchemas":
            schema[keyword] = {pick(NAMES): self.part(depth)}
        elif keyword == "uniqueItems":
            schema[keyword] = self.chance(0.8)
        elif keyword == "$ref":
            schema["$ref"] = "#/$defs/" + pick("mn")
        else:
            schema[keyword] = self.part(depth)

    def document(self):
        root = self.schema()
        if isinstance(root, dict):
            root["$defs"] = {name: self.schema(2) for name in "mn"}
        return root


KEYWORDS = """type type type type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern
minItems maxItems items items prefixItems contains minContains maxContains uniqueItems required required properties properties
properties patternProperties additionalProperties propertyNames minProperties maxProperties allOf anyOf oneOf not if
dependentRequired dependentSchemas unevaluatedProperties unevaluatedItems $ref""".split()

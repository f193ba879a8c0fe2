"""Random template programs for comparing puna's Jinja with jinja2's: every construct, filter, test and method that chat
templates may use, over values of every kind, well typed or not."""

NAMES = ["a", "b", "n", "s", "items", "d", "x", "msg", "flag", "f", "u"]

VARIABLES = {
    "a": 3,
    "b": -7,
    "n": None,
    "s": "Hello, wörld\n <b>ß</b> 'q' \"z\"",
    "items": [3, 1, 2, 1],
    "d": {"k": 1, "a": "x", "Z": [1, {"q": None}], "items": "shadow", "f": 2.5},
    "x": "  pad\t",
    "msg": [
        {"role": "user", "content": "hi", "n": 2},
        {"role": "assistant", "content": "Yo é", "n": 1},
        {"role": "user", "content": "", "n": 3},
    ],
    "flag": True,
    "f": 2.5,
}

STRINGS = ["''", "'a'", "\"b c\"", "'Hello World'", "'a,b,,c'", "'é😀ß'", "'\\n'", "' x '", "'%s-%d'", "'{}:{}'", "'12'",
           "'3.7'", "'<i>'", "'it\\'s'", "'aXbXc'", "'\\t|'", "'ab' 'cd'", "'{0!r:>5}'", "'k'", "'role'", "'İǅŉ'"]
NUMBERS = ["0", "1", "2", "3", "7", "10", "-1", "1.5", "0.1", "2.0", "1e3", "100", "1_000", "0x1f", "1e16", "1.5e-7"]
BINARY = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "!=", "<", "<=", ">", ">=", "and", "or", "in", "not in"]
FILTERS = [
    "upper", "lower", "title", "capitalize", "trim", "length", "list", "first", "last", "string", "int", "float", "abs", "round",
    "sum", "min", "max", "sort", "join", "join(', ')", "reverse|list", "unique|list", "default('d')", "default('d', true)", "d",
    "replace('a', 'b')", "replace('', '-')", "replace('a', 'bb', 1)", "tojson", "tojson(indent=2)", "tojson(ensure_ascii=true)",
    "tojson(separators=(',', ':'))", "tojson(sort_keys=true)", "tojson(indent=0)", "safe", "escape", "e", "forceescape", "indent",
    "indent(2)", "indent(2, true)", "indent('>> ', true, true)", "truncate(5)", "truncate(5, true)", "truncate(6, false, '..', 0)",
    "wordcount", "center(9)", "batch(2)|list", "batch(2, 'z')|list", "slice(2)|list", "slice(3, 'z')|list", "map('upper')|list",
    "map(attribute='role')|list", "map(attribute='zz', default='q')|join('+')", "selectattr('role', 'equalto', 'user')|list",
    "selectattr('n')|list", "rejectattr('role', 'eq', 'user')|map(attribute='content')|list", "select|list", "select('odd')|list",
    "reject('none')|list", "select('string')|list", "dictsort", "dictsort(true)", "dictsort(by='value')", "dictsort(reverse=true)",
    "items|list", "groupby('role')", "groupby('n')|length", "sort(reverse=true)", "sort(attribute='n')",
    "sort(attribute='role,content')", "sort(case_sensitive=true)", "sum(attribute='n')", "sum(start=1)", "max(attribute='n')",
    "min(case_sensitive=true)", "attr('upper')", "format(1, 'a')", "round(1)", "round(0, 'floor')", "round(1, 'ceil')", "urlencode",
    "filesizeformat", "xmlattr", "int(5)", "int(0, 16)", "float(1.5)", "count", "nosuchfilter",
]
TESTS = [
    "defined", "undefined", "none", "string", "number", "integer", "float", "boolean", "mapping", "sequence", "iterable",
    "callable", "true", "false", "odd", "even", "divisibleby(2)", "divisibleby 3", "lower", "upper", "eq 1", "equalto('a')",
    "ne 2", "lt 3", "gt(1)", "ge 1", "le 2", "in items", "in 'abc'", "sameas none", "sameas(true)", "escaped", "filter", "test",
]
METHODS = [
    "upper()", "lower()", "strip()", "strip('a ')", "lstrip()", "rstrip('c')", "split()", "split(',')", "split(',', 1)",
    "rsplit(',', 1)", "rsplit(none, 1)", "split('')", "startswith('a')", "startswith(('H', 'a'))", "endswith('d')", "find('l')",
    "rfind('l')", "find('l', 3)", "index('a')", "count('a')", "count('')", "replace('l', 'L')", "replace('l', 'L', 1)",
    "title()", "capitalize()", "swapcase()", "casefold()", "splitlines()", "splitlines(true)", "isdigit()", "isalpha()",
    "isalnum()", "isspace()", "islower()", "isupper()", "istitle()", "isnumeric()", "isdecimal()", "isascii()", "isidentifier()",
    "isprintable()", "join(['x', 'y'])", "join(items)", "format(1, 'a')", "format(a=1)", "zfill(5)", "ljust(6, '.')", "rjust(6)",
    "center(7, '*')", "partition(',')", "rpartition('X')", "removeprefix('a')", "removesuffix('c')", "expandtabs(4)", "get('k')",
    "get('zz', 5)", "get('zz')", "keys()", "values()", "items()", "items()|list", "keys()|list", "copy()", "append(1)", "pop()",
    "update({})", "count(1)", "index(2)", "nosuch()", "items", "role", "k", "0", "Z.1.q", "__class__", "clear", "upper",
]
SLICES = ["0", "1", "-1", "'k'", "'zz'", "99", "1:", ":2", "::2", "::-1", "-2:", "1:-1", "5:1:-2", ":-1", "a", "'upper'", "1.5", "none", "flag"]
FORMATS = ["'%s' % {0}", "'%d|%5.2f' % (a, f)", "'%-6s|' % {0}", "'%05d' % a", "'%x %o %X' % (255, 8, 171)", "'%r' % {0}",
           "'%(k)s %(a)s' % d", "'%%%s' % {0}", "'%+d % d' % (a, a)", "'%e %g' % (f, f)", "'%c' % 'z'", "'%s %s' % {0}", "'%.2s|' % {0}",
           "'{{}} {{}}'.format({0}, 1)", "'{{0}} {{1}} {{0}}'.format({0}, a)", "'{{x}}'.format(x={0})", "'{{:>8}}|{{:<5}}|{{:^7}}'.format(a, s, f)",
           "'{{:05d}} {{:,}} {{:x}} {{:b}}'.format(a, 1234567, 255, 5)", "'{{:.3f}} {{:e}} {{:g}} {{:%}}'.format(f, f, f, f)",
           "'{{!r}} {{!s}}'.format({0}, {0})", "'{{0[k]}} {{0.k}}'.format(d)", "'{{:+}} {{: }} {{:#x}}'.format(a, a, 255)", "'{{:{{}}}}'.format(s, 40)",
           "'{{:.3}}|{{:10.2}}'.format(f, s)", "'{{:012,.2f}}'.format(1234.5)", "'{{:_}}'.format(1234567)"]


TYPED = {
    "text": STRINGS + ["s", "x", "msg[0].content", "msg[1].role", "d.a", "(a ~ f)"],
    "list": ["items", "msg", "[1, 'a', none]", "[3, 1, 2]", "['b', 'A', 'a', 'C']", "range(4)", "msg[1:]", "d.Z", "[[1, 2], [3, 4]]", "(1, 2)"],
    "number": NUMBERS + ["a", "b", "f", "(a + 1)", "true"],
}


class Generator:
    def __init__(self, random):
        self.random = random
        self.loops = 0
        self.macros = []
        self.namespaces = []
        self.locals = []

    def pick(self, choices):
        return self.random.choice(choices)

    def chance(self, p):
        return self.random.random() < p

    def request(self):
        template = self.output(3) if self.chance(0.5) else self.body(3, top=True)
        variables = {key: value for key, value in VARIABLES.items() if not self.chance(0.02)}
        return {"template": template, "messages": [], "add_generation_prompt": True, "bos_token": "<s>", "eos_token": "</s>",
                "extra": variables}

    # ---- expressions
    def atom(self):
        kind = self.random.random()
        if kind < 0.4:
            return self.pick(NAMES + self.locals + self.locals)
        if kind < 0.6:
            return self.pick(STRINGS)
        if kind < 0.75:
            return self.pick(NUMBERS)
        if kind < 0.82:
            return self.pick(["true", "false", "none", "True", "None"])
        if kind < 0.87 and self.loops:
            return "loop." + self.pick(["index", "index0", "first", "last", "length", "revindex", "revindex0", "previtem", "nextitem",
                                        "depth", "cycle('p', 'q')", "changed(a)", "nosuch"])
        if kind < 0.9 and self.namespaces:
            return f"{self.pick(self.namespaces)}.{self.pick(['v', 'w'])}"
        if kind < 0.94 and self.macros:
            name, n = self.pick(self.macros)
            args = [self.pick(NUMBERS + STRINGS) for _ in range(self.random.randint(0, n))]
            return f"{name}({', '.join(args)})"
        return self.pick(["[]", "{}", "[1, 'a', none]", "(1, 2)", "{'k': 1, 'b': [2]}", "range(4)", "range(1, 9, 3)", "dict(k=1)", "()", "(1,)",
                          "[[1, 2], [3, 4]]", "{1: 'a', true: 'b'}", "[[1, 'a'], [1, 'A']]", "['b', 'A', 'a', 'C']", "'a b c'.split()"])

    def expression(self, depth):
        if depth <= 0:
            return self.atom()
        kind = self.random.random()
        inner = lambda: self.expression(depth - 1)  # noqa: E731
        if kind < 0.16:
            return self.atom()
        if kind < 0.36:
            both = self.pick(["text", "list", "number", "number", None])
            return f"{self.operand(depth, both)} {self.pick(BINARY)} {self.operand(depth, both)}"
        if kind < 0.54:
            return f"{self.operand(depth, self.pick(['text', 'text', 'list', 'list', 'number', None]))}|{self.pick(FILTERS)}"
        if kind < 0.62:
            return f"{self.operand(depth)} is {self.pick(['', 'not '])}{self.pick(TESTS)}"
        if kind < 0.74:
            return f"{self.operand(depth, self.pick(['text', 'text', 'text', None]))}.{self.pick(METHODS)}"
        if kind < 0.82:
            return f"{self.operand(depth, self.pick(['text', 'list', None]))}[{self.pick(SLICES)}]"
        if kind < 0.86:
            return f"({inner()} if {inner()}" + (f" else {inner()})" if self.chance(0.7) else ")")
        if kind < 0.90:
            return self.pick(FORMATS).format(self.operand(depth))
        if kind < 0.93:
            return self.pick(["not ", "-", "+"]) + self.operand(depth)
        if kind < 0.95:
            return f"{self.operand(depth)} {self.pick(['<', '<=', '==', '>'])} {self.operand(depth)} {self.pick(['<', '>=', '!='])} {self.operand(depth)}"
        if kind < 0.97:
            return f"[{inner()}, {inner()}]"
        if kind < 0.985:
            return f"{{{self.pick(STRINGS + NUMBERS)}: {inner()}, 'k': {inner()}}}"
        return f"({inner()}, {inner()})"

    def operand(self, depth, kind=None):
        """Of a kind that the operation likely wants: text, list, number; anything where that is None."""
        if kind and self.chance(0.8):
            return self.pick(TYPED[kind])
        if self.chance(0.6):
            return self.atom()
        return f"({self.expression(depth - 1)})"

    # ---- statements
    def mark(self, begin, end):
        left, right = self.pick(["", "", "", "-", "+"]), self.pick(["", "", "", "-"])
        return begin + left, right + end

    def tag(self, text):
        left, right = self.mark("{%", "%}")
        return f"{left} {text} {right}"

    def data(self):
        return self.pick(["", "", " ", "\n", "x", "text ", "\n  ", " y\n", "{# note #}", "  {#- c -#}\n", "<é>", "\r\n", "{ ", "}}", "\n\n",
                          "{% raw %}{{ r }}{% endraw %}", "  {%- raw -%} {% z {%- endraw %}\n"])

    def output(self, depth):
        left, right = self.mark("{{", "}}")
        return f"{left} {self.expression(depth)} {right}"

    def body(self, depth, top=False):
        parts = []
        for _ in range(self.random.randint(1, 4 if top else 3)):
            parts.append(self.data())
            parts.append(self.statement(depth))
        parts.append(self.data())
        return "".join(parts)

    def scoped(self, depth, names=()):
        saved = list(self.locals), list(self.macros), list(self.namespaces)
        self.locals += names
        text = self.body(depth)
        self.locals, self.macros, self.namespaces = saved
        return text

    def statement(self, depth):
        kind = self.random.random()
        if depth <= 0 or kind < 0.3:
            return self.output(2)
        if kind < 0.45:
            return self.for_loop(depth)
        if kind < 0.57:
            text = self.tag(f"if {self.expression(2)}") + self.body(depth - 1)
            if self.chance(0.3):
                text += self.tag(f"elif {self.expression(1)}") + self.body(depth - 1)
            if self.chance(0.5):
                text += self.tag("else") + self.body(depth - 1)
            return text + self.tag("endif")
        if kind < 0.72:
            return self.assignment(depth)
        if kind < 0.80:
            return self.macro(depth)
        if kind < 0.85:
            name = self.pick(["w", "a", "y"])
            return self.tag(f"with {name} = {self.expression(1)}") + self.scoped(depth - 1, [name]) + self.tag("endwith")
        if kind < 0.89:
            chain = self.pick(["upper", "trim", "replace('a', 'b')", "indent(2)|upper", "length"])
            return self.tag(f"filter {chain}") + \
                self.scoped(depth - 1) + self.tag("endfilter")
        if kind < 0.92 and self.macros:
            name, n = self.pick(self.macros)
            signature = self.pick(["", "", "(y)", "(y, z=2)"])
            return self.tag(f"call{signature} {name}({self.pick(NUMBERS)})") + self.scoped(depth - 1, ["y"] if signature else []) + \
                self.tag("endcall")
        if kind < 0.94 and self.loops:
            jump = self.tag(self.pick(["break", "continue"]))
            return self.tag(f"if {self.expression(1)}") + jump + self.tag("endif") if self.chance(0.8) else jump
        if kind < 0.96:
            return "{% generation %}" + self.scoped(depth - 1) + "{% endgeneration %}"
        return self.output(3)

    def for_loop(self, depth):
        items = self.pick(["items", "msg", "d", "s", "range(3)", "d.items()", "d|dictsort", "[]", "msg[::-1]", "nosuch", "[[1, 2], [3, 4]]",
                           "'ab'", self.operand(1), self.operand(2)])
        pair = items in ("d.items()", "d|dictsort", "[[1, 2], [3, 4]]")
        names = ["k", "v"] if pair else [self.pick(["i", "m", "a"])]
        condition = f" if {self.expression(1)}" if self.chance(0.2) else ""
        recursive = " recursive" if self.chance(0.06) else ""
        loops, self.loops = self.loops, self.loops + 1
        text = self.tag(f"for {', '.join(names)} in {items}{condition}{recursive}") + self.scoped(depth - 1, names)
        if recursive and self.chance(0.7):
            text += "{% if loop.depth < 3 %}{{ loop(" + self.pick(["[1, 2]", "items", "'xy'"]) + ") }}{% endif %}"
        self.loops = loops
        if self.chance(0.25):
            text += self.tag("else") + self.scoped(depth - 1)
        return text + self.tag("endfor")

    def assignment(self, depth):
        kind = self.random.random()
        if kind < 0.45:
            name = self.pick(["y", "z", "a", "s", "items", "q"])
            text = self.tag(f"set {name} = {self.expression(2)}")
            self.locals.append(name)
            return text
        if kind < 0.55:
            self.locals += ["y", "z"]
            return self.tag(f"set y, z = {self.pick(['1, 2', '[3, 4]', '(5, 6)', self.expression(1), '1, 2, 3'])}")
        if kind < 0.75:
            if not self.namespaces or self.chance(0.3):
                self.namespaces.append("ns")
                return self.tag(f"set ns = namespace(v={self.expression(1)}, w=0)")
            return self.tag(f"set ns.{self.pick(['v', 'w', 'v'])} = {self.expression(2)}")
        name = self.pick(["y", "blk"])
        chain = self.pick(["", "", " | upper", " | trim | length"])
        text = self.tag(f"set {name}{chain}") + self.scoped(depth - 1) + self.tag("endset")
        self.locals.append(name)
        return text

    def macro(self, depth):
        name = self.pick(["m1", "m2", "m3"])
        signature = self.pick(["", "p", "p, r=2", "p=a, r=p", "p, r='z'"])
        names = [part.split("=")[0].strip() for part in signature.split(",") if part.strip()]
        extra = self.pick(["", "", "", "{{ caller() }}", "{{ varargs }}", "{{ kwargs }}", "{{ caller(1) if caller }}", "{{ caller is defined }}"])
        loops, self.loops = self.loops, 0
        text = self.tag(f"macro {name}({signature})") + self.scoped(depth - 1, names) + extra + self.tag("endmacro")
        self.loops = loops
        self.macros.append((name, len(names)))
        return text

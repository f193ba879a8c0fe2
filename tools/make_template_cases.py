#!/usr/bin/env python3
"""Writes tests/data/templates/*.json: small templates and generated programs, with what jinja2, set up as
transformers does, makes of them. Run with a Python that has transformers and jinja2:

  make_template_cases.py

Each case is {"template", "variables"} and "text", or no "text" where the oracle refuses.
"""
import json
import pathlib
import random
import re
import sys
import warnings

import template_cases as cases
import template_programs as programs

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests/data/templates"

# One template a line; ⏎ is a line end.
SMALL = r"""
{{ 1 + 2 * 3 ** 2 }} {{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % -3 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 6 / 2 }}
{{ 1.0 }} {{ 0.1 + 0.2 }} {{ 1e16 }} {{ 1e15 }} {{ 1e-5 }} {{ 0.0001 }} {{ 1.5e300 * 1e10 }} {{ -0.0 }} {{ 1_000 }} {{ 0xff }} {{ 0b101 }} {{ 0o17 }}
{{ 7.5 // 2 }} {{ -7.5 // 2 }} {{ 7.5 % 2 }} {{ -7.5 % 2 }} {{ 2 ** -1 }} {{ 2.0 ** 3 }} {{ 5 / 0 if false else 'ok' }}
{{ 1 / 0 }}
{{ true + true }} {{ true and 3 }} {{ 0 or 'x' }} {{ none or false }} {{ not 0 }} {{ not not 'a' }}
{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 3 > 2 > 1 }} {{ 1 == 1.0 }} {{ true == 1 }} {{ 'a' == 'a' != 'b' }} {{ [1, 2] == [1, 2] }} {{ [1] < [1, 0] }}
{{ 'a' in 'abc' }} {{ 'x' not in 'abc' }} {{ 1 in [1, 2] }} {{ 'k' in d }} {{ 3 in (1, 2) }} {{ 2 in range(3) }} {{ 'z' in nosuch }}
{{ 1 < 'a' }}
{{ 'a' + 1 }}
{{ 'a' ~ 1 ~ none ~ true ~ 1.5 ~ [1, 'x'] }} {{ 'a' * 3 }} {{ 2 * [1, 2] }} {{ (1,) + (2,) }} {{ [1] + ['a'] }}
{{ 'a' if true else 'b' }} {{ 'a' if false }}| {{ 'a' if false else 'b' if false else 'c' }} {{ ('x' if flag) is defined }}
{{ none }} {{ true }} {{ false }} {{ [none, true, 1.0, 'x'] }} {{ {'a': 1, 'b': [1, (2,)]} }} {{ (1, 2) }} {{ () }} {{ (1,) }} {{ 1, 2 }}
{{ ["it's", 'say "hi"', 'both \' and "', 'é\n\t\\', '\x00\x7f\u200b\U0001F600'] }}
{{ 'a' 'b' "c" }} {{ 'tab\tnewline\nx\x41\u00e9\101' }} {{ '\q' }} {{ 'é\é' }}
{{ items[0] }} {{ items[-1] }} {{ items[9] }}| {{ items[1:] }} {{ items[::-1] }} {{ items[-2:] }} {{ items[:1] }} {{ items[::2] }} {{ items[5:1:-1] }} {{ items[0:0] }}
{{ s[0] }} {{ s[-1] }} {{ s[1:5] }} {{ s[::-1] }} {{ 'añb'[1] }} {{ 'añb'[::-1] }} {{ 'añb😀'[-1] }} {{ 'añb😀'[1:3] }} {{ 'añb'|length }}
{{ items[::0] }}
{{ items['a'] }}| {{ d['k'] }} {{ d.k }} {{ d['nope'] }}| {{ d.nope }}| {{ d.Z[1].q }} {{ d.Z.0 }} {{ d['items'] }} {{ none.x }}| {{ 5['a'] }}|
{{ d.nope.more }}
{{ nosuch.x }}
{{ nosuch + 1 }}
{{ nosuch }}| {{ nosuch|length }} {{ nosuch == nosuch2 }} {{ nosuch is defined }} {{ not nosuch }} {% for i in nosuch %}x{% else %}empty{% endfor %}
{{ d.items()|list }} {{ d.keys()|list }} {{ d.values()|list }} {{ d.get('k') }} {{ d.get('q') }} {{ d.get('q', 7) }} {{ {'a': 1}.items() }} {{ {'a': 1}.keys() }} {{ {'a': 1}.values() }}
{{ items.append(3) }}
{{ items.append }}| {{ d.update }}| {{ d.clear is defined }} {{ items.pop is defined }} {{ items.index(1) }} {{ items.count(1) }} {{ items.copy() }}
{{ d.__class__ }}| {{ s.__len__ }}| {{ d.__class__ is defined }}
{{ d.pop('k') }}
{{ s.upper() }} {{ s.lower() }} {{ s.title() }} {{ 'hELLO wORLD'.capitalize() }} {{ 'aBc'.swapcase() }} {{ 'ß'.upper() }} {{ 'ǆ'.title() }} {{ 'ΑΣ ΑΣΑ'.lower() }} {{ 'İ'.lower()|length }} {{ 'Straße'.casefold() }} {{ 'ﬁx'.capitalize() }}
[{{ '  x '.strip() }}] [{{ '  x '.lstrip() }}] [{{ '  x '.rstrip() }}] [{{ 'xxaxx'.strip('x') }}] [{{ 'abcab'.rstrip('ab') }}] [{{ '\u3000é\u00a0'.strip() }}] [{{ 'éaé'.strip('é') }}]
{{ 'a b  c'.split() }} {{ ' a b '.split(' ') }} {{ 'a,b,c'.split(',', 1) }} {{ 'a,b,c'.rsplit(',', 1) }} {{ ''.split() }} {{ ''.split(',') }} {{ '  a b  c '.rsplit(none, 1) }} {{ 'a b c'.split(maxsplit=1) }} {{ '  a b '.split(none, 1) }}
{{ 'a'.split('') }}
{{ 'abc'.startswith('ab') }} {{ 'abc'.startswith(('x', 'a')) }} {{ 'abc'.endswith('bc') }} {{ 'abc'.startswith('b', 1) }} {{ 'abc'.endswith('b', 0, 2) }} {{ 'abc'.startswith('') }}
{{ 'hello'.find('l') }} {{ 'hello'.rfind('l') }} {{ 'hello'.find('z') }} {{ 'héllo'.find('l') }} {{ 'hello'.index('e') }} {{ 'hello'.count('l') }} {{ 'aaa'.count('aa') }} {{ 'abc'.count('') }} {{ 'hello'.find('l', -2) }}
{{ 'hello'.index('z') }}
{{ 'aXbX'.replace('X', '-') }} {{ 'aXbX'.replace('X', '-', 1) }} {{ 'ab'.replace('', '.') }} {{ 'é'.replace('', '.') }} {{ 'aaa'.replace('a', 'aa', 2) }} {{ 'x'|replace('x', 1) }}
{{ 'a\nb\r\nc\x0bd\u2028e'.splitlines() }} {{ 'a\nb\n'.splitlines(true) }} {{ 'a|b'.partition('|') }} {{ 'a|b|c'.rpartition('|') }} {{ 'ab'.partition('|') }}
{{ ', '.join(['a', 'b']) }} {{ ''.join('abc') }} {{ '-'.join({'x': 1, 'y': 2}) }}
{{ ','.join([1]) }}
{{ 'ab'.isalpha() }} {{ 'a1'.isalnum() }} {{ '12'.isdigit() }} {{ '²'.isdigit() }} {{ '²'.isdecimal() }} {{ '½'.isnumeric() }} {{ ' \t'.isspace() }} {{ 'ab'.islower() }} {{ 'AB1'.isupper() }} {{ 'Ab Cd'.istitle() }} {{ ''.isalpha() }} {{ 'x_1'.isidentifier() }} {{ 'é'.isascii() }} {{ 'a\n'.isprintable() }}
[{{ 'ab'.center(7) }}] [{{ 'abc'.center(6, '*') }}] [{{ 'ab'.ljust(4) }}] [{{ 'ab'.rjust(4, '.') }}] {{ '7'.zfill(3) }} {{ '-7'.zfill(4) }} {{ 'a\tb'.expandtabs(4) }} {{ 'abc'.removeprefix('a') }} {{ 'abc'.removesuffix('c') }} {{ 'abc'.removesuffix('x') }}
{{ '{} {}'.format(1, 'a') }} {{ '{1} {0}'.format(1, 2) }} {{ '{x} {y[0]} {y[k]}'.format(x=1, y={'k': 2, 0: 3}) }} {{ '{{}}'.format() }} {{ '{!r}'.format('a') }} {{ '{:>5}|{:<5}|{:^5}|{:*^7}'.format('a', 'b', 'c', 'd') }}
{{ '{:5}|{:05}|{:+}|{:,}|{:_}|{:x}|{:#x}|{:b}|{:o}|{:e}|{:.2f}|{:10.3f}|{:%}|{:g}'.format(42, 42, 42, 1234567, 1234567, 255, 255, 5, 8, 12345.678, 3.14159, 2.5, 0.25, 1e20) }}
{{ '{:.3}'.format('abcdef') }} {{ '{:.3}'.format(3.14159) }} {{ '{:.3}'.format(1234567.0) }} {{ '{:.2}'.format(10.0) }} {{ '{}'.format(none) }} {{ '{}'.format(true) }} {{ '{:d}'.format(true) }} {{ '{:{}}'.format('x', 4) }} {{ '{:012,.2f}'.format(-1234.5) }} {{ '{:=+7}'.format(5) }} {{ '{:c}'.format(233) }}
{{ '{:,}'.format(-1234567.891) }} {{ '{:09,}'.format(1234) }} {{ '{:010,}'.format(1234) }} {{ '{:g} {:g} {:g}'.format(100000.0, 1000000.0, 0.00001) }} {{ '{:.0f} {:.0f} {:.0f}'.format(0.5, 1.5, 2.5) }} {{ '{} {}'.format(1e22, 1.0) }} {{ '{:.0e}'.format(15000.0) }} {{ '{:.1}'.format(0.0) }} {{ '{:.5}'.format(100.0) }}
{{ '{}'.format() }}
{{ '{0} {}'.format(1, 2) }}
{{ '}'.format() }}
{{ '{:q}'.format(1) }}
{{ '%s' % 'a' }} {{ '%s %s' % (1, none) }} {{ '%d' % 3.9 }} {{ '%5.1f|' % 2.25 }} {{ '%-5s|' % 'a' }} {{ '%05d' % -42 }} {{ '%x %X %o %#x' % (255, 255, 8, 255) }} {{ '%r' % 'a' }} {{ '%%' % () }} {{ '%(a)s' % {'a': 1} }} {{ '%c%c' % ('a', 98) }} {{ '%+d % d' % (1, 2) }} {{ '%e' % 12345.6789 }} {{ '%g' % 0.0001 }} {{ '%.3s' % 'abcdef' }} {{ '%*d' % (5, 42) }} {{ '%.2f' % 2.675 }} {{ '%s' % [1, 2] }} {{ 'x' % [1] }}
{{ '%d' % 'a' }}
{{ '%s %s' % 1 }}
{{ '%s' % (1, 2) }}
{{ 'Abc'|upper }} {{ 'Abc'|lower }} {{ 'hello wORLD-foo (bar)'|title }} {{ 'hELLO'|capitalize }} {{ '  a '|trim }}| {{ 'xax'|trim('x') }} {{ 5|upper }} {{ none|upper }} {{ nosuch|upper }}|
{{ 'a b c'|wordcount }} {{ 'abc'|length }} {{ [1, 2]|count }} {{ d|length }} {{ 'abc'|first }} {{ 'abc'|last }} {{ [3, 4]|first }} {{ d|first }} {{ d|last }} {{ []|first }}| {{ range(5)|last }}
{{ 5|length }}
{{ items|map('string')|last }}
{{ items|sort }} {{ items|sort(reverse=true) }} {{ ['b', 'A', 'c']|sort }} {{ ['b', 'A', 'c']|sort(case_sensitive=true) }} {{ msg|sort(attribute='n')|map(attribute='n')|list }} {{ msg|sort(attribute='role,n')|map(attribute='n')|list }} {{ 'hello'|sort }}
{{ [1, 'a']|sort }}
{{ items|unique|list }} {{ ['a', 'A', 'b']|unique|list }} {{ ['a', 'A']|unique(true)|list }} {{ msg|unique(attribute='role')|map(attribute='n')|list }}
{{ items|sum }} {{ [1.5, 2]|sum }} {{ msg|sum(attribute='n') }} {{ []|sum }} {{ items|sum(start=10) }} {{ [[1], [2]]|sum(start=[]) }} {{ items|min }} {{ items|max }} {{ ['b', 'A']|min }} {{ ['b', 'A']|min(case_sensitive=true) }} {{ msg|max(attribute='n') }} {{ []|max }}|
{{ ['a']|sum }}
{{ d|dictsort|map('first')|list }} {{ {'b': 1, 'A': 2}|dictsort }} {{ {'b': 1, 'A': 2}|dictsort(true) }} {{ {'b': 1, 'A': 2}|dictsort(by='value', reverse=true) }}
{{ msg|groupby('role')|map('first')|list }} {% for role, list in msg|groupby('role') %}{{ role }}={{ list|map(attribute='n')|join(',') }};{% endfor %} {% for g in msg|groupby('role') %}{{ g.grouper }}:{{ g.list|length }} {% endfor %} {{ [{'a': 'X'}, {'a': 'x'}]|groupby('a')|length }}
{{ range(7)|batch(3)|list }} {{ range(7)|batch(3, 'x')|list }} {{ range(7)|slice(3)|list }} {{ range(7)|slice(3, 'x')|list }} {{ []|batch(2)|list }}
{{ ['a', 'b']|map('upper')|list }} {{ msg|map(attribute='role')|join(' ') }} {{ msg|map(attribute='zz', default='d')|list }} {{ [[1, 2], [3]]|map('length')|list }} {{ [[1, 2], [3, 4]]|map(attribute=1)|list }} {{ ['1', 'x']|map('int', 7)|list }} {{ none|map('upper')|list }}
{{ msg|selectattr('role', 'equalto', 'user')|map(attribute='n')|list }} {{ msg|rejectattr('role', 'eq', 'user')|list|length }} {{ msg|selectattr('content')|list|length }} {{ items|select('odd')|list }} {{ items|reject('odd')|list }} {{ [0, 1, '']|select|list }} {{ ['a', 1]|select('string')|list }} {{ items|select('gt', 1)|list }} {{ msg|selectattr('zz', 'defined')|list }} {{ msg|selectattr('n', 'in', [1, 3])|map(attribute='n')|list }}
{% if msg|selectattr('role', 'equalto', 'nobody') %}a generator is true{% endif %} {{ msg|selectattr('role', 'equalto', 'nobody')|list|length }} {{ (msg|selectattr('n', 'eq', 3)|first).role }}
{% set g = [1, 2]|map('string') %}{{ g|list }}{{ g|list }} {% set r = [1, 2]|reverse %}{{ r|list }}{{ r|list }} {{ 'abc'|reverse }} {{ d.keys()|reverse|list }}
{{ items|map('nosuch')|list }}
{{ 5|map('upper')|list }}
{{ [1, 2]|join }} {{ [1, none, 'x']|join(', ') }} {{ msg|join('; ', attribute='content') }} {{ 'abc'|join('-') }} {{ nosuch|join }}|
{{ nosuch|default('d') }} {{ ''|default('d') }}| {{ ''|default('d', true) }} {{ none|default('d') }} {{ none|d('e', true) }} {{ d.nope|default([]) }} {{ 0|default(1, boolean=true) }}
{{ '42'|int }} {{ '42.9'|int }} {{ 'x'|int }} {{ 'x'|int(7) }} {{ 3.9|int }} {{ -3.9|int }} {{ '0x1A'|int(0, 16) }} {{ ' 1_0 '|int }} {{ none|int }} {{ true|int }} {{ '1e3'|int }} {{ '٣'|int }} {{ '1.5'|float }} {{ 'x'|float }} {{ 'inf'|float }} {{ '1e400'|float }} {{ 3|float }} {{ -5|abs }} {{ -1.5|abs }} {{ true|abs }}
{{ 42.55|round }} {{ 42.55|round(1) }} {{ 42.55|round(1, 'floor') }} {{ 42.51|round(1, 'ceil') }} {{ 2.5|round }} {{ 3.5|round }} {{ 42|round }} {{ 42|round(1, 'floor') }} {{ 2.675|round(2) }} {{ 1234.5|round(-2) }} {{ 1250|round(-2) }} {{ -0.4|round }}
{{ 'a\nb\n\nc'|indent }} {{ 'a\nb'|indent(2, true) }} {{ 'a\n\nb'|indent(2, blank=true) }} {{ 'a\nb'|indent('> ', first=true) }} {{ 'a\n'|indent(2) }}| {{ ''|indent }}|
{{ 'foo bar baz qux'|truncate(9) }} {{ 'foo bar baz qux'|truncate(9, true) }} {{ 'foo bar baz qux'|truncate(11) }} {{ 'foo bar baz qux'|truncate(11, false, '...', 0) }} {{ 'abc'|truncate(3, true, '', 0) }}
{{ '<a & "b">'|escape }} {{ '<'|e|e }} {{ '<'|e|forceescape }} {{ '<b>'|safe }} {{ ('<b>'|safe) + '<i>' }} {{ '<i>' + ('<b>'|safe) }} {{ ('<b>'|safe) ~ '<i>' }} {{ ['<b>'|safe] }} {{ ('<'|safe) is escaped }} {{ ('<b>'|safe)|upper }} {{ {'a': '<', 'b': none}|xmlattr }}
{{ 'a b/c?é'|urlencode }} {{ {'a': 'x y', 'b': 1}|urlencode }} {{ 1|urlencode }} {{ 1|filesizeformat }} {{ 1000|filesizeformat }} {{ 1234567|filesizeformat }} {{ 1024|filesizeformat(true) }} {{ 'ab'|center(6) }}| {{ 'ab'|list }} {{ 1|string ~ 2 }} {{ d|items|list|length }} {{ nosuch|items|list }}
{{ 5|items|list }}
{{ d|tojson }} {{ s|tojson }} {{ [1, 1.0, true, none, 'é/<x>', 1e20, 0.1]|tojson }} {{ (1, 2)|tojson }} {{ {'b': 1, 'a': 2}|tojson(sort_keys=true) }} {{ {1: 2, none: 3, true: 4, 1.5: 5}|tojson }}
{{ {'b': 1, 'a': 'é/<x>'}|tojson }} {{ {'b': 1, 'a': 'é/<x>😀'}|tojson(ensure_ascii=true) }} {{ {'b': 1, 'a': 'é/<x>'}|tojson(separators=(',', ':')) }}
{{ {'a': [1, {}], 'b': {}, 'c': []}|tojson(indent=2) }} {{ [1]|tojson(indent=0) }} {{ [1, 2]|tojson(indent='\t') }} {{ [1, 2]|tojson(indent=2, separators=(',', ': ')) }} {{ '\x00\x1f\x7f\u2028"\\\b\f\n\r\t'|tojson }} {{ '\x7f'|tojson(ensure_ascii=true) }}
{{ nosuch|tojson }}
{{ [nosuch]|tojson }}
{{ 1 is odd }} {{ 2 is even }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(4) }} {{ none is none }} {{ 1 is number }} {{ true is number }} {{ true is integer }} {{ 1 is integer }} {{ 1.0 is float }} {{ 'a' is string }} {{ [] is sequence }} {{ 'a' is sequence }} {{ d is sequence }} {{ d is mapping }} {{ [] is iterable }} {{ 5 is iterable }} {{ nosuch is iterable }} {{ range is callable }} {{ nosuch is callable }} {{ 5 is callable }}
{{ 'a' is lower }} {{ 'A' is upper }} {{ 1 is eq 1 }} {{ 1 is ne 2 }} {{ 1 is lt 2 }} {{ 1 is in [1] }} {{ 1 is not in [1] }} {{ none is sameas none }} {{ 1 is sameas 1.0 }} {{ true is true }} {{ 1 is true }} {{ false is false }} {{ true is boolean }} {{ 'upper' is filter }} {{ 'x' is filter }} {{ 'odd' is test }} {{ 3 is equalto 3 }} {{ 3 is greaterthan 2 }} {{ 'a' is eq('a') and true }}
{{ 'a' is odd }}
{{ 1 is nosuchtest }}
{% if false %}{{ 1|nosuchfilter }}{% endif %}fine
{% for i in [1] %}{{ 1|nosuchfilter }}{% endfor %}
{{ 1|nosuchfilter if false else 'fine' }}
{% for i in items %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }} {% endfor %}
{% for i in [1, 1, 2] %}{{ loop.cycle('a', 'b') }}{{ loop.changed(i) }}{{ loop.previtem }}{{ loop.nextitem }} {% endfor %}{% for i in [1] %}{{ loop.previtem is defined }}{{ loop.nextitem is defined }}{% endfor %}
{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{% for k in d %}{{ k }}{% endfor %}{% for c in 'aé😀' %}{{ c }}.{% endfor %}{% for a, (b, c) in [[1, [2, 3]]] %}{{ a }}{{ b }}{{ c }}{% endfor %}
{% for a, b in [1] %}{% endfor %}
{% for a, b in [[1, 2, 3]] %}{% endfor %}
{% for i in 5 %}{% endfor %}
{% for i in items if i > 1 %}{{ i }}{{ loop.index }}{{ loop.last }}{% else %}none{% endfor %} {% for i in items if i > 9 %}x{% else %}none{% endfor %}
{% for i in [] %}x{% else %}else{% endfor %} {% for i in [1] %}{% continue %}{% else %}else after continue{% endfor %} {% for i in [1, 2] %}{% if i == 2 %}{% break %}{% endif %}x{% else %}no{% endfor %} {% for i in [1] %}{% break %}{% else %}else after break{% endfor %}
{% for m in msg %}{% if m.role == 'assistant' %}{% break %}{% endif %}{{ m.content }}{% endfor %} {% for m in msg[::-1] %}{{ loop.index0 }}{{ m.n }}{% endfor %} {% for i in range(5) %}{% if i is odd %}{% continue %}{% endif %}{{ i }}{% endfor %}
{% for t in [[1, [2, [3]]]] recursive %}[{% for x in t %}{% if x is iterable %}{{ loop(x) if false else '' }}{% endif %}{% endfor %}]{% endfor %}{% for x in [1, [2, [3]]] recursive %}{% if x is iterable %}({{ loop(x) }}){% else %}{{ x }}@{{ loop.depth0 }}{% endif %}{% endfor %}
{% for i in [1] %}{{ loop([1]) }}{% endfor %}
{% set x = 1 %}{% for i in [1, 2] %}{{ x }}{% set x = x + 1 %}{{ x }} {% endfor %}{{ x }} {% if true %}{% set x = 9 %}{% endif %}{{ x }}
{% for i in [1, 2] %}{% if i == 2 %}{% set a = 5 %}{% endif %}{{ a }} {% endfor %}{{ a }} {% for i in [1, 2] %}{% set a = i %}{% endfor %}{{ a }}
{% macro m() %}{{ a }}{% endmacro %}{{ m() }}{% set a = 'later' %}{{ m() }}
{% macro m() %}{{ q }}{% endmacro %}{% for q in [1, 2] %}{{ m() }}{% endfor %}| {% for q in [1, 2] %}{% macro n() %}{{ q }}{% endmacro %}{{ n() }}{% endfor %}
{% set ns = namespace(x=1, y='a') %}{% for i in items %}{% set ns.x = ns.x + i %}{% endfor %}{{ ns.x }} {{ ns.y }} {{ ns.z }}| {{ ns['x'] }} {{ ns }} {% set ns.z, y = 1, 2 %}{{ ns.z }}{{ y }}
{% set nope.x = 1 %}
{% set ns = namespace(_x=1) %}
{% set a, b = 1, 2 %}{{ a }}{{ b }} {% set a, b = b, a %}{{ a }}{{ b }} {% set (c, d) = [3, 4] %}{{ c }}{{ d }} {% set t = 1, 2 %}{{ t }}
{% set a, b = 1 %}
{% set x %}a{{ 1 }}b{% endset %}{{ x }}{{ x is string }} {% set x | upper | replace('A', 'z') %}a{{ 1 }}b{% endset %}{{ x }} {% set y %}{% set x = 2 %}{{ x }}{% endset %}{{ x }}{{ y }}
{% filter upper %}a{{ 'b' }}{% endfilter %} {% filter replace('a', 'b')|trim %} aXa {% endfilter %} {% filter indent(2) %}a⏎b{% endfilter %}
{% with x = 1, y = 2 %}{{ x }}{{ y }}{% set z = 3 %}{% endwith %}{{ z }}| {% with %}{{ 1 }}{% endwith %} {% set x = 5 %}{% with x = 1, y = x %}{{ x }}{{ y }}{% endwith %}{{ x }}
{% macro f(a, b=2, c=a) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ f(1) }} {{ f(1, 3) }} {{ f(1, c=4) }} {{ f(b=5, a=6) }} {{ f() }} {{ f(*[7, 8]) }} {{ f(**{'a': 9}) }} {{ f.name }} {{ f.arguments }}
{% macro f(a) %}{{ a }}{% endmacro %}{{ f(1, 2) }}
{% macro f(a) %}{{ a }}{% endmacro %}{{ f(b=2) }}
{% macro f() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1, 2, x=3) }} {% macro g(a) %}{{ a }}{{ varargs|join('-') }}{% endmacro %}{{ g(1, 2, 3) }}
{% macro f() %}[{{ caller() }}]{% endmacro %}{% call f() %}in{% endcall %} {% macro g() %}{{ caller(1, 2) }}{% endmacro %}{% call(x, y) g() %}{{ x + y }}{% endcall %} {% macro h() %}{{ caller is defined }}{{ 'c' if caller }}{% endmacro %}{{ h() }} {% call h() %}{% endcall %}
{% macro f() %}x{% endmacro %}{% call f() %}in{% endcall %}
{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(5) }} {% macro a1() %}{{ b1() }}{% endmacro %}{% macro b1() %}b{% endmacro %}{{ a1() }} {% macro p(x) %}{% set x = x + 1 %}{{ x }}{% endmacro %}{{ p(1) }}
{{ range(3) }} {{ range(1, 10, 3)|list }} {{ range(5, 0, -2)|list }} {{ range(3)|length }} {{ range(5)[1:3] }} {{ range(10)[-1] }} {{ dict(a=1, b=2) }} {{ dict([['x', 1]]) }} {{ dict({'a': 1}, b=2) }}
{{ range(100001) }}
{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.reset() }}{{ c.current }} {% set j = joiner(', ') %}{% for i in items %}{{ j() }}{{ i }}{% endfor %}
{{ raise_exception('No.') }}
{% if a is string %}s{% elif a == 3 %}three{% else %}e{% endif %}{% if not a %}x{% endif %}{% if a > 2 and b < 0 or false %}y{% endif %}{% if n is none and nosuch is not defined %}z{% endif %}
{% generation %}a{{ 1 }}{% set zz = 5 %}{% endgeneration %}{{ zz }}| {% for m in msg %}{% generation %}{{ m.n }}{% endgeneration %}{% endfor %}
{% raw %}{{ x }} {% if %}{% endraw %} {%- raw -%}  a  {%- endraw -%}  b {# comment {{ x }} #}c{#- d -#} e
{% print 1, 'a' %} {% print %}| {%- if true -%}  x  {%- endif -%}  y {{- 1 -}}  z {%+ if true +%} w {% endif %}
{% include 'x' %}
{% if false %}{% include 'x' %}{% import 'y' as z %}{% extends 'w' %}{% from 'a' import b %}{% endif %}ok
{% nosuchtag %}
{% if x %}
{% endif %}
{% for %}{% endfor %}
{{ }}
{{ 1 + }}
{{ (1 }}
{{ 1 ] }}
{{ 'a }}
{{ a
{# a
{% break %}
{% for i in [1] %}{% macro f() %}{% break %}{% endmacro %}{% endfor %}
{% for i in [1] %}{% set loop = 1 %}{% endfor %}
{% macro f(a=1, b) %}{% endmacro %}
{{ f(a=1, 2) }}
{% set 1 = 2 %}
{% set a.b.c = 2 %}
{{ {[1]: 2} }}
{{ {1: 'a', true: 'b', 1.0: 'c'} }} {{ {'a': 1, 'a': 2} }} {{ {(1, 2): 3}[(1, 2)] }} {{ d[[1]] }}| {{ 'x' in {'x': 1} }}
{{ [] in {} }}
{{ 5 in 5 }}
{{ 1 in 'a' }}
{{ '' }}{{ 'a'|attr('upper') is callable }} {{ d|attr('k') is defined }} {{ -1|abs }} {{ (-1)|abs }} {{ 'a'.upper().lower()|upper }} {{ 'x'|format }} {{ '%s-%s'|format(1, 2) }} {{ '%(a)s'|format(a=1) }} {{ 2.5|string|length }} {{ 10000000000000000000000 + 1 }}
{{ a is defined and a is number }} {{ a is not string or b is none }} {{ not a is none }} {{ 1 if a else 2 }} {{ [1, 2,] }} {{ {'a': 1,} }} {{ (1, 2,) }} {{ f }} {{ f|int }} {{ 1 .real is defined }}
{{ 'a'⏎   ~ 'b' }} {{ [1,⏎2] }} {%⏎if true⏎%}t{% endif %} {{ "}}" }} {{ '%}' }} {{ {'a': {'b': 1}}.a.b }} {{ {'a': {'b': {}}} }}
"""

WHITESPACE = [
    "a\n{% if true %}\nb\n{% endif %}\nc\n",
    "a\n  {% if true %}  \n  b\n  {% endif %}\nc",
    "  {% set x = 1 %}  y",
    "  {{ 1 }}\n  {{ 2 }}\n",
    "a \n {%- if true %} b {% endif -%} \n c",
    "a\n  {%+ if true %}\nb{% endif %}",
    "{% if true +%}\na{% endif %}",
    "a\n  {# c #}\nb\n  {# d #} e",
    "a {#- c -#} b",
    "line\r\nnext\rlast\r\n",
    "{% raw %}\n a {{ b }}\n{% endraw %}\nx",
    "  {% raw -%}  a  {%- endraw %}\n  b",
    "\n\n{% if true %}\n\nx{% endif %}\n\n",
    "{{ 'a' }}\n",
    "{{ 'a' }}\n\n",
    "x{% if true %}{% endif %}\n{% if true %}\n{% endif %}\n",
    "a{{- ' b ' -}}c {{+ 1 }}",
    "  text {% if true %}  \nx{% endif %}",
    "\t{% for i in [1, 2] %}\n\t- {{ i }}\n\t{% endfor %}\nend",
    "{%- for i in [1, 2] -%}\n {{ i }} \n{%- endfor -%}\n",
    "{#-#}a{##}b{#+ x +#}\nc",
    "{% if true -%}\n\u3000x{% endif %}",
    "a\n\u00a0{% if true %}x{% endif %}",
    "{%if true%}x{%endif%}{%-if true-%}y{%-endif-%}",
    "{{'a'}}{{-'b'-}}",
    "{ {{ 1 }} } {% if true %}{{% endif %} }} %} #}",
]


SMALL_TEMPLATES = [line.replace("⏎", "\n") for line in SMALL.strip("\n").split("\n")]


def case(oracle, request):
    result = oracle.render(request)
    out = {"template": request["template"]}
    if "text" in result:
        out["text"] = result["text"]
    return out, result


def write(name, data):
    path = OUT / name
    path.write_text(json.dumps(data, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    size = path.stat().st_size
    assert size <= 200_000, (name, size)
    print(f"{name}: {size} bytes")


ADDRESS = re.compile(r" at 0x[0-9a-f]+|<[a-z_]+ object|<built-in|<bound|<function|<class|Cycler|Joiner|0x7")


def main():
    warnings.simplefilter("ignore")
    OUT.mkdir(parents=True, exist_ok=True)
    oracle = cases.Oracle()
    variables = dict(programs.VARIABLES)
    base = {"messages": [], "add_generation_prompt": True, "bos_token": "<s>", "eos_token": "</s>", "extra": variables}
    small = []
    for template in SMALL_TEMPLATES + WHITESPACE:
        made, result = case(oracle, {**base, "template": template})
        assert not ADDRESS.search(made.get("text", "")), made
        small.append(made)
        if "error" in result:
            print("refused:", template[:60].replace("\n", "\\n"), "|", result["error"][:90])
    write("small.json", {"variables": variables, "cases": small})
    generated, size, i = [], 0, 0
    while size < 150_000:
        request = programs.Generator(random.Random(77_000_000 + i)).request()
        i += 1
        made, result = case(oracle, {**request, "extra": variables})
        keep = "text" in made or i % 8 == 0
        if not keep or ADDRESS.search(made.get("text", "")) or len(made["template"]) > 1500 or len(made.get("text", "")) > 3000:
            continue
        generated.append(made)
        size += len(json.dumps(made, ensure_ascii=False).encode())
    write("generated.json", {"variables": variables, "cases": generated})


if __name__ == "__main__":
    sys.exit(main())

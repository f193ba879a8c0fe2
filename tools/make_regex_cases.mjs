// What ECMA-262's own regular expressions (node's, with the flag u) say of texts: writes tests/data/regex_cases.json.
// usage: node tools/make_regex_cases.mjs > tests/data/regex_cases.json
// Hand-picked patterns, and generated ones over a small alphabet; [pattern, reach, texts that match, texts that do not].
let seed = 12345;
const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648, Math.floor(seed / 65536) % n);
const pick = (all) => all[random(all.length)];

const picked = [
  ['^\\d+$', ['12', '1a', '', '߀', 'x1']],
  ['\\d', ['a1b', 'ab', '߀', '']],
  ['^\\w+$', ['ab_9', 'é', 'a-b', '']],
  ['\\W', ['ab', 'é', ' ', '_']],
  ['^\\s$', [' ', '\t', '\u00a0', '\ufeff', '\u2029', '\u180e', '\u200b', 'a']],
  ['^\\S$', [' ', 'a', '\u200b', '\u3000']],
  ['^.$', ['a', '\n', '\r', '\u2028', '\u0085', '😀', '']],
  ['^[^]$', ['\n', 'a', '']],
  ['[]', ['', 'a']],
  ['a|b|^c$', ['xa', 'c', 'xc', 'cb', 'd']],
  ['^(a|ab)(c|bcd)(d*)$', ['abcd', 'acd', 'abc', 'ac', 'abcdd', 'ad']],
  ['^(?:ab)*?c+?$', ['c', 'ababcc', 'abab', 'ac']],
  ['a^b|c', ['ab', 'c', 'a', 'b']],
  ['^^a$$', ['a', 'aa', '']],
  ['(^a|b$)+', ['a', 'xb', 'ba', 'x', 'xbx']],
  ['$^', ['', 'a']],
  ['^a{2,3}$', ['a', 'aa', 'aaa', 'aaaa']],
  ['^(a{0}b){2,}$', ['b', 'bb', 'bbbb', 'ab']],
  ['^(a*)*$', ['', 'aaa', 'b']],
  ['^(a*b*)+c$', ['c', 'abc', 'bac', 'ab']],
  ['^[\\d\\-a-c.]+$', ['1-b.', 'd', '-', '']],
  ['^[^\\d\\s]+$', ['ab', 'a b', '1', 'é']],
  ['^\\x41\\u0042\\u{43}\\cJ$', ['ABC\n', 'ABCJ', 'ABC']],
  ['^\\u{1F600}$', ['😀', '😁', '\\u{1F600}']],
  ['^\\uD83D\\uDE00$', ['😀', '😁']],
  ['^[😀-😂]{2}$', ['😀😂', '😀', '😃😀']],
  ['^\\p{Lu}\\p{Ll}+$', ['Éa', 'Ab', 'aB', 'Ωω', 'A1']],
  ['^\\p{Letter}\\P{L}$', ['é1', 'éa', '11']],
  ['^\\p{Nd}\\p{gc=Sc}$', ['1$', '߀€', '1a']],
  ['^\\t\\n\\v\\f\\r\\0$', ['\t\n\v\f\r\0', 'tnvfr0']],
  ['^[\\b]$', ['\b', 'b']],
  ['^\\/\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\^\\$\\\\$', ['/.*+?()[]{}|^$\\', '/']],
  ['["\\\\]', ['"', '\\', 'a', '\n']],
  ['^[\\x00-\\x1f]+$', ['\u0001\u001f\n', ' ', '']],
  ['^(?<year>\\d{4})-(?<month>\\d\\d)$', ['2024-05', '2024-5', '24-05']],
  ['^$', ['', ' ']],
  ['', ['', 'abc']],
  ['^.*[éß].*$', ['xéy', 'e', 'ß', '']],
  ['^(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)$', ['0', '9', '99', '100', '255', '256', '00', '']],
];

const alphabet = ['a', 'b', 'é', '"', '\\'];
const shown = ['a', 'b', 'é', '"', '\\\\', '.', '[ab]', '[^a]', '\\w', '\\W'];
function pattern(depth) {
  switch (random(depth > 3 ? 2 : 9)) {
    case 0: case 1: return pick(shown);
    case 2: return `(?:${pattern(depth + 1)}|${pattern(depth + 1)})`;
    case 3: return `(${pattern(depth + 1)})${pick(['*', '+', '?', '{2}', '{1,3}', '{2,}', '*?'])}`;
    case 4: return depth < 2 ? '^' + pattern(depth + 1) : pattern(depth + 1);
    case 5: return depth < 2 ? pattern(depth + 1) + '$' : pattern(depth + 1);
    case 6: return `(?:^|${pattern(depth + 1)})(?:$|${pattern(depth + 1)})`;
    default: return pattern(depth + 1) + pattern(depth + 1);
  }
}
function texts() {
  const all = [''];
  for (let i = 0; i < 14; ++i) all.push(Array.from({length: 1 + random(5)}, () => pick(alphabet)).join(''));
  return [...new Set(all)];
}

const cases = [...picked];
while (cases.length < picked.length + 300) cases.push([pattern(0), texts()]);
const out = [];
for (const [source, all] of cases) {
  const searched = new RegExp(source, 'u'), whole = new RegExp(`^(?:${source})$`, 'u');
  for (const [reach, regex] of [['anywhere', searched], ['whole', whole]]) {
    out.push(JSON.stringify([source, reach, all.filter((t) => regex.test(t)), all.filter((t) => !regex.test(t))]));
  }
}
console.log('[\n' + out.join(',\n') + '\n]');

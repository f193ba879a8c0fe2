"""What bench/compare.py found, as a page and as a picture. A result: {"machine", "runs": [{"date", "models": [name], "settings",
"versions": [text]}], "models": [{"name", "tests": [{"name", "more_is_better", "sides": {name: [a number for each round]},
"of_ceiling": {name: [a share for each round]}}], "failures": {side: {how: [test]}}}]}."""
import html
import json
import pathlib
import re
import statistics

ESTIMATED = "ik_llama.cpp, estimated"
PAIRS = [("puna", ("llama.cpp, repacking", "llama.cpp, as the file", ESTIMATED)), ("puna avx2", ("ik_llama.cpp avx2",))]
WHOLE_PROCESS = ["first token", "memory"]
ELSEWHERE = json.loads((pathlib.Path(__file__).resolve().parent / "ik_elsewhere.json").read_text())


def with_estimates(model):
    """The model with ik_llama.cpp as a side wherever it was measured beside llama.cpp on another machine: llama.cpp's speed here with
    the weights as the file has them, times what ik_llama.cpp was there of that."""
    known = ELSEWHERE["models"].get(model["name"], {})

    def estimated(test):
        kind = re.sub(r"^(pp|tg)\d+", r"\1", test["name"])
        measured = test["sides"].get("llama.cpp, as the file", [])
        if kind not in known or not measured:
            return test
        ik, llama = known[kind]
        return {**test, "sides": {**test["sides"], ESTIMATED: [value * ik / llama for value in measured]}}

    return {**model, "tests": [estimated(test) for test in model["tests"]]}


def place(test):
    """Rows stand in this order: alone, several sequences, at depth, whole processes."""
    return 3 if test["name"] in WHOLE_PROCESS else 2 if " @ " in test["name"] else 1 if " × " in test["name"] else 0


def add(models, model):
    """Puts a run's model among those that are there: its tests and sides replace their namesakes and stand beside the others."""
    there = next((m for m in models if m["name"] == model["name"]), None)
    if there is None:
        models.append(model)
        return
    for test in model["tests"]:
        same = next((t for t in there["tests"] if t["name"] == test["name"]), None)
        if same is None:
            there["tests"].append(test)
        else:
            same["sides"].update(test["sides"])
            same["of_ceiling"].update(test["of_ceiling"])
    there["tests"].sort(key=place)
    for side in {side for test in model["tests"] for side in test["sides"]}:
        measured = {test["name"] for test in model["tests"] if side in test["sides"]}
        kept = {how: [test for test in tests if test not in measured] for how, tests in there["failures"].get(side, {}).items()}
        for how, tests in model["failures"].get(side, {}).items():
            kept[how] = kept.get(how, []) + tests
        there["failures"][side] = {how: tests for how, tests in kept.items() if tests}


def add_run(runs, run):
    """Behind the others, in place of an earlier one of the same models, settings and peers."""
    def same(other):
        return all(other[key] == run[key] for key in ("models", "settings")) and other["versions"][1:] == run["versions"][1:]

    runs[:] = [other for other in runs if not same(other)] + [run]


def median(values):
    return statistics.median(values) if values else None


def spread(values):
    """Half of what lies between the largest and the smallest, as a share of the median."""
    return (max(values) - min(values)) / 2 / statistics.median(values)


def number(name, value):
    if name == "memory":
        return f"{value / 2**20:.0f} MiB"
    if name == "first token":
        return f"{value:.2f} s"
    return f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def ratio(test, ours, theirs):
    """How many times better than the best of theirs; None where either is missing."""
    own = median(test["sides"].get(ours, []))
    others = [m for m in (median(test["sides"].get(name, [])) for name in theirs) if m is not None]
    if own is None or not others:
        return None
    return own / max(others) if test["more_is_better"] else min(others) / own


def cell(test, side):
    values = test["sides"].get(side, [])
    if not values:
        return "–"
    shares = test.get("of_ceiling", {}).get(side, [])
    reads = test["name"].startswith("tg") and shares
    return (f"{number(test['name'], statistics.median(values))} ± {spread(values) * 100:.0f} %" +
            (f" ({statistics.median(shares) * 100:.0f} %)" if reads else ""))


def ratio_cell(value):
    if value is None:
        return "–"
    return f"**{value:.2f}**" if value >= 1 else f"{value:.2f}"


def used_pairs(model):
    names = {side for test in model["tests"] for side in test["sides"]}
    return [(ours, [t for t in theirs if t in names]) for ours, theirs in PAIRS if ours in names and any(t in names for t in theirs)]


def reason(reasons, model, test, ratios):
    """Kept by hand for rows that lose, or that win by less than was wanted."""
    kept = reasons.get(f"{model['name']}: {test['name']}") or reasons.get(test["name"])
    loses = any(r is not None and r < 1 for r in ratios)
    return kept or ("not explained yet" if loses else "")


def table(model, reasons):
    model = with_estimates(model)
    pairs = used_pairs(model)
    titles = ["test"]
    for ours, theirs in pairs:
        titles += [ours, *theirs, "ratio"]
    lines = ["| " + " | ".join(titles + ["reason"]) + " |", "|---" * (len(titles) + 1) + "|"]
    for test in model["tests"]:
        ratios = [ratio(test, ours, theirs) for ours, theirs in pairs]
        cells = [test["name"]]
        for (ours, theirs), value in zip(pairs, ratios):
            cells += [cell(test, ours), *(cell(test, name) for name in theirs), ratio_cell(value)]
        lines.append("| " + " | ".join(cells + [reason(reasons, model, test, ratios)]) + " |")
    return "\n".join(lines)


def failures(model):
    """What has no number, and why: a side that fails has not lost."""
    lines = [f"- {side}: {how} ({', '.join(tests)})" for side, found in model.get("failures", {}).items() for how, tests in found.items()]
    return "\n\nNot measured:\n\n" + "\n".join(lines) if lines else ""


def runs(result):
    return "\n".join(f"- {run['date']}, {', '.join(run['models'])}: {run['settings']}; {'; '.join(run['versions'])}" for run in result["runs"])


def page(result, reasons):
    return f"""# puna beside its peers

Written by `bench/compare.py`, not by hand; the reasons are in `bench/reasons.json`.

- machine: {result["machine"]}
{runs(result)}

Prompt (`pp`), generation (`tg`) and generation of several sequences together (`×`) are in tokens per second of all of them; `@ d` is
the number of tokens in the cache beforehand, with the type of its keys and values. `first token`: from the start of the program to the
first token of a prompt of 15; `memory`: what it had resident at most then. In brackets: what share that is of the speed at which
this machine could do nothing but read the weights, or multiply them, as measured in the same process. Python's own start and memory are not counted for the
peers. Each cell is the median of all rounds and half of what lies between the largest and the smallest; the ratio is how many times
better puna is than the best of the peers beside it, and bold where it wins. What a row lacks
could not be measured: the reason stands below the table, and the ratio is to what is left. {ESTIMATED}: its source does not
compile from its package, so it is llama.cpp as the file times what {ELSEWHERE["what"]}.

""" + "\n\n".join(f"## {model['name']}\n\n{table(model, reasons)}{failures(model)}" for model in result["models"]) + "\n"


# The picture: a bar for each test, as long as the ratio, from a line at 1.
WIDTH, LABEL, BAR, GAP, TOP = 760, 250, 16, 6, 64
BEYOND = 90  # room behind the longest bar for its number
COLOURS = {True: "#3b7d4f", False: "#b4552d"}


def bars(result):
    rows = []
    for model in map(with_estimates, result["models"]):
        found = [(test["name"], ratio(test, *used_pairs(model)[0])) for test in model["tests"]] if used_pairs(model) else []
        rows += [(model["name"], None), *((name, value) for name, value in found if value is not None)]
    return rows


def picture(result):
    rows = bars(result)
    longest = max([value for _, value in rows if value is not None] + [1.5])
    scale = (WIDTH - LABEL - BEYOND) / longest
    height = TOP + len(rows) * (BAR + GAP) + 16
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
           'font-family="system-ui, DejaVu Sans, sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{height}" rx="9" fill="#fbfaf7"/>',
           '<text x="16" y="26" font-size="16" font-weight="bold" fill="#222">puna ÷ the best peer: how many times better</text>',
           f'<text x="16" y="46" fill="#666">{html.escape(result["machine"])}; {html.escape(result["runs"][-1]["date"])}</text>']
    y = TOP
    for name, value in rows:
        middle = y + BAR - 4
        if value is None:
            out.append(f'<text x="16" y="{middle}" font-weight="bold" fill="#222">{html.escape(name)}</text>')
        else:
            out.append(f'<text x="{LABEL - 10}" y="{middle}" text-anchor="end" fill="#222">{html.escape(name)}</text>')
            out.append(f'<rect x="{LABEL}" y="{y}" width="{value * scale:.1f}" height="{BAR}" rx="2" fill="{COLOURS[value >= 1]}"/>')
            out.append(f'<text x="{LABEL + value * scale + 6:.1f}" y="{middle}" fill="#222">{value:.2f} ×</text>')
        y += BAR + GAP
    one = LABEL + scale
    out.append(f'<line x1="{one:.1f}" y1="{TOP - 6}" x2="{one:.1f}" y2="{height - 14}" stroke="#222" stroke-dasharray="4 3"/>')
    return "\n".join(out) + "\n</svg>\n"


def write(result, page_path, picture_path, reasons_path):
    reasons = json.loads(reasons_path.read_text()) if reasons_path.exists() else {}
    page_path.write_text(page(result, reasons))
    picture_path.write_text(picture(result))

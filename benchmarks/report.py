"""Write docs/machine.md and docs/machine.svg from what `machine.py --json` measured.

    python benchmarks/machine.py --json machine.json
    python benchmarks/report.py machine.json

Of several files, a row is the last one's that has it, the hardware the first's.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

from benchmarks.bars import bars  # noqa: E402
from benchmarks.machine import means, ratios, without  # noqa: E402
from benchmarks.peers import OURS  # noqa: E402

TITLE = "Seconds of each library over those of dask_tapestry: to the right is slower"
GOAL_COPY, GOAL_MEMORY = 1.3, 64e6

Result = dict[str, Any]


def merged(results: Sequence[Result]) -> Result:
    """One result of several: later rows replace earlier ones of the same name."""
    whole = dict(results[0])
    for part in ("rows", "first_calls", "memory"):
        found = {(row["name"], row.get("peer")): row for r in results for row in r[part]}
        whole[part] = list(found.values())
    runs = [f"{r['command']}  # at {r.get('commit', 'unknown')[:7]}" for r in results]
    whole["command"] = "\n".join(runs) if len(results) > 1 else results[0]["command"]
    whole["peers"] = list(dict.fromkeys(name for r in results for name in r["peers"]))
    whole["versions"] = {name: v for r in results for name, v in r["versions"].items()}
    return whole


def head(result: Result) -> Iterator[str]:
    """What was measured, where and how."""
    machine, versions = result["hardware"], result["versions"]
    installed = ", ".join(f"{name} {version}" for name, version in versions.items())
    yield "# Whole programs on one machine"
    yield (
        "Written by `python benchmarks/report.py` from what this command measured, on "
        f"{result['date']}, at commit `{result.get('commit', 'unknown')[:7]}`:"
    )
    yield f"```\n{result['command']}\n```"
    yield (
        f"Hardware: {machine['cores']} cores of an {machine['cpu']}, "
        f"{machine['memory'] / 2**30:.0f} GiB; {machine['system']}, Python {machine['python']}; "
        f"{installed}."
    )
    yield (
        "Every library runs the same function (numexpr the same formula) on arrays in memory, in "
        "one process, taking turns; best of the repeats, graph building and planning included and "
        f"compiling not. Inputs have {result['scale']:g} times the usual cells. Each result was "
        "compared with NumPy's first. Results of dask_tapestry take the memory of those of the "
        "repeat before, which is gone by then ([why](kernels.md#memory-is-used-again)); other "
        "libraries' and the copy's lie in fresh memory each time."
    )


def cell(seconds: float | None) -> str:
    """Seconds as milliseconds, with three digits that tell."""
    if seconds is None:
        return "–"
    digits = 4 if seconds < 1e-4 else 2 if seconds < 0.01 else 1 if seconds < 0.1 else 0
    return f"{1000 * seconds:.{digits}f}"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, all but the first column to the right."""
    lines = ["| " + " | ".join(columns) + " |", "|---|" + "--:|" * (len(columns) - 1)]
    return "\n".join([*lines, *["| " + " | ".join(row) + " |" for row in rows]])


def seconds_table(result: Result) -> str:
    peers = result["peers"]
    rows = []
    for row in result["rows"]:
        times = [cell(row["seconds"].get(name)) for name in peers]
        over = f"{ratios(row)['copy']:.2f}" if row["memory_bound"] and ratios(row) else ""
        rows.append([f"`{row['name']}`", *times, cell(row["seconds"]["copy"]), over])
    mean = means(result["rows"])
    others = [f"**{mean[name]:.2f}**" if name in mean else "" for name in peers[1:]]
    last = f"**{mean['copy']:.2f}**" if "copy" in mean else ""
    rows.append(["**geometric mean of peer / ours**", "", *others, "", last])
    return table(["milliseconds", *peers, "copy", "ours / copy"], rows)


def behind(result: Result) -> Iterator[str]:
    """The rows in which peers are faster, and which, the worst first."""
    found = []
    for row in result["rows"]:
        faster = sorted((r, n) for n, r in ratios(row).items() if n != "copy" and r < 1)
        if faster:
            told = ", ".join(f"{name} by {1 / ratio:.1f}" for ratio, name in faster)
            found.append((faster[0], f"- `{row['name']}`: {told}"))
    yield from (line for _, line in sorted(found))


def first_call_table(result: Result) -> str:
    rows = [
        [f"`{row['name']}`", row["peer"], *[cell(row[key]) for key in ("first", "second", "later")]]
        for row in result["first_calls"]
        if "error" not in row
    ]
    return table(["milliseconds in a new process", "library", "first", "second", "later"], rows)


def memory_table(result: Result) -> str:
    rows = [
        [f"`{row['name']}`", *[f"{row[k] / 1e6:.0f}" for k in ("inputs", "results", "above")]]
        for row in result["memory"]
        if "error" not in row
    ]
    return table(["MB", "inputs", "results", "above both"], rows)


def page(result: Result) -> str:
    """The page as Markdown."""
    parts = [*head(result), "![bars of the ratios](machine.svg)", "## Times"]
    parts.append(seconds_table(result))
    parts.append(
        "*copy* is a plain copy on all cores that moves as many bytes as the program must, into "
        "fresh memory; *ours / copy* stands where memory bounds the program, and the goal is "
        f"{GOAL_COPY}."
    )
    slower = list(behind(result))
    if slower:
        parts += ["Where a peer is faster, and by what:", "\n".join(slower)]
    missing = without(result["rows"])
    if missing:
        told = [f"- {n}, {why}: {', '.join(names)}" for (n, why), names in missing.items()]
        parts += ["What a library has not run, and why:", "\n".join(told)]
    if result["first_calls"]:
        parts += ["## First calls", first_call_table(result)]
        parts.append("*first* counts what the library compiles, *later* is after that is over.")
    if result["memory"]:
        parts += ["## Memory", memory_table(result)]
        parts.append(
            "What a fresh process holds at most above its inputs and results; the goal for a fused "
            f"program is {GOAL_MEMORY / 1e6:.0f} MB."
        )
    return "\n\n".join(parts) + "\n"


def picture(result: Result) -> str:
    """The ratios as bars, the geometric means first."""
    mean = {name: ratio for name, ratio in means(result["rows"]).items() if name != "copy"}
    groups = [("geometric mean", mean)]
    for row in result["rows"]:
        found = ratios(row)
        groups.append((row["name"], {name: found[name] for name in mean if name in found}))
    return bars(TITLE, groups)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="+", type=Path, help="what machine.py --json wrote")
    parser.add_argument("--folder", type=Path, default=ROOT / "docs")
    given = parser.parse_args()
    result = merged([json.loads(path.read_text("utf-8")) for path in given.results])
    if OURS.name not in result["peers"]:
        raise SystemExit(f"no figures of {OURS.name} in {', '.join(map(str, given.results))}")
    (given.folder / "machine.md").write_text(page(result), "utf-8")
    (given.folder / "machine.svg").write_text(picture(result), "utf-8")


if __name__ == "__main__":
    main()

"""Add what `machine.py --json` measured to the history that asv publishes, without running asv.

    python benchmarks/history.py machine.json
    asv publish --config benchmarks/asv.conf.json && asv preview --config benchmarks/asv.conf.json

A file `results/<machine>/<commit>-<environment>.json` in asv's format is written for each; the
scale is part of the environment, so figures of different sizes are different lines.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

BENCHMARK = (
    "machine.Programs.time_program"  # asv's name of the same figures in asv_suite/machine.py
)
VERSION = "1"
RESULTS = Path(__file__).resolve().parent / "results"

Result = dict[str, Any]


def machine(result: Result, name: str) -> dict[str, str]:
    """The machine as asv describes one."""
    found = result["hardware"]
    return {
        "arch": found["architecture"],
        "cpu": found["cpu"],
        "machine": name,
        "num_cpu": str(found["cores"]),
        "os": found["system"],
        "ram": str(found["memory"]),
    }


def entry(result: Result, name: str) -> dict[str, Any]:
    """The seconds of one run as asv's result of one commit."""
    python = result["hardware"]["python"]
    rows = {row["name"]: row["seconds"] for row in result["rows"]}
    peers = result["peers"]
    seconds = [rows[row].get(peer) for row, peer in product(rows, peers)]
    scale = f"{result['scale']:g}"
    return {
        "commit_hash": result["commit"],
        "env_name": f"machine-py{python}-scale{scale}",
        "date": result["commit_time"],
        "params": {**machine(result, name), "python": python, "scale": scale},
        "python": python,
        "requirements": result["versions"],
        "env_vars": {},
        "result_columns": ["result", "params", "version"],
        "results": {BENCHMARK: [seconds, parameters(rows, peers), VERSION]},
        "durations": {},
        "version": 2,
    }


def parameters(rows: Sequence[str] | dict[str, Any], peers: Sequence[str]) -> list[list[str]]:
    """Rows and peers, written as asv writes what parameters are."""
    return [[repr(row) for row in rows], [repr(peer) for peer in peers]]


def description(results: Sequence[Result]) -> dict[str, Any]:
    """What asv keeps of a benchmark beside its results; its parameters are all that were seen."""
    rows = list(dict.fromkeys(row["name"] for r in results for row in r["rows"]))
    peers = list(dict.fromkeys(peer for r in results for peer in r["peers"]))
    return {
        "code": "",
        "name": BENCHMARK,
        "param_names": ["program", "peer"],
        "params": parameters(rows, peers),
        "timeout": 120.0,
        "type": "time",
        "unit": "seconds",
        "version": VERSION,
    }


def write(path: Path, content: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    return path


def add(results: Sequence[Result], name: str, folder: Path = RESULTS) -> list[Path]:
    """Write the results into `folder`, as measured on the machine `name`."""
    if any("commit" not in result for result in results):
        raise SystemExit("a history needs commits: measure in a git checkout")
    known = folder / "benchmarks.json"
    benchmarks = json.loads(known.read_text("utf-8")) if known.exists() else {"version": 2}
    benchmarks.setdefault(BENCHMARK, description(results))
    written = [write(known, benchmarks)]
    written.append(
        write(folder / name / "machine.json", {**machine(results[0], name), "version": 1})
    )
    for result in results:
        made = entry(result, name)
        file = f"{made['commit_hash'][:8]}-{made['env_name']}.json"
        written.append(write(folder / name / file, made))
    return written


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="+", type=Path, help="what machine.py --json wrote")
    parser.add_argument("--machine", help="its name in the history; the default is the processor's")
    parser.add_argument("--folder", type=Path, default=RESULTS)
    given = parser.parse_args()
    results = [json.loads(path.read_text("utf-8")) for path in given.results]
    name = given.machine or "-".join(results[0]["hardware"]["cpu"].split())
    for path in add(results, name, given.folder):
        print(path)


if __name__ == "__main__":
    main()

"""Measures the tables that pages show, by the commands that stand above them.

    python docs/figures.py                         # all of them
    python docs/figures.py --only overheads,views  # of commands that hold one of these words
    python docs/figures.py --write                 # puts what was measured into the pages again

A table lies in a page between two comments, the first of which holds its command:

    <!-- figures: python benchmarks/overheads.py --repeats 10 -->
    <!-- end of figures -->

What the command prints, the commit, the date and the hardware are kept in `figures.json`, and what
stands between the comments is written from there alone: a test compares the two.

Tables whose commands take hours, need a cluster or other machines, or print something else, are
measured by hand. They lie between the same comments, the first of which is ``figures kept``:

    python docs/figures.py --keep benchmarks/storage.py < table.md  # measured here and now

A test fails where a table of figures lies elsewhere.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).parent
KEPT: Final = HERE / "figures.json"
BLOCK: Final = re.compile(
    r"(?P<begin><!-- figures(?P<kept> kept)?: (?P<command>[^\n]+?) -->\n)"
    r"(?P<text>.*?)(?P<end><!-- end of figures -->\n)",
    re.DOTALL,
)
NOTHING_KEPT: Final = {"DASK_TAPESTRY__KEEP_PLANS": "False"}  # each process plans what it times
Figures = dict[str, dict[str, Any]]  # by command: what it printed, where and when


def kept() -> Figures:
    """What was measured."""
    return json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}


def blocks(by_hand: bool | None = None) -> Iterator[tuple[Path, str, str]]:
    """Page, command and text of each table: those measured by hand, those that are not, or all."""
    for page in sorted(HERE.glob("*.md")):
        for block in BLOCK.finditer(page.read_text("utf-8")):
            if by_hand is None or by_hand is bool(block["kept"]):
                yield page, block["command"], block["text"]


def measured(command: str) -> dict[str, Any]:
    """Run a command of a page from the root of the checkout, in this environment."""
    root = HERE.parent
    program, *arguments = shlex.split(command)
    if program != "python":
        raise SystemExit(f"{command}: commands begin with python")
    paths = os.pathsep.join([str(root), str(root / "kernels")])
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=root,
        env={**os.environ, "PYTHONPATH": paths, **NOTHING_KEPT},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{command} ended with {done.returncode}")
    return entry(done.stdout)


def entry(output: str) -> dict[str, Any]:
    """What is kept of a table that was measured here and now."""
    return {
        "commit": commit(),
        "date": datetime.date.today().isoformat(),
        "hardware": hardware(),
        "output": output.strip("\n"),
    }


def commit() -> str:
    """The commit that is checked out, with a plus sign where files were changed since."""
    found, changed = (
        subprocess.run(
            ["git", *words], cwd=HERE, capture_output=True, text=True, check=False
        ).stdout
        for words in (["rev-parse", "--short=8", "HEAD"], ["status", "--porcelain", "-uno", ".."])
    )
    others = [line for line in changed.splitlines() if not line.split()[-1].startswith("docs/")]
    return found.strip() + ("+" if others else "")


def hardware() -> str:
    """Cores, processor and memory of this machine."""
    info = Path("/proc/cpuinfo")
    text = info.read_text("utf-8") if info.exists() else ""
    names = re.findall(r"^model name\s*: (.*?)(?: Processor)?$", text, re.MULTILINE)
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores of {names[0] if names else 'unknown'}, {total:.0f} GiB"


def written(command: str, figures: Figures, by_hand: bool = False) -> str:
    """What a page shows of a command; of one that is measured by hand the text around it tells."""
    one = figures.get(command)
    if one is None:
        return f"```\n{command}\n```\n\nNot measured yet.\n\n"
    said = one.get("said", "Measured")  # of a table that named no commit: since when it is there
    said += f" {one['date']} at commit `{one['commit']}`, {one['hardware']}."
    output = one["output"]
    table = output if output.startswith("|") else f"```text\n{output}\n```"
    shown = "" if by_hand else f"```\n{command}\n```\n\n"
    return f"{shown}{table}\n\n{said}\n\n"


def write_pages(figures: Figures) -> None:
    """Put into the pages what was measured."""
    for page in sorted({page for page, _, _ in blocks()}):
        text = page.read_text("utf-8")
        page.write_text(BLOCK.sub(partial(_shown, figures), text), "utf-8")


def _shown(figures: Figures, block: re.Match[str]) -> str:
    return block["begin"] + written(block["command"], figures, bool(block["kept"])) + block["end"]


def keep(word: str, figures: Figures, table: str) -> None:
    """Keep a table of the one command measured by hand that holds a word."""
    commands = {command for _, command, _ in blocks(by_hand=True) if word in command}
    if len(commands) != 1:
        raise SystemExit(f"{word}: {len(commands)} commands hold it, not one")
    figures[commands.pop()] = entry(table)


def main() -> None:
    """Measure, keep and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="words of commands, with commas")
    parser.add_argument("--write", action="store_true", help="measure nothing")
    parser.add_argument("--keep", metavar="WORD", help="take a table measured by hand from stdin")
    arguments = parser.parse_args()
    known = {command for _, command, _ in blocks()}
    figures = {command: one for command, one in kept().items() if command in known}
    if arguments.keep:
        keep(arguments.keep, figures, sys.stdin.read())
        KEPT.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for command in dict.fromkeys(command for _, command, _ in blocks(by_hand=False)):
        if arguments.keep:
            break
        if arguments.write or not any(word in command for word in arguments.only.split(",")):
            continue
        print(f"== {command}", flush=True)
        figures[command] = measured(command)
        print(figures[command]["output"], flush=True)
        KEPT.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", "utf-8")
    write_pages(figures)


if __name__ == "__main__":
    main()

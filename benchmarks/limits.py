"""Works beside what no program on this machine can avoid for them: memory, BLAS, files, codecs.

    python benchmarks/limits.py
    python benchmarks/limits.py --only exp_sum,stored --scale .25 --peers numpy --json limits.json

First come the rates of this machine on all cores, in the same run. Then each work with its limit:
its bytes read once (twice where a mean must be known before), those of its result written, into
memory that is used again; a loop that gathers and adds the same rows; the same products by BLAS; or
the store's files read, and decoded where there is a codec. A work, its limit and the peers take
turns, and each figure is the best of the repeats, graph building and planning included and
compiling not. *Times* are of the clock and of the processor, all threads together: other work on
the machine disturbs the second less. Peers are in times of the limit's clock.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import geometric_mean
from tempfile import TemporaryDirectory
from typing import Any, Final

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import numpy as np  # noqa: E402
from numcodecs import Blosc  # noqa: E402

import dask_tapestry as dt  # noqa: E402
from benchmarks import storage  # noqa: E402
from benchmarks.machine import commit, hardware, keep  # noqa: E402
from benchmarks.peers import BENCHED, OURS, PEERS, Cubed, Peer, as_tuple, named  # noqa: E402
from benchmarks.unavoidable import Copy, Files, Gather, Memory, Product, Read, Together, Write  # noqa: E402

MEMORY_BOUND: Final = (
    "take_rows_sum", "transpose_add", "histogram", "quadratic_means", "exp_sum", "cumulative_sum",
    "image", "std rows", "anomaly", "column_sum", "row_sum", "double_difference", "where_clip",
    "sum",
)  # fmt: skip
PRODUCTS: Final = ("mlp",)
SIDE: Final = 14_000  # of the stored array: 1.6 GB
STORED: Final[dict[str, tuple[int, Callable[[Any], Any]]]] = {  # with how often it is read
    "sum": (1, lambda x: x.sum()),
    "strided mean": (1, lambda x: x[::7, ::11].mean(axis=0)),
    "anomaly": (2, lambda x: (x - x.mean(axis=0)).std(axis=0)),
}
CODECS: Final = {"none": None, "blosc": Blosc("lz4")}  # a frame says how it was made
Seconds = tuple[float, float]  # of the clock, of the processor
Calls = dict[str, Callable[[], Any]]
LIMIT: Final = "limit"
PATIENCE: Final = 3.0  # seconds a work and library: one that has taken them is not repeated


def taken(call: Callable[[], Any]) -> Seconds:
    """Seconds of a call."""
    clock, processor = time.perf_counter(), time.process_time()
    result = call()
    found = time.perf_counter() - clock, time.process_time() - processor
    del result
    return found


def best(calls: Calls, repeats: int) -> dict[str, Seconds]:
    """The least seconds of each call; they take turns, those that take long fewer."""
    least: dict[str, Seconds] = {}
    spent = dict.fromkeys(calls, 0.0)
    for _ in range(repeats):
        for name, call in calls.items():
            if spent[name] < PATIENCE:
                found = taken(call)
                spent[name] += found[0]
                before = least.get(name, found)
                least[name] = min(found[0], before[0]), min(found[1], before[1])
    return least


def of_memory(memory: Memory, passes: int, read: int, written: int) -> Together:
    """Inputs read as often as needed and results written: as many of both as there are, copied."""
    both = min(read, written)
    parts = [Read(memory, read)] * (passes - 1) + [Copy(memory, 2 * both)]
    parts += [Read(memory, read - both)] * (read > both)
    parts += [Write(memory, written - both)] * (written > both)
    return Together(*(part for part in parts if part.amount))


def limit_of(name: str, inputs: Sequence[np.ndarray], results: Any, memory: Memory) -> Any:
    """The call that does what a work on arrays cannot avoid."""
    if name == "take_rows_sum":
        return Gather(*inputs)
    if name in PRODUCTS:
        return Product(*inputs)
    sizes = (sum(x.nbytes for x in arrays) for arrays in (inputs, results))
    return of_memory(memory, BENCHED[name].bench.passes, *sizes)


def row(name: str, calls: Calls, without: dict[str, str], repeats: int) -> dict[str, Any]:
    """A row of the ledger."""
    gc.collect()
    return {"name": name, "seconds": best(calls, repeats), "without": without}


def on_arrays(
    name: str, peers: Sequence[Peer], repeats: int, scale: float, memory: Memory
) -> dict[str, Any]:
    """The row of a work on arrays in memory."""
    comparison = BENCHED[name]
    inputs = comparison.bench.large(scale)
    calls: Calls = {}
    without = {}
    for peer in peers:
        refusal = peer.refusal(comparison)
        if refusal:
            without[peer.name] = refusal
            continue
        call = calls[peer.name] = peer.program(comparison, [peer.give(x) for x in inputs])
        if peer is OURS:
            peer.warm(call)
            calls = {LIMIT: limit_of(name, inputs, as_tuple(call()), memory), **calls}
    return row(name, calls, without, repeats)


def stored_name(name: str, codec: str) -> str:
    return f"stored {name}, {'no codec' if codec == 'none' else codec}"


def on_stores(folder: Path, codec: str, side: int, given: argparse.Namespace) -> Iterator[Any]:
    """The rows of works on a store, its cells of float32 precision as float64."""
    store = storage.make(folder / codec, side, codec)
    paths = sorted(path for path in (store / "c").rglob("*") if path.is_file())
    raw = Files(paths, len(paths) * storage.CHUNK**2, CODECS[codec])
    for name, (passes, work) in STORED.items():
        whole = stored_name(name, codec)
        if not chosen(whole, given.only):
            continue
        x = dt.from_zarr(store)
        calls: Calls = {
            LIMIT: Together(*[raw] * passes),
            OURS.name: lambda x=x, work=work: work(x).compute(scheduler="threads"),
        }
        if any(peer.name == "dask.array" for peer in given.peers):
            theirs = storage.da.from_zarr(str(store))
            calls["dask.array"] = lambda y=theirs, work=work: work(y).compute(scheduler="threads")
        OURS.warm(calls[OURS.name])
        yield row(whole, calls, {}, given.repeats)


def rates(memory: Memory, scale: float, repeats: int) -> list[dict[str, Any]]:
    """What this machine does in a second."""
    size = 8 * max(1, round(6000 * 6000 * scale))
    random = np.random.default_rng(0)
    ways = {
        "copy": Copy(memory, 2 * size),
        "read": Read(memory, size),
        "write": Write(memory, size),
        "gather rows of 512 bytes": Gather(*BENCHED["take_rows_sum"].bench.large(scale)),
        "multiply float64": Product(*random.standard_normal((2, 2000, 2000))),
        "multiply float32": Product(*random.standard_normal((2, 2000, 2000), np.float32)),
    }
    least = best(dict(ways), repeats)
    return [
        {"name": name, "rate": way.amount / least[name][0] / 1e9, "unit": way.unit}
        for name, way in ways.items()
    ]


def times(line: dict[str, Any], name: str, clock: int = 0) -> float | None:
    """How many times its limit a library takes."""
    found = line["seconds"].get(name)
    return None if found is None else found[clock] / line["seconds"][LIMIT][clock]


def mean(lines: Sequence[dict[str, Any]], clock: int) -> float:
    """The geometric mean of ours."""
    return geometric_mean(times(line, OURS.name, clock) for line in lines)


def table(result: dict[str, Any]) -> str:
    """Both tables as Markdown."""
    others = [name for name in result["peers"] if name != OURS.name]
    head = ["work", "limit ms", "ours ms", "times", "processor ms", "times", *others]
    lines = ["| | per second |", "|---|--:|"]
    lines += [f"| {r['name']} | {r['rate']:.1f} {r['unit']} |" for r in result["rates"]]
    lines += ["", "| " + " | ".join(head) + " |", "|---|" + "--:|" * (len(head) - 1)]
    for line in result["rows"]:
        limit, ours = (line["seconds"][name] for name in (LIMIT, OURS.name))
        cells = [f"{1000 * seconds:.1f}" for seconds in (limit[0], ours[0], ours[1])]
        told = [f"{times(line, OURS.name, clock):.2f}" for clock in (0, 1)]
        peers = [times(line, name) for name in others]
        shown = [cells[0], cells[1], told[0], cells[2], told[1]]
        shown += ["–" if found is None else f"{found:.2f}" for found in peers]
        lines.append(f"| {line['name']} | " + " | ".join(shown) + " |")
    bound = [line for line in result["rows"] if line["name"] in MEMORY_BOUND]
    if bound:
        means = [f"**{mean(bound, clock):.2f}**" for clock in (0, 1)]
        lines.append(
            f"| **geometric mean of the {len(bound)} in memory** | | | {means[0]} | | {means[1]} |"
            + " |" * len(others)
        )
    return "\n".join(lines)


def chosen(name: str, only: str) -> bool:
    """Whether a name starts as one of a list of names does."""
    return name.startswith(tuple(word.strip() for word in only.split(",")))


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="works whose names start as these do")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="cells, as a share of the usual")
    parser.add_argument("--peers", help="as numpy,jax; the default is all that are installed")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(words)
    asked = named(given.peers) if given.peers else PEERS
    others = [p for p in asked if p is not OURS and p.is_installed() and not isinstance(p, Cubed)]
    given.peers = [OURS, *others]
    return given


def measured(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The rows, one after the other."""
    memory = Memory()
    for name in (*MEMORY_BOUND, *PRODUCTS):
        if chosen(name, given.only):
            yield on_arrays(name, given.peers, given.repeats, given.scale, memory)
    side = max(1, round(SIDE * given.scale**0.5 / storage.CHUNK)) * storage.CHUNK
    for codec in CODECS:
        if any(chosen(stored_name(name, codec), given.only) for name in STORED):
            with TemporaryDirectory() as folder:
                yield from on_stores(Path(folder), codec, side, given)


def main(words: Sequence[str] | None = None) -> None:
    given = arguments(words)
    result: dict[str, Any] = {
        "scale": given.scale,
        "hardware": hardware(),
        **commit(),
        "peers": [peer.name for peer in given.peers],
        "rates": rates(Memory(), given.scale, given.repeats),
        "rows": [],
    }
    for line in measured(given):
        result["rows"].append(line)
        keep(result, given.json)  # a run that is stopped leaves what it has measured
    print(table(result))


if __name__ == "__main__":
    main()

"""Works as their users write them, on dask and on dask_tapestry: seconds, memory, and values.

    python benchmarks/workloads/run.py
    python benchmarks/workloads/run.py --on cluster --only "daily circulation,rolling mean"

Each work is one function that both libraries run. Each library runs each work in a process of its
own, on threads or on workers of 1 GB: the first time, then again with compiled kernels waited for.
Shown are the first seconds, the best and the processors' of a later run, the peak above what the
process took before, and tasks; of ours the seconds of planning in the first run.
What dask's xarray is given beside it, such as flox, is what is installed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from math import exp, log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

from benchmarks.cluster.compare import LIBRARIES, OURS, memory_of, processes, workers_of  # noqa: E402
from benchmarks.workloads import arrays, climate, data  # noqa: E402, F401
from benchmarks.workloads.meter import Meter  # noqa: E402
from benchmarks.workloads.workload import WORKLOADS, Session, cells  # noqa: E402

SAME = {"rtol": 1e-3, "atol": 1e-3, "equal_nan": True}  # of sums in single precision

LIMITS = {"best": 1.0, "cpu": 1.0, "peak": 1.1}  # of ours over dask's, before a work is named

Row = dict[str, Any]


def session(library: str, folder: Path, scale: float, target: str) -> Session:
    """A library, and the stores of a folder as it reads them."""
    import xarray as xr

    if library == OURS:
        import dask_tapestry as xp

        xp.xarray.use()
    else:
        import dask.array as xp

    def path(name: str) -> Path:
        return data.create(folder, name, scale)

    def dataset(name: str) -> Any:
        return xr.open_zarr(path(name), consolidated=False, chunks={})

    return Session(xp, lambda name: xp.from_zarr(str(path(name))), dataset, target)


def measure(library: str, name: str, options: argparse.Namespace) -> Row:
    """Run a work again and again; the values of the last run lie beside the stores."""
    work = WORKLOADS[name]
    row: Row = {"work": name, "library": library, "first": None, "best": None, "failed": ""}
    seconds: list[float] = []
    cpu: list[float] = []
    with workers_of(options.on) as client, TemporaryDirectory(dir=options.folder) as targets:
        meter = Meter(client)

        def once() -> Any:
            target = f"{targets}/{time.monotonic_ns()}.zarr"
            spent, begin = meter.cpu_seconds(), time.perf_counter()
            value = work.run(session(library, options.folder, options.scale, target))
            seconds.append(time.perf_counter() - begin)
            cpu.append(meter.cpu_seconds() - spent)
            return value

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            session(library, options.folder, options.scale, targets)  # imports are told elsewhere
            before = processes(client)
            start = {who: memory_of(pid)[0] for who, pid in before.items()}
            try:
                with meter.planning_timed() if library == OURS else meter.tasks_counted():
                    value = once()
                if library == OURS:
                    with meter.tasks_counted():
                        _warm(once)
                    del seconds[1:], cpu[1:]  # of a run that waits for compilers
                while len(seconds) < 2 + options.repeats and sum(seconds) < options.latest / 4:
                    value = once()
            except Exception as error:  # a row says so
                row["failed"] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
                traceback.print_exc()
            after = processes(client)
            alive = [who for who, pid in before.items() if after.get(who) == pid]
            row["peak"] = max((memory_of(before[who])[1] - start[who] for who in alive), default=0)
    if not row["failed"]:
        np.savez(options.folder / f"{library} {name}.npz", *cells(value))
        row |= {"first": seconds[0], "best": min(seconds[1:] or seconds)}
        row |= {"cpu first": cpu[0], "cpu": min(cpu[1:] or cpu)}
        row |= {"planning": meter.planning, "tasks": meter.tasks}
    return row


def _warm(once: Callable[[], Any]) -> None:
    """Run once with kernels waited for, and return when none is being compiled."""
    from dask_tapestry_kernels import compilation

    with compilation.mode("wait"):
        once()
    compilation.wait()


def apart(library: str, name: str, options: argparse.Namespace) -> Row:
    """`measure` in a process of its own."""
    told = ["--one", library, "--only", name, "--on", options.on, "--scale", str(options.scale)]
    told += ["--repeats", str(options.repeats), "--folder", str(options.folder)]
    failed = {"work": name, "library": library, "first": None, "best": None, "peak": 0}
    try:
        done = subprocess.run(
            [sys.executable, __file__, *told],
            capture_output=True, text=True, timeout=options.latest, check=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {**failed, "failed": f"> {options.latest:.0f} s"}
    except subprocess.CalledProcessError as error:
        sys.stderr.write(error.stderr)
        return {**failed, "failed": "lost"}
    if options.verbose:
        sys.stderr.write(done.stderr)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def same_values(name: str, folder: Path) -> bool:
    """Whether both libraries left the same values."""
    theirs, ours = (np.load(folder / f"{one} {name}.npz") for one in LIBRARIES)
    pairs = [(theirs[key], ours[key]) for key in theirs.files]
    return theirs.files == ours.files and all(
        a.shape == b.shape and np.allclose(a.astype(float), b.astype(float), **SAME)
        for a, b in pairs
    )


def compared(rows: Sequence[Row], folder: Path) -> Row:
    """The ratios of one work: of ours over dask's."""
    theirs, ours = rows
    both = not (theirs["failed"] or ours["failed"])
    return {
        "best": ours["best"] / theirs["best"] if both else None,
        "first": ours["first"] / theirs["first"] if both else None,
        "cpu": ours["cpu"] / theirs["cpu"] if both else None,
        "peak": ours["peak"] / max(theirs["peak"], 1) if both else None,
        "same": both and same_values(theirs["work"], folder),
    }


HEADING = (
    f"{'':28}{'first':>6} {'best':>6} {'cpu':>6} s {'peak':>5} MB {'tasks':>6}"
    f"  {'first':>6} {'best':>6} {'cpu':>6} s {'peak':>5} MB {'tasks':>6}  {'plan s':>6}"
    f"  {'first':>5} {'best':>5} {'cpu':>5} {'peak':>5}"
)


def line(rows: Sequence[Row], ratios: Row) -> str:
    """One work's row of the table."""
    parts = [
        f"{row['first']:6.2f} {row['best']:6.2f} {row['cpu']:6.2f} s {row['peak'] / 1e6:5.0f} MB"
        f" {row['tasks']:6d}"
        if not row["failed"]
        else f"{row['failed'][:38]:>38}"
        for row in rows
    ]
    if ratios["best"] is not None:
        parts.append(f"{rows[1]['planning']:6.2f}")
        values = "" if ratios["same"] else "  OTHER VALUES"
        shares = (ratios[name] for name in ("first", "best", "cpu", "peak"))
        parts.append(" ".join(f"{share:5.2f}" for share in shares) + values)
    return f"{rows[0]['work']:28}" + "  ".join(parts)


def means(results: Sequence[Row]) -> Iterator[str]:
    """Geometric means of the ratios of works that both libraries end."""
    for name in ("first", "best", "cpu", "peak"):
        known = [r[name] for r in results if r[name]]
        if known:
            yield f"{name}: {exp(sum(map(log, known)) / len(known)):.2f}, worst {max(known):.2f}"


def named(results: Sequence[Row]) -> Iterator[str]:
    """The works in which ours takes more than dask's, or has not its values."""
    for said, name in (("slower", "best"), ("more of processors", "cpu"), ("more memory", "peak")):
        worse = [r["rows"][0]["work"] for r in results if r[name] and r[name] > LIMITS[name]]
        yield f"{said}: {', '.join(worse) or 'none'}"
    other = [r["rows"][0]["work"] for r in results if r["best"] and not r["same"]]
    yield f"other values: {', '.join(other) or 'none'}"
    for library, row in zip(
        LIBRARIES, zip(*(r["rows"] for r in results), strict=True), strict=True
    ):
        failed = [f"{one['work']} ({one['failed']})" for one in row if one["failed"]]
        yield f"not ended by {library}: {', '.join(failed) or 'none'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", help="names of works, with commas")
    parser.add_argument("--on", choices=("cluster", "threads"), default="threads")
    parser.add_argument("--scale", type=float, default=0.5)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--latest", type=float, default=120.0, help="seconds for each library")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/dask-tapestry-workloads"))
    parser.add_argument("--json", type=Path, help="file for what is measured")
    parser.add_argument("--verbose", action="store_true", help="show errors and warnings")
    parser.add_argument("--one", choices=LIBRARIES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    chosen = options.only.split(",") if options.only else list(WORKLOADS)
    if options.one:
        print(json.dumps(measure(options.one, chosen[0], options)))
        return
    results = []
    print(f"{'':28}{LIBRARIES[0]:<40}{OURS:<48}ours over dask's", HEADING, sep="\n")
    for name in chosen:
        for needed in WORKLOADS[name].data:
            data.create(options.folder, needed, options.scale)
        rows = [apart(library, name, options) for library in LIBRARIES]
        results.append({"rows": rows, **compared(rows, options.folder)})
        print(line(rows, results[-1]), flush=True)
    print(*means(results), *named(results), sep="\n")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()

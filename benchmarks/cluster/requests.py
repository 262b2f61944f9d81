"""How often the works of `works.py` read each stored chunk, on a cluster of small workers.

    python benchmarks/cluster/requests.py
    python benchmarks/cluster/requests.py --only "heat,sum" --library dask.array --scale 0.3

*Requests* are openings of files of chunks, by the chunks that there are; *bytes* all that workers
read of files, by the bytes that are stored: rows of chunks that are not encoded are read alone, so
that a chunk may be opened twice and read once. Neither depends on the machine's load.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections import Counter
from math import ceil, prod
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

from benchmarks.cluster.compare import LIBRARIES, OURS, library, workers_of  # noqa: E402
from benchmarks.cluster.works import WORKS, Stored, create, stores  # noqa: E402


def count_openings() -> None:
    """Count, from now on, how often this process opens each file to read it."""
    has_hook = hasattr(sys, "opened")
    sys.opened = Counter()  # type: ignore[attr-defined]
    if has_hook:  # they stay
        return

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | os.PathLike):
            path, mode, flags = arguments
            if not (flags or 0) & (os.O_WRONLY | os.O_RDWR) and (mode is None or "r" in mode):
                sys.opened[os.fspath(path)] += 1  # type: ignore[attr-defined]

    sys.addaudithook(note)


def openings() -> dict[str, int]:
    """How often this process opened each file since `count_openings`."""
    return dict(sys.opened)  # type: ignore[attr-defined]


def bytes_read() -> int:
    """Bytes that this process has read of files."""
    found = re.search(r"rchar: (\d+)", Path("/proc/self/io").read_text())
    return int(found[1]) if found else 0


def count(name: str, work: str, place: str, folder: Path) -> tuple[Counter[str], int]:
    """Openings of each file in a folder, and bytes read, by all workers for one work."""
    import dask

    with workers_of(place) as client:

        def everywhere(function: Any) -> list[Any]:
            return [function()] if client is None else list(client.run(function).values())

        everywhere(count_openings)
        before = sum(everywhere(bytes_read))
        dask.compute(*WORKS[work].make(library(name, folder)))
        after = sum(everywhere(bytes_read))
        found: Counter[str] = Counter()
        for one in everywhere(openings):
            found.update({path: times for path, times in one.items() if f"{folder}/" in path})
        return found, after - before


def chunks_of(stored: Stored) -> int:
    """Chunks of a store."""
    return prod(ceil(n / c) for n, c in zip(stored.shape, stored.chunks, strict=True))


def told(work: str, sizes: dict[str, Stored], found: Counter[str], read: int) -> str:
    """A line of the table."""
    reads = WORKS[work].reads
    chunks, nbytes = 0, 0
    for name in reads:
        stored = sizes[name]
        chunks += chunks_of(stored)
        nbytes += prod(stored.shape) * np.dtype(stored.dtype).itemsize
    is_chunk = re.compile(rf"/({'|'.join(map(re.escape, reads))})\.zarr/c/")
    requests = sum(times for path, times in found.items() if is_chunk.search(path))
    return f"{work:20}{chunks:8}{requests:10}{requests / chunks:8.2f}{read / nbytes:8.2f}"


def main() -> None:
    """Count what the command line says, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", help="names of works, with commas")
    parser.add_argument("--on", choices=("cluster", "threads"), default="cluster")
    parser.add_argument("--library", choices=LIBRARIES, default=OURS)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--folder", type=Path, default=Path("/tmp/dask-tapestry-cluster"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    sizes = stores(options.scale)
    print(f"{'':20}{'chunks':>8}{'requests':>10}{'each':>8}{'bytes':>8}")
    for work in WORKS:
        if options.only and work not in options.only.split(","):
            continue
        for name in WORKS[work].reads:
            create(options.folder, name, sizes[name])
        found = count(options.library, work, options.on, options.folder)
        print(told(work, sizes, *found), flush=True)


if __name__ == "__main__":
    main()

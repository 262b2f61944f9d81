"""Reading and writing a Zarr array in a local folder, in GB/s, beside its files, zarr and Dask.

    python benchmarks/storage.py
    python benchmarks/storage.py --side 8000 --compressor zstd --way read --json storage.json
    python benchmarks/storage.py --pipeline zarrs.ZarrsCodecPipeline  # zarr's rows by zarrs

The array is (side, side) float64 in chunks of 2000 x 2000, in the page cache. `files` is the time
of reading its chunks' bytes into memory that is used again, or of writing such memory to as many
files: nothing that reads or writes a store can be quicker. The figures are the best of the repeats;
the bytes are those of the cells. *Work* is seconds of all threads, which other programs on the
machine lengthen less; *of files* says how many times those of the files.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask.array as da  # noqa: E402
import numpy as np  # noqa: E402
import zarr  # noqa: E402

import dask_tapestry as dt  # noqa: E402

CHUNK = 2000
COMPRESSORS = {"none": None, "zstd": "auto", "blosc": zarr.codecs.BloscCodec(cname="lz4")}


def make(folder, side, compressor):
    """Store random cells that compress to about three quarters, unless it is there."""
    if not folder.exists():
        options = {"compressors": COMPRESSORS[compressor], "chunks": (CHUNK, CHUNK)}
        array = zarr.create_array(folder, shape=(side, side), dtype="f8", **options)
        for row in range(0, side, CHUNK):
            cells = np.random.default_rng(row).random((min(CHUNK, side - row), side))
            array[row : row + CHUNK] = cells.astype("f4")
    return folder


def on_threads(threads, call, items):
    """Call a function for each item, on several threads."""
    if threads == 1:
        list(map(call, items))
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(call, items))


def chunks_of(side):
    """Slices of each chunk."""
    return [np.s_[i : i + CHUNK, j : j + CHUNK] for i in range(0, side, CHUNK)
            for j in range(0, side, CHUNK)]  # fmt: skip


class Memory:
    """Memory of each thread, which all that it reads goes into."""

    def __init__(self, files):
        import threading

        self.size, self.local = max(f.stat().st_size for f in files), threading.local()

    def read(self, path):
        if not hasattr(self.local, "memory"):
            self.local.memory = bytearray(self.size)
        with open(path, "rb", buffering=0) as file:
            file.readinto(self.local.memory)


def reads(folder, side, threads):
    """Ways to read all cells of an array, by name."""
    files = sorted(p for p in (folder / "c").rglob("*") if p.is_file())
    memory, array = Memory(files), zarr.open_array(folder, mode="r")
    x, y = dt.from_zarr(folder), da.from_zarr(str(folder))
    on = {"scheduler": "threads", "num_workers": threads}
    mine = dt.from_zarr(folder).node.operator
    boxes = [dt.ZRange([s.start for s in c], [min(s.stop, side) for s in c])
             for c in chunks_of(side)]  # fmt: skip
    place = np.empty((threads, CHUNK, CHUNK))
    free = list(place)

    def ours(box):
        out = free.pop()
        mine.read(box, out[: box.shape[0], : box.shape[1]])
        free.append(out)

    yield "files", lambda: on_threads(threads, memory.read, files)
    yield "ours, chunk by chunk", lambda: on_threads(threads, ours, boxes)
    yield "zarr, chunk by chunk", lambda: on_threads(threads, array.__getitem__, chunks_of(side))
    yield "sum, ours", lambda: x.sum().compute(**on)
    yield "sum, dask.array", lambda: y.sum().compute(**on)
    yield "mean(0), ours", lambda: x.mean(axis=0).compute(**on)
    yield "mean(0), dask.array", lambda: y.mean(axis=0).compute(**on)


def writes(folder, side, threads, compressor):
    """Ways to write as many cells, by name."""
    place = folder.parent / "written"
    cells = np.random.default_rng(0).random((side, side)).astype("f4").astype("f8")
    options = {"compressors": COMPRESSORS[compressor], "chunks": (CHUNK, CHUNK)}
    chunk = cells[:CHUNK, :CHUNK].tobytes()
    on = {"scheduler": "threads", "num_workers": threads}

    def fresh():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()

    def to_files():
        fresh()
        on_threads(threads, lambda n: (place / str(n)).write_bytes(chunk),
                   range(len(chunks_of(side))))  # fmt: skip

    def by_zarr():
        fresh()
        array = zarr.create_array(place / "x", shape=cells.shape, dtype="f8", **options)
        on_threads(threads, lambda c: array.__setitem__(c, cells[c]), chunks_of(side))

    def ours():
        fresh()
        told = {"chunks": CHUNK, "compressors": options["compressors"]}
        dt.asarray(cells).to_zarr(place / "x", **told, **on)

    def by_dask():
        fresh()
        array = zarr.create_array(place / "x", shape=cells.shape, dtype="f8", **options)
        da.from_array(cells, chunks=CHUNK).store(array, **on)

    yield "files", to_files
    yield "to_zarr, ours", ours
    yield "to_zarr, zarr chunk by chunk", by_zarr
    yield "to_zarr, dask.array", by_dask


def measured(rows, size, repeats, only, **said):
    """Seconds of each way; the figures are printed as they come."""
    files, found = None, []
    for name, call in rows:
        if only and only not in name and name != "files":
            continue
        call()
        walls, works = [], []
        for _ in range(repeats):
            start, begun = time.perf_counter(), time.process_time()
            call()
            walls.append(time.perf_counter() - start)
            works.append(time.process_time() - begun)
        best, work = min(walls), min(works)
        files = files or (best, work)
        told = " ".join(map(str, said.values()))
        print(
            f"| {name} | {told} | {best:.3f} | {size / best / 1e9:.2f} | {best / files[0]:.2f} "
            f"| {work:.3f} | {work / files[1]:.2f} |"
        )
        found.append({"name": name, "seconds": best, "work": work, "bytes": size, **said})
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--side", type=int, default=14000)
    parser.add_argument("--folder", type=Path, help="of arrays that are kept")
    parser.add_argument("--compressor", choices=COMPRESSORS, default="none")
    parser.add_argument("--way", choices=["read", "write", "both"], default="both")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="part of the names of rows")
    parser.add_argument("--pipeline", help="class of the codecs' pipeline that zarr is to use")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.pipeline:
        zarr.config.set({"codec_pipeline.path": given.pipeline})
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        base = given.folder or Path(scratch)
        folder = make(base / f"{given.compressor}-{given.side}", given.side, given.compressor)
        size = given.side**2 * 8
        told = {"repeats": given.repeats, "only": given.only, "compressor": given.compressor}
        print("| what | compressor, way, threads | s | GB/s | of files | work, s | of files |")
        print("|---|---|--:|--:|--:|--:|--:|")
        for threads in given.threads:
            if given.way != "write":
                ways = reads(folder, given.side, threads)
                rows += measured(ways, size, **told, way="read", threads=threads)
            if given.way != "read":
                ways = writes(folder, given.side, threads, given.compressor)
                rows += measured(ways, size, **told, way="write", threads=threads)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()

"""The image job, timed and weighed beside dask.array.

    python benchmarks/image_job.py --gb 2 --repeats 3
    python benchmarks/image_job.py --gb 0.5 --weights float16 --uncompressed --libraries dask

A Zarr store of uint8 images X becomes Y = float16(X) / 255 and Z = relu(Y @ W + b), both written
to Zarr, Y computed once. Every run is a fresh process on the threaded scheduler; libraries take
turns. Seconds count graph building, planning and computing, not imports; CPU seconds are those of
the whole process. peak_mib is the memory of the process and its children at its highest, used_mib
what of it the job took (the rest is imports and weights). Stores live in a temporary folder and
are removed.

With --codec default each library's to_zarr chooses the compressor of what it writes; zstd, blosc
and none give both libraries the same one. Compare seconds only beside the stored sizes.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

IMAGE_BYTES = 256 * 256 * 3
OUT = 64
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def weights(dtype):
    import numpy as np

    rng = np.random.default_rng(0)
    w = rng.standard_normal((IMAGE_BYTES, OUT), dtype="float32")
    w /= IMAGE_BYTES**0.5
    b = rng.standard_normal(OUT, dtype="float32")
    return w.astype(dtype, copy=False), b.astype(dtype, copy=False)


def compressors(codec):
    """What zarr.create_array takes for a codec of the command line."""
    from zarr.codecs import BloscCodec, ZstdCodec

    if codec == "zstd":
        return ZstdCodec()
    if codec == "blosc":
        return BloscCodec(cname="zstd", clevel=1, shuffle="shuffle")
    return None if codec == "none" else "auto"


def create_targets(folder, count, job, dtype):
    """Stores for Y and Z with the job's codec; with the default one to_zarr creates them."""
    import zarr

    chunk, codec = job["chunk"], compressors(job["codec"])
    y = zarr.create_array(
        folder / "y.zarr",
        shape=(count, 256, 256, 3),
        chunks=(chunk, 256, 256, 3),
        dtype="float16",
        compressors=codec,
    )
    z = zarr.create_array(
        folder / "z.zarr",
        shape=(count, OUT),
        chunks=(chunk, OUT),
        dtype=dtype,
        compressors=codec,
    )
    return y, z


def run_dask(job, folder, w, b):
    import dask
    import dask.array as da

    x = da.from_zarr(folder / "x.zarr")
    y = x.astype("float16") / 255
    w = da.from_array(w, chunks=-1)
    z = da.maximum(y.reshape(len(x), -1) @ w + b, 0)
    if job["codec"] != "default":
        targets = create_targets(folder, len(x), job, z.dtype)
        sinks = da.store([y, z], targets, lock=False, compute=False)
    else:
        sinks = (
            da.to_zarr(y, folder / "y.zarr", compute=False),
            da.to_zarr(z, folder / "z.zarr", compute=False),
        )
    dask.compute(*sinks, scheduler="threads", num_workers=job["threads"])


def run_tapestry(job, folder, w, b):
    import dask

    import dask_tapestry as dt

    dask.config.set(scheduler="threads", num_workers=job["threads"])
    x = dt.from_zarr(folder / "x.zarr", dims=("batch", "height", "width", "channel"))
    y = x.astype("float16") / 255
    z = dt.nn.relu(dt.nn.linear(y.reshape(len(x), -1), dt.asarray(w), dt.asarray(b)))
    if job["codec"] != "default":
        targets = create_targets(folder, len(x), job, z.dtype)
        pairs = zip((y, z), targets, strict=True)
        sinks = [dt.to_zarr(value, target, compute=False) for value, target in pairs]
    else:
        sinks = [
            dt.to_zarr(y, folder / "y.zarr", compute=False),
            dt.to_zarr(z, folder / "z.zarr", compute=False),
        ]
    dt.compute(*sinks)


LIBRARIES = {"tapestry": run_tapestry, "dask": run_dask}


def work(job):
    """One measured run. Prints its seconds and peak, before anything checks the result."""
    started = time.perf_counter()
    import psutil
    import zarr  # noqa: F401

    if job["library"] == "dask":
        import dask.array  # noqa: F401
    else:
        from dask_tapestry import ones  # noqa: F401  (the import alone brings in nothing)
    imported = time.perf_counter()
    w, b = weights(job["weights"])
    held = psutil.Process().memory_info().rss
    start = time.perf_counter()
    LIBRARIES[job["library"]](job, Path(job["folder"]), w, b)
    seconds = time.perf_counter() - start
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "seconds": seconds,
        "import_seconds": imported - started,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_mib": usage.ru_maxrss / 1024,
        "held_mib": held / 2**20,
    }


def prepare(job):
    sys.path.insert(0, str(EXAMPLES))
    from pictures import write_pictures

    path = f"{job['folder']}/x.zarr"
    codec = None if job["codec"] == "none" else "auto"
    start = time.perf_counter()
    write_pictures(path, job["count"], job["chunk"], compressors=codec)
    return {"seconds": time.perf_counter() - start}


def check(job):
    """Compare the first, a middle and the last images with NumPy, and weigh the stores."""
    import numpy as np
    import zarr

    folder = Path(job["folder"])
    x, y, z = (zarr.open_array(folder / f"{name}.zarr", mode="r") for name in "xyz")
    w, b = weights(job["weights"])
    for row in (0, job["count"] // 2, job["count"] - 1):
        image = x[row].astype("float16") / 255
        np.testing.assert_array_equal(y[row], image)
        linear = image.ravel().astype("float32") @ w.astype("float32") + b
        tolerance = 1e-4 if job["weights"] == "float32" else 2e-2
        np.testing.assert_allclose(z[row], np.maximum(linear, 0), rtol=tolerance, atol=tolerance)
    sizes = {
        name: sum(f.stat().st_size for f in (folder / f"{name}.zarr").rglob("*") if f.is_file())
        for name in "xyz"
    }
    return {"stored_mb": {name: size / 1e6 for name, size in sizes.items()}}


STAGES = {"prepare": prepare, "work": work, "check": check}


def resident(process):
    """Bytes held by a process and its children."""
    import psutil

    total = 0
    with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
        for each in (process, *process.children(recursive=True)):
            total += each.memory_info().rss
    return total


def in_process(stage, job):
    """Run one stage in a fresh process; return what it measured, with its peak memory."""
    import psutil

    threads = str(job["blas_threads"])
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = os.environ | dict.fromkeys(names, threads)
    command = [sys.executable, __file__, "--stage", stage, "--job", json.dumps(job)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    peak = 0

    def watch():
        nonlocal peak
        process = psutil.Process(child.pid)
        while child.poll() is None:
            peak = max(peak, resident(process))
            time.sleep(0.05)  # more often would take a tenth of a core from the job

    watcher = threading.Thread(target=watch)
    watcher.start()
    output = child.stdout.read()
    child.wait()
    watcher.join()
    if child.returncode:
        raise SystemExit(f"{stage} of {job.get('library', 'the store')} failed")
    result = json.loads(output.splitlines()[-1])
    if "peak_mib" in result:
        result["peak_mib"] = max(result["peak_mib"], peak / 2**20)
        result["used_mib"] = result["peak_mib"] - result["held_mib"]
    return result


def compare(arguments, folder):
    job = {
        "folder": str(folder),
        "count": max(1, round(arguments.gb * 1e9 / IMAGE_BYTES)),
        "chunk": arguments.chunk,
        "threads": arguments.threads,
        "blas_threads": arguments.blas_threads,
        "weights": arguments.weights,
        "codec": "none" if arguments.uncompressed else arguments.codec,
    }
    made = in_process("prepare", job)
    print(f"generated {arguments.gb} GB in {made['seconds']:.1f} s", file=sys.stderr)
    runs = {library: [] for library in arguments.libraries}
    for _ in range(arguments.repeats):
        for library in arguments.libraries:
            os.sync()  # so that no run pays for the pages of the one before
            run = in_process("work", job | {"library": library})
            run |= in_process("check", job)
            runs[library].append(run)
            print(f"{library}: {run['seconds']:.2f} s, {run['peak_mib']:.0f} MiB", file=sys.stderr)
            for name in ("y.zarr", "z.zarr"):
                shutil.rmtree(folder / name)
    return summary(job, runs)


def summary(job, runs):
    run_keys = ("seconds", "cpu_seconds", "peak_mib", "held_mib", "used_mib", "import_seconds")
    medians = {
        library: {key: statistics.median(run[key] for run in each) for key in run_keys}
        for library, each in runs.items()
    }
    report = {"job": {k: v for k, v in job.items() if k != "folder"}, "medians": medians}
    report["stored_mb"] = {library: each[-1]["stored_mb"] for library, each in runs.items()}
    if {"tapestry", "dask"} <= runs.keys():
        ours, theirs = medians["tapestry"], medians["dask"]
        report["dask_over_tapestry"] = {
            key: theirs[key] / ours[key]
            for key in ("seconds", "cpu_seconds", "peak_mib", "used_mib")
        }
    report["runs"] = runs
    return report


def table(report):
    keys = ("seconds", "cpu_seconds", "peak_mib", "used_mib")
    lines = [f"{'library':10}" + "".join(f"{key:>13}" for key in keys) + f"{'Y stored MB':>13}"]
    for library, row in report["medians"].items():
        cells = "".join(f"{row[key]:13.2f}" for key in keys)
        lines.append(f"{library:10}{cells}{report['stored_mb'][library]['y']:13.0f}")
    if "dask_over_tapestry" in report:
        ratio = report["dask_over_tapestry"]
        lines.append(f"{'ratio':10}" + "".join(f"{ratio[key]:13.2f}" for key in keys))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gb", type=float, default=2, help="size of X (uint8)")
    parser.add_argument("--chunk", type=int, default=64, help="images in a stored chunk")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--blas-threads", type=int, default=1, help="as Dask's docs advise")
    parser.add_argument("--weights", choices=("float32", "float16"), default="float32")
    parser.add_argument("--codec", choices=("default", "zstd", "blosc", "none"), default="default")
    parser.add_argument("--uncompressed", action="store_true", help="short for --codec none")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=[*LIBRARIES])
    parser.add_argument("--dir", default=None, help="where the temporary folder is made")
    parser.add_argument("--json", default=None, help="also write the report to this file")
    parser.add_argument("--stage", choices=STAGES, help=argparse.SUPPRESS)
    parser.add_argument("--job", type=json.loads, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.stage:
        print(json.dumps(STAGES[arguments.stage](arguments.job)))
        return
    with tempfile.TemporaryDirectory(dir=arguments.dir) as folder:
        report = compare(arguments, Path(folder))
    text = json.dumps(report, indent=1)
    if arguments.json:
        Path(arguments.json).write_text(text)
    else:
        print(text)
    print(table(report))


if __name__ == "__main__":
    main()

"""Images in, two Zarr stores out: Y = float16(X) / 255 and Z = relu(linear(Y)).

    python examples/image_job.py                       # 100 MB on this machine's threads
    python examples/image_job.py --images 10000 --cluster   # the same on a local cluster

The plan is printed, and saved as a page beside the stores.
"""

import argparse
import contextlib
import time
from pathlib import Path

import numpy as np
import zarr
from distributed import Client, LocalCluster
from pictures import write_pictures

import dask_tapestry as dt


def weights() -> tuple[np.ndarray, np.ndarray]:
    """Those of the layer, the same in each run."""
    rng = np.random.default_rng(0)
    w = rng.standard_normal((256 * 256 * 3, 64), dtype="float32") / 443  # ~ sqrt(rows of w)
    return w, rng.standard_normal(64, dtype="float32")


def build(folder: Path, w: np.ndarray, b: np.ndarray, resume: bool = False) -> tuple:
    """The two lazy sinks of the job. Nothing is read or written yet.

    They replace what is there, or go on with it.
    """
    x = dt.from_zarr(folder / "x.zarr", dims=("batch", "height", "width", "channel"))
    y = x.astype("float16") / 255
    z = dt.nn.relu(dt.nn.linear(y.reshape(len(x), -1), dt.asarray(w), dt.asarray(b)))
    how = {"overwrite": not resume, "resume": resume, "compute": False}
    return dt.to_zarr(y, folder / "y.zarr", **how), dt.to_zarr(z, folder / "z.zarr", **how)


def check(folder: Path, w: np.ndarray, b: np.ndarray) -> None:
    """Compare the first, the middle and the last image of both stores with NumPy."""
    x, y, z = (zarr.open_array(folder / f"{name}.zarr", mode="r") for name in "xyz")
    for row in (0, x.shape[0] // 2, x.shape[0] - 1):
        image = x[row].astype("float16") / 255
        np.testing.assert_array_equal(y[row], image)
        np.testing.assert_allclose(
            z[row], np.maximum(image.ravel().astype("float32") @ w + b, 0), rtol=1e-4, atol=1e-4
        )


def megabytes(store: Path) -> float:
    return sum(file.stat().st_size for file in store.rglob("*") if file.is_file()) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=512)
    parser.add_argument("--out", type=Path, default=Path("demo-output"))
    parser.add_argument("--cluster", action="store_true", help="run on Client(LocalCluster())")
    arguments = parser.parse_args()
    folder = arguments.out
    folder.mkdir(parents=True, exist_ok=True)

    write_pictures(str(folder / "x.zarr"), arguments.images)
    w, b = weights()

    with contextlib.ExitStack() as stack:
        if arguments.cluster:
            client = stack.enter_context(Client(stack.enter_context(LocalCluster())))
            print("dashboard:", client.dashboard_link)

        start = time.perf_counter()
        sinks = build(folder, w, b)
        plan = dt.plan(*sinks)
        print(plan.explain())
        plan.visualize(str(folder / "plan.html"))
        planned = time.perf_counter()
        if arguments.cluster:
            futures = client.compute(sinks)
            dt.progress(futures)
            client.gather(futures)
        else:
            with dt.ProgressBar():
                dt.compute(*sinks)
        done = time.perf_counter()

    check(folder, w, b)
    print("three rows of both stores agree with NumPy")
    print(f"planned in {planned - start:.3f} s, ran in {done - planned:.2f} s")
    for name in "xyz":
        array = zarr.open_array(folder / f"{name}.zarr", mode="r")
        stored = megabytes(folder / f"{name}.zarr")
        size = f"{array.nbytes / 1e6:.1f} MB, {stored:.1f} stored"
        print(f"{name}: {array.shape} {array.dtype}, {size}")
    print("the plan as a page:", folder / "plan.html")


if __name__ == "__main__":  # LocalCluster starts processes that import this file
    main()

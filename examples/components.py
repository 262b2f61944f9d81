"""Principal components of noisy spectra, and a regression, with dask.array or ours.

    python examples/components.py                 # both, with timings
    python examples/components.py --rows 1000000  # 512 MB

`analyse` is written for dask.array, whose `solve` needs SciPy; `main` calls it with each library in
turn and compares.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask.array  # noqa: E402
import numpy as np  # noqa: E402

import dask_tapestry  # noqa: E402

Values = dict[str, Any]
ROUNDS = 3  # of both libraries by turns; the least seconds count
CHANNELS, PARTS = 64, 4  # of a spectrum, and what it is made of


def analyse(da: ModuleType, cells: np.ndarray) -> Values:
    """Singular values, shares of variance, a histogram of scores and a fit of the first channel."""
    x = da.from_array(cells, chunks=(50_000, CHANNELS))
    centred = x - x.mean(axis=0)
    u, s, v = da.linalg.svd(centred, full_matrices=False)
    scores = da.dot(centred, v[:PARTS].T)
    variance = s**2 / (s**2).sum()
    counts, _ = da.histogram(da.fabs(scores[:, 0]), bins=50, range=(0, 20))
    rest = x[:, 1 : PARTS + 1]
    fit = da.linalg.solve(da.dot(rest.T, rest), da.dot(rest.T, x[:, 0]))
    kept = da.where(da.fabs(centred) > 3 * centred.std(axis=0), da.nan, centred)
    names = ("singular values", "variance", "orthogonal", "scores", "fit", "without outliers")
    orthogonal = da.allclose(da.dot(u.T, u), da.eye(CHANNELS, chunks=CHANNELS))
    values = da.compute(s, variance, orthogonal, counts, fit, da.nanmean(kept, axis=0))
    return dict(zip(names, values, strict=True))


def made(rows: int) -> np.ndarray:
    """Spectra of a few parts in random amounts, and noise."""
    random = np.random.default_rng(0)
    amounts = random.normal(0, 2, (rows, PARTS)) * np.arange(PARTS, 0, -1)
    return amounts @ random.normal(0, 1, (PARTS, CHANNELS)) + random.normal(0, 1, (rows, CHANNELS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    cells = made(parser.parse_args().rows)
    libraries = (dask.array, dask_tapestry)
    least: dict[str, float] = {}
    found: dict[str, Values] = {}
    for _ in range(ROUNDS):
        for library in libraries:
            begun = time.perf_counter()
            found[library.__name__] = analyse(library, cells)
            seconds = time.perf_counter() - begun
            least[library.__name__] = min(seconds, least.get(library.__name__, seconds))
    for name, expected in found["dask.array"].items():
        np.testing.assert_allclose(
            found["dask_tapestry"][name], expected, rtol=1e-6, atol=1e-9, err_msg=name
        )
        print(f"{name}: equal, {np.asarray(expected).shape}")
    for name, seconds in least.items():
        print(f"{name}: {seconds:.2f} s")


if __name__ == "__main__":
    main()

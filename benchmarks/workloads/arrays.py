"""Works of imaging, statistics and numerics, as users of arrays write them."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.workloads.workload import Session, workload

ARRAY = "coiled/benchmarks tests/benchmarks/test_array.py"
ZARR = "coiled/benchmarks tests/benchmarks/test_zarr.py"
EXAMPLES = "dask/dask-examples"
IMAGES = "dask-image's manual"


@workload(f"{ARRAY}, test_basic_sum", "thin")
def sum_of_thin_columns(s: Session) -> Any:
    return s.load("thin").sum(axis=1).compute()


@workload(f"{ARRAY}, test_vorticity", "scans")
def vorticity(s: Session) -> Any:
    xp = s.xp
    u = s.load("scans").astype("f4")
    v = u[::-1]
    dx, dy = np.ones((u.shape[1] + 1, u.shape[2]), "f4"), np.full(u.shape[2], 2, "f4")
    up, vp = (xp.pad(x, [(0, 0), (0, 1), (0, 0)], mode="wrap") for x in (u, v))
    return (dx * up - dy * vp).mean(axis=0).compute()


@workload(f"{ARRAY}, test_double_diff", "square")
def double_difference(s: Session) -> Any:
    x = s.load("square")
    return abs(x[1:, 1:] - x[:-1, :-1]).max().compute()


@workload(f"{ARRAY}, test_dot_product", "square")
def dot_product(s: Session) -> Any:
    x = s.load("square")[:2000]
    return (x @ x.T).sum().compute()


@workload(f"{ARRAY}, test_map_overlap_sample", "square")
def sample_of_overlaps(s: Session) -> Any:
    x = s.load("square").rechunk(100)
    return x.map_overlap(lambda x: x, depth=1, boundary=None)[500:510, 500:510].compute()


@workload(f"{ZARR}, test_filter_then_average", "cube")
def mean_above(s: Session) -> Any:
    x = s.load("cube")
    return [float(x[x > limit].mean().compute()) for limit in (50, 100, 200)]


@workload(f"{ZARR}, test_access_slices", "cube")
def corner(s: Session) -> Any:
    return s.load("cube")[:75, :75, :75].compute()


@workload(f"{ZARR}, test_sum_residuals", "cube")
def sum_of_residuals(s: Session) -> Any:
    x = s.load("cube")
    return (x - x.mean(axis=0)).sum().round(3).compute()


@workload("coiled/benchmarks tests/benchmarks/test_rechunk.py", "square")
def rows_to_columns(s: Session) -> Any:
    x = s.load("square").rechunk((100, -1)).rechunk((-1, 100))
    x.to_zarr(s.target)
    import zarr

    return zarr.open_array(s.target, mode="r")[::50]


@workload("pangeo-data/distributed-array-examples, issue 1", "square")
def x_plus_transpose(s: Session) -> Any:
    x = s.load("square")
    return (x + x.T).sum(axis=0).compute()


@workload(f"{EXAMPLES} array.ipynb", "square")
def strided_mean(s: Session) -> Any:
    x = s.load("square")
    y = x + x.T
    return y[::2, 500:].mean(axis=1).compute()


@workload(f"{EXAMPLES} applications/stencils", "square")
def smoothed(s: Session) -> Any:
    def stencil(x: Any) -> Any:
        y = x.copy()
        y[1:-1, 1:-1] = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) / 4
        return y

    x = s.load("square")
    return x.map_overlap(stencil, depth=1, boundary="none").max(axis=0).compute()


@workload(f"{EXAMPLES} applications/embarrassingly-parallel", "rows")
def black_scholes(s: Session) -> Any:
    xp, x = s.xp, s.load("rows")
    spot, strike, years = 80 + 40 * x[:, 0], 80 + 40 * x[:, 1], 0.1 + x[:, 2]
    low = (xp.log(spot / strike) + 0.05 * years) / (0.2 * xp.sqrt(years))
    return xp.exp(-low * low).mean().compute()


@workload(f"{IMAGES}, ndfilters", "scans")
def blurred_and_counted(s: Session) -> Any:
    x = s.load("scans").astype("f4")
    for axis in (1, 2):
        x = sum(0.2 * s.xp.roll(x, k, axis=axis) for k in (-2, -1, 0, 1, 2))
    return (x > 130).sum(axis=(1, 2)).compute()


@workload("scikit-image's gallery", "scans")
def flat_field(s: Session) -> Any:
    x = s.load("scans").astype("f4")
    field = x.mean(axis=0)
    return (x / field * field.mean()).max(axis=(1, 2)).compute()


@workload("napari's manual", "scans")
def projections(s: Session) -> Any:
    x = s.load("scans")
    return s.xp.stack([x.max(axis=0), x.min(axis=0)]).compute()


@workload("scikit-image's gallery", "scans")
def histogram_of_each_image(s: Session) -> Any:
    counts, _ = s.xp.histogram(s.load("scans"), bins=256, range=(0, 256))
    return counts.compute()


@workload("scikit-learn's manual, StandardScaler and PCA", "rows")
def principal_components(s: Session) -> Any:
    x = s.load("rows")
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    _, d, _ = s.xp.linalg.svd(x)
    return d.compute()


@workload(f"{EXAMPLES} machine-learning/glm", "rows")
def logistic_steps(s: Session) -> Any:
    xp, x = s.xp, s.load("rows").persist()
    y = (x[:, 0] > 0.5).astype("f4").persist()
    weights = np.zeros(x.shape[1], "f4")
    for _ in range(20):
        off = 1 / (1 + xp.exp(-(x @ weights))) - y
        weights = weights - 0.5 / x.shape[0] * (x.T @ off).compute()
    return weights


@workload("scikit-learn's manual, KMeans", "rows")
def k_means_steps(s: Session) -> Any:
    _xp, x = s.xp, s.load("rows").persist()
    centers = x[:8].compute()
    for _ in range(5):
        far = ((x[:, None, :] - centers) ** 2).sum(axis=-1)
        label = far.argmin(axis=1)
        one = (label[:, None] == np.arange(len(centers))).astype("f4")
        sums, counts = one.T @ x, one.sum(axis=0)
        from dask import compute

        sums, counts = compute(sums, counts)
        centers = sums / counts[:, None]
    return centers


@workload("SciPy's manual, lstsq", "rows")
def regression(s: Session) -> Any:
    x = s.load("rows")
    y = x.sum(axis=1) + x[:, 0] ** 2
    found = s.xp.linalg.solve((x.T @ x).astype("f8"), (x.T @ y).astype("f8"))
    return found.compute()


@workload("pandas' manual, percentiles", "rows")
def covariances(s: Session) -> Any:
    x = s.load("rows")
    off = x - x.mean(axis=0)
    return (off.T @ off / (x.shape[0] - 1)).compute()


@workload(f"{EXAMPLES} array.ipynb", "square")
def power_iteration(s: Session) -> Any:
    x = s.load("square").persist()
    v = np.ones(x.shape[1])
    for _ in range(20):
        v = (x @ v).compute()
        v /= np.sqrt((v * v).sum())
    return v


@workload("NumPy's manual, convolution by roll", "square")
def heat(s: Session) -> Any:
    xp, x = s.xp, s.load("square")[:2000, :2000]
    for _ in range(10):
        x = x + 0.1 * (sum(xp.roll(x, k, a) for k in (-1, 1) for a in (0, 1)) - 4 * x)
    return x.mean(axis=0).compute()


@workload("Conway's game of life", "square")
def game_of_life(s: Session) -> Any:
    xp, x = s.xp, (s.load("square")[:1500, :1500] > 0.7).astype("i1")
    for _ in range(8):
        around = sum(
            xp.roll(x, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)
        )
        x = ((around == 3) | ((x == 1) & (around == 2))).astype("i1")
    return x.compute()


@workload("SciPy's manual, spectra", "square")
def spectra(s: Session) -> Any:
    x = s.load("square").rechunk((-1, 200))
    return (abs(s.xp.fft.rfft(x - x.mean(axis=0), axis=0)) ** 2).mean(axis=1).compute()


@workload("NumPy's manual, percentile", "square")
def percentile_of_rows(s: Session) -> Any:
    x = s.load("square").rechunk((200, -1))
    return s.xp.median(x, axis=1).compute()


@workload(f"{EXAMPLES} array.ipynb", "rows")
def largest(s: Session) -> Any:
    return s.xp.topk(s.load("rows")[:, 0], 100).compute()


@workload("dask.array's manual, apply_along_axis", "cube")
def user_function_along_an_axis(s: Session) -> Any:
    x = s.load("cube")[:100, :100].rechunk((-1, -1, -1)).rechunk((25, 25, -1))
    made = s.xp.apply_along_axis(_range, 2, x, dtype="f8", shape=())
    return made.compute()


def _range(x: np.ndarray) -> float:
    return float(x.max()) - float(x.min())


@workload("dask.array's manual, map_blocks", "scans")
def user_function_by_blocks(s: Session) -> Any:
    made = s.load("scans").map_blocks(_equalised, dtype="f4")
    return made.mean(axis=(1, 2)).compute()


def _equalised(x: np.ndarray) -> np.ndarray:
    low, high = x.min(axis=(1, 2), keepdims=True), x.max(axis=(1, 2), keepdims=True)
    return ((x - low) / (high - low)).astype("f4")


@workload("scikit-image's gallery, mosaics of tiles that overlap", "scans")
def feathered_mosaic(s: Session) -> Any:
    tiles = s.load("scans")[:8].astype("f4")
    side = tiles.shape[1]
    ramp = np.minimum(np.arange(1, side + 1), np.arange(side, 0, -1)).astype("f4")
    weight, step = np.minimum(ramp[:, None], ramp), side // 10
    pads = [((0, 0), (step * k, step * (7 - k))) for k in range(8)]
    cells = sum(s.xp.pad(tiles[k] * weight, pad) for k, pad in enumerate(pads))
    return (cells / np.maximum(sum(np.pad(weight, pad) for pad in pads), 1)).compute()

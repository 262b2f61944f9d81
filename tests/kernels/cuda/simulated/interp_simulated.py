"""Interpolation in the simulator is the CPU's, which is NumPy's."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated.run_kernel import run

INF = np.inf
POINTS = {
    "some": [-3.0, -1.0, 0.1, 0.7, 4.0],
    "one": [0.1],
    "two": [-1.0, 0.7],
    "twice": [-1.0, -1.0, 0.1, 0.7, 0.7, 0.7, 2.0],
    "infinite": [-INF, -1.0, 0.7, INF],
    "zeros": [-1.0, -0.0, 0.0, 1.0],
}
SPECIAL = [
    -INF,
    -9.0,
    -3.0,
    -1.0,
    -0.0,
    0.0,
    0.1,
    0.25,
    0.7,
    1.5,
    4.0,
    9.0,
    INF,
    np.nan,
    1e300,
    5e-324,
]
ENDS = [(None, None), (-7.0, None), (None, 2.5), (np.nan, INF)]


def check(cells, points, values, left=None, right=None, period=None):
    told = {"left": left, "right": right, "period": period}
    given = cells, np.asarray(points), np.asarray(values)
    expected = CPU["interp"](None, *given, **told)
    made = run(CUDA["interp"], None, *given, **told)
    assert made.dtype == expected.dtype
    assert same_bits(np.ascontiguousarray(made), np.ascontiguousarray(expected))


def heights(count, kind):
    """Values, with those that make NaN between them."""
    made = np.array([1.5, 0.1, -INF, -INF, 2.0, 7.0, np.nan])[:count]
    if kind == "c":
        return made + np.array([0.3j, INF * 1j, 2j, 2j, -1j, 0.1j, 1j])[:count]
    return made


@pytest.mark.covering
@pytest.mark.parametrize("kind", "fc")
@pytest.mark.parametrize("points", POINTS)
@pytest.mark.parametrize(("left", "right"), ENDS)
def test_special_cells(gpu, kind, points, left, right):
    known = POINTS[points]
    cells = np.array(SPECIAL)
    check(cells, known, heights(len(known), kind), left, right)
    smooth = np.cos(np.arange(len(known))) * (1 if kind == "f" else 1 + 0.3j)
    check(cells, known, smooth, left, right)


@pytest.mark.covering
@pytest.mark.parametrize("kind", "fc")
@pytest.mark.parametrize("period", [1.0, 0.3, 360.0])
@pytest.mark.parametrize("points", ["some", "one", "twice"])
def test_periods(gpu, kind, period, points):
    known = POINTS[points][::-1]
    check(np.array(SPECIAL), known, heights(len(known), kind)[::-1], period=period)


@pytest.mark.parametrize("kind", "fc")
def test_cells_lie_anyhow(gpu, kind):
    x, known = np.linspace(-4, 5, 240).reshape(12, 20), np.array(POINTS["some"])
    values = np.cos(known) * (1 if kind == "f" else 2 - 1j)
    for cells in (
        x,
        x.T,
        x[::-1, ::3],
        np.broadcast_to(x[:, :1], (12, 5)),
        x[:0],
        x[3:4, 4].reshape(()),
    ):
        check(cells, known, values)
    check(x, np.repeat(known, 2)[::2], np.repeat(values, 2)[::2])
    out = np.zeros((20, 12), values.dtype).T
    assert run(CUDA["interp"], out, x, known, values, left=None, right=None, period=None).any()
    assert same_bits(np.ascontiguousarray(out), np.interp(x, known, values))

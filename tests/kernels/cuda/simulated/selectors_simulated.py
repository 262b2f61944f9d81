"""Selectors and generators in the simulator have the cells of the CPU's."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.device_error import KernelDeviceError
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated.run_kernel import run

X = np.random.default_rng(2).normal(size=(4, 5, 5))


def check(name, *blocks, **told):
    expected = CPU[name](None, *blocks, **told)
    got = run(CUDA[name], None, *blocks, **told)
    assert same_bits(got, expected)
    return got


VIEWS = {
    "slices": {
        "index": (slice(1, 3), slice(None, None, -2)), "order": (0, 1, 2), "shape": (2, 3, 5)
    },
    "turned": {"index": (2,), "order": (1, 0), "shape": (5, 5)},
    "repeated": {"index": (), "order": (2, 0, 1), "broadcast": (1,), "shape": (5, 3, 4, 5)},
    "diagonal": {"index": (), "order": (0, 1, 2), "runs": (1, 2), "shape": (4, 5)},
    "diagonals repeated": {
        "index": (), "order": (1, 2, 0), "runs": (2, 1), "broadcast": (0,), "shape": (2, 5, 4)
    },
    "none": {"index": (slice(0),), "order": (0, 1, 2), "shape": (0, 5, 5)},
}  # fmt: skip


@pytest.mark.parametrize("name", VIEWS)
def test_views(gpu, name):
    check("view", X, **{"broadcast": (), **VIEWS[name]})
    assert not gpu.launches


def test_blocks_are_themselves(gpu):
    assert same_bits(run(CUDA["identity"], None, X), X)


@pytest.mark.parametrize(
    ("step", "pace", "shape"), [(1, 1, (4, 3, 5, 3)), (2, 2, (4, 2, 5, 2)), (1, 1, (4, 0, 5, 6))]
)
def test_windows(gpu, step, pace, shape):
    check("windows", X, axis=1, step=step, pace=pace, shape=shape)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_blocks_are_joined(gpu, axis):
    empty = X.take([], axis)
    check("concat", X, empty, X[::-1].copy(), axis=axis)
    check("concat", empty, X, axis=axis)
    check("concat", empty, empty, axis=axis)


def test_blocks_are_put_at_their_places(gpu):
    left, right = X[:, :2], X[:, 2:]
    places = [(slice(0, 4), slice(3, 5), slice(0, 5)), (slice(0, 4), slice(0, 3), slice(0, 5))]
    check("mosaic", left, right, places=places, shape=(4, 5, 5))
    check("mosaic", X, places=[(slice(0, 4),) * 3], shape=X.shape)


@pytest.mark.parametrize("kind", "bBhHiIlLefd")
def test_ranges_of_every_dtype(gpu, kind):
    with np.errstate(all="ignore"):
        first, delta = (np.array(n).astype(kind)[()] for n in (0.1 if kind in "efd" else 7, 3.3))
    for places in (range(70), range(5, 90, 7), range(9, -5, -2), range(0)):
        check("arange", first=first, delta=delta, places=places, dtype=np.dtype(kind))


def test_ranges_of_times_are_refused(gpu):
    told = {"first": np.int64(0), "delta": np.int64(1), "places": range(3)}
    with pytest.raises(KernelDeviceError, match=r"kernel arange: dtype datetime64\[s\]"):
        CUDA["arange"](None, **told, dtype=np.dtype("M8[s]"))


@pytest.mark.parametrize("value", [np.float32(1.5), np.int8(-3), np.True_])
def test_one_value_everywhere(gpu, value):
    check("full", value=value, shape=(3, 4))
    check("full", value=value, shape=())
    out = np.zeros((2, 3), value.dtype)
    assert same_bits(run(CUDA["full"], out, value=value, shape=(2, 3)), np.full((2, 3), value))


def test_coordinates(gpu):
    for axis in (0, 1, 2):
        check(
            "index",
            axis=axis,
            places=range(3, 12, 2),
            shape=tuple(5 if d == axis else 2 for d in range(3)),
        )

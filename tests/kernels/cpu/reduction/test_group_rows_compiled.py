import numpy as np
import pytest

from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import group_leaves, group_rows_compiled
from dask_tapestry_kernels.cpu.reduction.group_leaves import GroupedLeaf, group_states
from dask_tapestry_kernels.cpu.reduction.group_rows_compiled import added, source
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(9)
MEAN = [("sum", "f8"), ("count", "i8")]
SPREAD = [("count", "i8"), ("mean", "f8"), ("m2", "f8")]


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


def drawn(dtype, shape):
    wide = RANDOM.normal(size=shape) * 10.0 ** RANDOM.integers(-9, 9, shape)
    wide[RANDOM.random(shape) < 0.02] = -0.0
    if np.dtype(dtype).kind == "f":
        wide[RANDOM.random(shape) < 0.05] = np.nan
        wide[RANDOM.random(shape) < 0.01] = np.inf
    with np.errstate(all="ignore"):
        return wide.astype(dtype)


def laid(values, layout):
    """The same cells, lying otherwise."""
    if layout == "columns":
        return np.asfortranarray(values)
    if layout == "apart":
        return np.repeat(np.repeat(values, 2, 0), 3, 1)[::2, ::3]
    return values


@pytest.mark.covering(together=1)  # dtypes have kernels of their own
@pytest.mark.parametrize("layout", ["rows", "columns", "apart"])
@pytest.mark.parametrize("width", [1, 3, 4, 9, 300])
@pytest.mark.parametrize("skipna", [False, True])
@pytest.mark.parametrize(
    ("dtype", "monoid", "state"),
    [
        ("f4", "nanmean", MEAN), ("f8", "nanmean", MEAN), ("i2", "nanmean", MEAN),
        ("f4", "nanvar", SPREAD), ("f8", "nanvar", SPREAD), ("f4", "sum", "f4"),
        ("f8", "sum", "f8"), ("i4", "sum", "i8"), ("u8", "sum", "u8"), ("?", "sum", "i8"),
        ("?", "nanmean", MEAN),
    ],
)  # fmt: skip
def test_sums_have_the_bits_of_the_way_through_numpy(
    dtype, monoid, state, width, layout, skipna, monkeypatch
):
    values, numbers = laid(drawn(dtype, (1500, width)), layout), RANDOM.integers(0, 7, 1500)
    leaf = GroupedLeaf(values, numbers, 8, np.dtype(state), 0, skipna)
    asked = []
    monkeypatch.setattr(group_rows_compiled, "SMALL", 0)
    monkeypatch.setattr(
        group_leaves, "added", lambda *given, **how: asked.append(added(*given, **how)) or asked[-1]
    )
    with np.errstate(all="ignore"):
        compiled = group_states(monoid, leaf)
        monkeypatch.setattr(group_leaves, "added", lambda *_, **__: None)
        assert same_bits(compiled, group_states(monoid, leaf))
    assert (dtype, state) == ("?", "i8") or None not in asked


def test_what_is_left_out_is_told():
    values = np.ones((3000, 2))
    values[7, 1] = values[9, 0] = np.nan
    numbers = np.zeros(3000, np.intp)
    left = [added(values, numbers, 2, values.dtype, skipna) for skipna in (True, False)]
    assert [one.left_out for one in left] == [2, 0]
    assert left[0].table.tolist() == [[2999, 2999], [0, 0]]
    assert np.isnan(left[1].table[0]).all()


@pytest.mark.parametrize("dtype", ["f2", "c16", "g", ">f8", "M8[s]", "U3"])
def test_other_cells_are_left_to_numpy(dtype):
    assert source(np.dtype(dtype), np.dtype("f8"), True) is None
    assert (
        added(np.zeros((5000, 1), dtype), np.zeros(5000, np.intp), 1, np.dtype("f8"), True) is None
    )


def test_rows_from_the_last_on_and_few_cells_are_left_to_numpy():
    values, numbers = RANDOM.normal(size=(5000, 2)), np.zeros(5000, np.intp)
    assert added(values[::-1], numbers, 1, values.dtype, True) is None
    assert added(values[:10], numbers[:10], 1, values.dtype, True) is None

"""Folds to try, and their bits beside those of the CPU's kernels."""

import numpy as np

from dask_tapestry.cells import Tree
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated.run_kernel import run

GENERATOR = np.random.default_rng(4)


def arguments(dtype, shape, name, axes, **ways):
    extents = tuple(shape[axis] for axis in axes)
    result, state = MONOIDS[name].dtypes(np.dtype(dtype), None)
    told = {"monoid": name, "axes": axes, "tree": Tree(extents), "ddof": 0.0}
    told |= {"origin": (0,) * len(axes), "dtype": result, "state": state}
    return {**told, "source": None, "target": None, **ways}


def check(blocks, name, axes, **ways):
    dtype = ways["expression"].dtype if "expression" in ways else blocks[0].dtype
    told = arguments(dtype, blocks[0].shape, name, axes, **ways)
    expected = CPU["reduce"](None, *blocks, **told)
    got = run(CUDA["reduce"], None, *blocks, **told)
    check_fields(got, np.asarray(expected), name)
    return told


def check_fields(got, expected, name):
    """Cells have the same bits, structured ones in each field."""
    assert got.dtype == expected.dtype
    if not expected.dtype.names:
        assert same_bits(got, expected), (name, got, expected)
    for field in expected.dtype.names or ():
        check_fields(got[field], expected[field], (name, field))


def drawn(dtype, shape):
    """Numbers of many sizes."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return GENERATOR.random(shape) < 0.5
    if dtype.kind in "iu":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        return GENERATOR.integers(low, high, shape, dtype, endpoint=True)
    with np.errstate(all="ignore"):
        wide = GENERATOR.normal(size=shape) * 10.0 ** GENERATOR.integers(-3, 3, shape)
        turned = wide + 1j * GENERATOR.permutation(wide) if dtype.kind == "c" else wide
        return turned.astype(dtype)


def with_nan(cells, share):
    """Cells of which some are not numbers, of complex ones in either part."""
    made = cells.copy()
    for part in (made.real, made.imag) if made.dtype.kind == "c" else (made,):
        part[GENERATOR.random(made.shape) < share] = np.nan
    return made

"""What tests of matrices in panels share: matrices, and computing tensors."""

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray

KINDS = ("f4", "f8", "c8", "c16")


def cells(shape, dtype, seed=0):
    """Normally distributed cells, complex ones with both parts."""
    generator = np.random.default_rng(seed)
    made = generator.normal(size=shape)
    return (made + (1j * generator.normal(size=shape) if dtype[0] == "c" else 0)).astype(dtype)


def definite(side, dtype, seed=0):
    """A positive definite matrix."""
    made = cells((side, side), dtype, seed)
    return (made @ made.conj().T / side + np.eye(side)).astype(dtype)


def computed(function, *arrays, **options):
    """The value of a function of tensors."""
    return Array(function(*[asarray(a).node for a in arrays], **options)).compute(scheduler="sync")


def near(found, expected, dtype, factor=100):
    """Check cells to within some roundings."""
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_allclose(found, expected, atol=factor * np.finfo(dtype).eps)

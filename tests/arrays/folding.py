"""What tests of reductions share: random arguments, NumPy's answer, and whether ours agrees."""

import warnings

import numpy as np
import pytest
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.examples import examples

few = examples(40)  # each is planned and computed
SHAPES = st.lists(st.integers(0, 4), max_size=3).map(tuple)
FULL = st.lists(st.integers(1, 4), max_size=3).map(tuple)
REAL = ["?", "i1", "u1", "i4", "u8", "f2", "f4", "f8"]
NUMBERS = [*REAL, "c8", "c16"]


def axes_of(shape):
    """Axes that NumPy accepts: None, one, negative, several, none."""
    rank = len(shape)
    if not rank:
        return st.just(None)
    one = st.integers(-rank, rank - 1)
    several = st.sets(st.integers(0, rank - 1)).map(tuple)
    return st.one_of(st.none(), one, several)


def small(draw, shape, dtype):
    """Small whole numbers, the sums and products of which are exact, some special."""
    size = int(np.prod(shape))
    cells = np.array(draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)), "i8")
    return cells.astype(dtype).reshape(shape)


def outcome(call):
    """NumPy's value, or the exception it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call(), None
        except Exception as error:
            return None, error


def raises_as_numpy(name, x, **options):
    """Ours raises what NumPy raises: a wrong axis comes before anything else."""
    _, error = outcome(lambda: getattr(np, name)(x, **options))
    kinds = (np.exceptions.AxisError, ValueError, TypeError)
    if error is None:
        getattr(dt, name)(x, **options)
        return
    with pytest.raises(kinds) as ours:
        getattr(dt, name)(x, **options)
    first = [next(k for k in kinds if isinstance(e, k)) for e in (ours.value, error)]
    assert first[0] is first[1], (ours.value, error)


def check(ours, theirs, rtol=1e-12):
    """Ours has NumPy's value, shape and dtype, or raises an error of NumPy's type."""
    expected, error = outcome(theirs)
    if error is not None:
        kinds = [
            k for k in (ValueError, TypeError, IndexError, OverflowError) if isinstance(error, k)
        ]
        try:
            ours().compute(scheduler="sync")
        except tuple(kinds):
            return
        raise AssertionError(f"NumPy raises {error!r}")
    made = ours()
    assert isinstance(made, dt.Array)
    assert (made.shape, made.dtype) == (np.shape(expected), np.asarray(expected).dtype)
    value = made.compute(scheduler="sync")
    if made.dtype.kind not in "fc":
        np.testing.assert_array_equal(value, expected)
        return
    scale = max(rtol, 8 * float(np.finfo(made.dtype).eps))
    np.testing.assert_allclose(value, expected, rtol=scale, atol=scale)

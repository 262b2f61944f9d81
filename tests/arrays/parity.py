"""What tests of errors share: NumPy refuses a call, and so do we, with its exception type."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import TapestryError
from tests.comparisons import same_bits


def refused(call):
    """Check that `call` raises NumPy's exception type, and an error of ours."""
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        call(np, np.asarray)
    kind = next(k for k in theirs.type.__mro__ if k.__module__ == "builtins")
    kind = np.exceptions.AxisError if theirs.type is np.exceptions.AxisError else kind
    with pytest.raises(kind) as ours:
        call(dt, dt.asarray)
    assert isinstance(ours.value, TapestryError | TypeError | ZeroDivisionError), ours.value


def raised(function, *args, **options):
    """Type of the error that NumPy's function raises, of a public class, or None."""
    try:
        function(*args, **options)
    except Exception as error:
        return TypeError if isinstance(error, TypeError) else type(error)
    return None


def agreed(call):
    """Check that `call` gives what it does with NumPy: shapes, dtypes and bits."""
    theirs, ours = call(np, np.asarray), call(dt, dt.asarray)
    several = isinstance(theirs, tuple | list)
    for expected, found in zip(
        theirs if several else [theirs], ours if several else [ours], strict=True
    ):
        assert (found.shape, found.dtype) == (np.shape(expected), np.asarray(expected).dtype)
        assert same_bits(found.compute(), expected)

import warnings

import numpy as np
import pytest

from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.reductions.monoids import MONOIDS, accumulator
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from tests.comparisons import DTYPES


@pytest.mark.parametrize("name", MONOIDS)
@pytest.mark.parametrize("dtype", [*DTYPES, "u2", "i4", "u4"])
def test_results_have_numpys_dtype_or_there_is_none(name, dtype):
    x = np.zeros(3, dtype)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = np.asarray(MONOIDS[name].numpy(x)).dtype
    except TypeError:
        with pytest.raises(DTypeError):
            MONOIDS[name].dtypes(x.dtype, None)
        return
    if name.startswith("nan") and x.dtype.kind not in "fc":
        return  # where there are no NaNs the others stand for them
    if x.dtype.kind in "mM" and name in ("any", "all", "mean", "var", "std"):
        return  # NumPy has more of these; ours are tried where they exist
    result, state = MONOIDS[name].dtypes(x.dtype, None)
    assert result == expected
    assert isinstance(state, np.dtype)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "nanmean", "nanvar"])
def test_a_dtype_may_be_asked_for(name):
    assert MONOIDS[name].dtypes(np.dtype("f4"), np.dtype("f8"))[0] == "f8"


def test_half_precision_is_added_in_single():
    assert accumulator(np.dtype("f2")) == "f4"
    assert MONOIDS["var"].dtypes(np.dtype("f2"), None)[1]["mean"] == "f4"
    assert MONOIDS["nanmean"].dtypes(np.dtype("f2"), None)[1]["sum"] == "f4"
    assert MONOIDS["nanvar"].dtypes(np.dtype("f2"), None)[1]["mean"] == "f4"


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_of_numbers_the_state_counts_them(name):
    assert MONOIDS[name].dtypes(np.dtype("c16"), None)[1]["count"] == np.intp


def test_a_mean_of_complex_numbers_is_not_computed_in_real_ones():
    with pytest.raises(DTypeError, match="parts are lost"):
        MONOIDS["nanmean"].dtypes(np.dtype("c16"), np.dtype("f8"))


def test_declarations_and_arithmetic_have_the_same_names_and_identities():
    assert set(MONOIDS) == set(ARITHMETIC)
    for name, monoid in MONOIDS.items():
        assert monoid.has_identity == (ARITHMETIC[name].identity is not None)


def test_the_reference_of_a_position_counts_over_all_reduced_axes():
    x = np.arange(24.0).reshape(2, 3, 4)[::-1]
    places = MONOIDS["argmax"].reference(x, (0, 2), np.dtype("i8"), 0)
    assert np.array_equal(places, [3, 3, 3])

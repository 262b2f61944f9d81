import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.names_of_numpy import OF_MASKED, hint_of_name

X = dt.ones((2, 2))
CELLS = "compute[(][)] gives its cells as a NumPy array$"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("values", CELLS), ("to_numpy", CELLS), ("numpy", CELLS),
        ("tostring", "attribute 'tostring'$"),
        ("strides", "gives a NumPy array, which has it$"), ("tofile", "which has it$"),
        ("summ", "did you mean 'sum'"), ("foo", "attribute 'foo'$"), ("__foo__", "__foo__'$"),
    ],
)  # fmt: skip
def test_an_attribute_of_others_is_answered_by_what_does_it_here(name, said):
    with pytest.raises(AttributeError, match=said):
        getattr(X, name)


@pytest.mark.parametrize(
    ("space", "name", "said"),
    [
        (dt, "nditer", "compute[(][)] the arrays first to use np.nditer$"),
        (dt, "memmap", "use np.memmap$"),
        (dt, "zeroes", "did you mean 'zeros'"),
        (dt, "nobody_has_it", "'nobody_has_it'$"),
        (dt.linalg, "LinAlgWarning_", "'LinAlgWarning_'$"),
        (dt.linalg, "sovle", "did you mean 'solve'"),
        (dt.ndimage, "gaussian_filt", "did you mean 'gaussian_filter'"),
        (dt.ma, "notmasked_edges", "use np.ma.notmasked_edges$"),
        (dt.ma, "sqrt", "dt.sqrt takes masked arrays$"),
    ],
)
def test_a_name_of_numpy_is_answered_by_numpys(space, name, said):
    assert not hasattr(space, name)
    with pytest.raises(AttributeError, match=said):
        getattr(space, name)


OPTIONS = {"clip": (0, 1), "repeat": (2,), "reshape": (-1,), "swapaxes": (0, 1), "take": ([0, 1],)}


@pytest.mark.few(13)  # as unlike as so many can be
@pytest.mark.parametrize("name", sorted(OF_MASKED))
def test_functions_that_are_named_for_masked_arrays_take_them(name):
    x = np.ma.masked_greater(np.arange(6.0).reshape(2, 3), 3)
    options = OPTIONS.get(name, ())
    assert "takes masked arrays" in hint_of_name("ma", name, [])
    made = getattr(dt, name)(dt.ma.asarray(x), *options).compute()
    wanted = getattr(np.ma, name)(x, *options)
    np.testing.assert_array_equal(np.ma.filled(made, -1), np.ma.filled(wanted, -1))

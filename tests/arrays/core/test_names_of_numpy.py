import pytest

import dask_tapestry as dt

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
    ],
)
def test_a_name_of_numpy_is_answered_by_numpys(space, name, said):
    assert not hasattr(space, name)
    with pytest.raises(AttributeError, match=said):
        getattr(space, name)

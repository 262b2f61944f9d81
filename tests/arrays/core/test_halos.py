import pytest

from dask_tapestry.arrays.core.halos import Halo, halos
from dask_tapestry.errors import ArgumentError

NONE = Halo(0, 0, None)


@pytest.mark.parametrize(
    ("depth", "boundary", "expected"),
    [
        (1, None, (Halo(1, 1, None), Halo(1, 1, None))),
        (None, "none", (NONE, NONE)),
        ((1, 2), "reflect", (Halo(1, 1, "symmetric"), Halo(2, 2, "symmetric"))),
        ({-1: (0, 3)}, {1: 5.0}, (NONE, Halo(0, 3, "constant", 5.0))),
        ({0: 1}, ("nearest", "none"), (Halo(1, 1, "edge"), NONE)),
    ],
)
def test_what_each_axis_has(depth, boundary, expected):
    assert halos(2, depth, boundary) == expected


@pytest.mark.parametrize(
    ("depth", "boundary"), [(-1, None), ({2: 1}, None), ((1, 1, 1), None), (1, "mirror")]
)
def test_what_does_not_fit_is_refused(depth, boundary):
    with pytest.raises(ArgumentError):
        halos(2, depth, boundary)

"""Products of matrices with hidden cells."""

import numpy as np
import pytest

import dask_tapestry as dt

from .masked_samples import agree, ours


def _cells(kind, shape, seed, mask=0.4):
    random = np.random.default_rng(seed)
    cells = random.integers(-4, 5, shape).astype(kind)
    return np.ma.masked_array(cells, random.random(shape) < mask if mask else np.ma.nomask)


@pytest.mark.covering
@pytest.mark.parametrize("kind", ["i4", "f4"])
@pytest.mark.parametrize(
    ("one", "other"), [((4, 3), (3, 5)), ((3,), (3,)), ((4, 3), (3,)), ((2, 0), (0, 3))]
)
@pytest.mark.parametrize("masks", [(0.4, 0.4), (0.6, None)])
def test_dots_are_those_of_numpy(kind, one, other, masks):
    x, y = _cells(kind, one, 1, masks[0]), _cells(kind, other, 2, masks[1])
    wanted = np.ma.dot(x, y)
    for made in (dt.ma.dot(ours(x), ours(y)), ours(x).dot(ours(y)), dt.dot(ours(x), ours(y))):
        agree(made, wanted)


def test_without_masks_there_is_none():
    assert dt.ma.dot([1, 2], [3, 4]).mask is np.ma.nomask


def test_tensordot_sums_shown_products():
    x, y = _cells("f8", (2, 3, 4), 1), _cells("f8", (4, 3, 2), 2)
    made = dt.tensordot(ours(x), ours(y), axes=((1, 2), (1, 0)))
    both = ~np.ma.getmaskarray(x), ~np.ma.getmaskarray(y)
    shown = np.tensordot(*[one.astype(int) for one in both], ((1, 2), (1, 0)))
    cells = np.tensordot(x.filled(0), y.filled(0), ((1, 2), (1, 0)))
    agree(made, np.ma.masked_array(cells, shown == 0))

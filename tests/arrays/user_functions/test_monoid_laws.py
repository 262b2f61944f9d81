"""Each law of monoids is broken by one that keeps the laws before it."""

from itertools import count

import numpy as np
import pytest

from dask_tapestry.arrays.user_functions.cell_differences import Closeness
from dask_tapestry.arrays.user_functions.monoid_laws import LAWS, check_monoid
from dask_tapestry.errors import ConstraintError

CELLS = np.array([3.0, -1.0, 4.0, 0.5, 9.0])
calls = count()


BROKEN = {
    "combine_is_repeatable": (lambda a, b: a + b + next(calls), 0.0),
    "combine_leaves_its_arguments": (lambda a, b: np.add(a, b, out=b) * 0, 0.0),
    "combine_works_cell_by_cell": (lambda a, b: a + b.sum(), 0.0),
    "identity_is_neutral": (np.maximum, 0.0),
    "combine_is_associative": (
        lambda a, b: np.where(b == 0, a, np.where(a == 0, b, (a + b) / 2)),
        0.0,
    ),
}


def check(combine, identity, *cells):
    pairs = lambda a, b: (combine(a[0], b[0]),)  # noqa: E731
    return check_monoid("it", pairs, (cells or (CELLS,)), (identity,), Closeness())


def test_every_law_is_broken_here():
    assert BROKEN.keys() == set(LAWS)


@pytest.mark.parametrize("law", LAWS)
def test_what_breaks_a_law_is_named(law):
    with pytest.raises(ConstraintError, match=f"{law}: it: "):
        check(*BROKEN[law])


@pytest.mark.parametrize(
    ("combine", "identity"),
    [(np.add, 0.0), (np.maximum, -np.inf), (np.multiply, 1.0)],
)
def test_monoids_keep_all_laws(combine, identity):
    assert check(combine, identity) == LAWS


def test_without_an_identity_the_others_are_tried():
    last = lambda a, b: (b[0],)  # noqa: E731
    found = check_monoid("last", last, (CELLS,), None, Closeness())
    assert found == tuple(law for law in LAWS if law != "identity_is_neutral")


def test_values_that_belong_together_are_combined_together():
    def nearer(a, b):
        closer = b[0] < a[0]
        return np.where(closer, b[0], a[0]), np.where(closer, b[1], a[1])

    cells = (np.abs(CELLS - 4), CELLS)
    assert check_monoid("nearer", nearer, cells, (np.inf, 0.0), Closeness()) == LAWS


def test_a_function_that_raises_is_named():
    with pytest.raises(ConstraintError, match="combine_takes_cells: it: it raises ZeroDivision"):
        check(lambda a, b: 1 / 0, 0.0)

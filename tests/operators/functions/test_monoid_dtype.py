import numpy as np
import pytest

from dask_tapestry.errors import DTypeError, SignatureError
from dask_tapestry.operators.functions.monoid_dtype import (
    Fieldwise,
    folded_dtype,
    identities,
    identity_cell,
)

PAIR = np.dtype([("a", "i8"), ("b", "f4", (2,))])


def test_fields_are_combined_together_or_each():
    pair = np.array([(1, 5)], [("a", "i8"), ("b", "i8")])
    each = Fieldwise(np.add, each=True)(pair, pair)
    both = Fieldwise(lambda x, y: (x[0] + y[1], x[1]), each=False)(pair, pair)
    assert [int(v[0]) for v in each] == [2, 10]
    assert [int(v[0]) for v in both] == [6, 5]


@pytest.mark.parametrize(
    ("combine", "identity", "cells", "held"),
    [
        (np.add, 0, "i4", "i4"),
        (np.add, 0, "?", "i8"),
        (np.maximum, 0.5, "i4", "f8"),
        (np.maximum, 0.5, "f4", "f4"),
        (np.maximum, np.float64(0.5), "f4", "f8"),
        (np.minimum, 300, "i1", "i8"),
        (np.minimum, -1, "u1", "i8"),
        (np.minimum, np.inf, "u1", "f8"),
        (np.minimum, 1e300, "f2", "f8"),
        (lambda a, b: (a + b) / 2, 0, "i2", "f8"),
        (np.logical_or, False, "f8", "f8"),
        (np.maximum, np.datetime64("NaT"), "M8[D]", "M8[D]"),
        (np.strings.add, "", "U3", "U12"),
        (lambda a, b: np.where(a < b, b, a), "----", "U3", "U4"),
    ],
)
def test_the_dtype_holds_cells_identity_and_what_is_combined(combine, identity, cells, held):
    assert folded_dtype(combine, identity, np.dtype(cells), 2) == held


def test_each_field_has_a_dtype_of_its_own():
    def combine(a, b):
        return a[0] + b[0], a[1] * np.float64(2)

    held = np.dtype([("a", "f8"), ("b", "f8", (2,))])
    assert folded_dtype(Fieldwise(combine, False), (0.5, 0), PAIR, 9) == held
    declared = frozenset(["a"])
    held = np.dtype([("a", "i8"), ("b", "f8", (2,))])
    assert folded_dtype(Fieldwise(combine, False), (0, 0), PAIR, 9, declared) == held


def test_what_raises_on_a_few_cells_keeps_their_dtype():
    def refused(a, b):
        raise ValueError

    assert folded_dtype(refused, 0, np.dtype("i4"), 2) == "i4"


def test_strings_without_end_are_refused():
    with pytest.raises(DTypeError, match="too long"):
        folded_dtype(np.strings.add, "", np.dtype("U3"), 40)


def test_combinations_of_tuples_return_tuples():
    with pytest.raises(SignatureError, match="not a tuple of 2 arrays"):
        folded_dtype(Fieldwise(lambda a, b: a[0], False), 0, PAIR, 1)


def test_identities_are_one_for_all_or_one_each():
    assert identities(0, 2) == (0, 0)
    assert identities((1, 2), 2) == (1, 2)
    with pytest.raises(SignatureError, match="2 values, the cells are of 3"):
        identities((1, 2), 3)


def test_an_identity_is_a_cell():
    cell = identity_cell((7, 0.1), PAIR)
    assert (int(cell["a"]), cell["b"].tolist()) == (7, [np.float32(0.1)] * 2)
    assert identity_cell(0, np.dtype("?")) == np.False_
    assert np.isnan(identity_cell(np.nan, np.dtype("f4")))


@pytest.mark.parametrize(
    ("identity", "dtype"),
    [(0.5, "i8"), (300, "i1"), (2**70, "i8"), (1e300, "f4"), ("abc", "U2"), ("a", "f8")],
)
def test_an_identity_that_its_dtype_does_not_hold_is_refused(identity, dtype):
    with pytest.raises(DTypeError, match="the identity"):
        identity_cell(identity, np.dtype(dtype))

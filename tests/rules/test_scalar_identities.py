"""Identities of cells change no bit, and what would change one is left alone."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.rules.formula_identities import FORMULA_RULES
from dask_tapestry.rules.scalar_identities import CELL_RULES
from tests.comparisons import same_bits

from .graphs import after, meaning

ZEROS = [0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, 5e-324]
X = {
    "i4": np.array([0, 1, -1, 2**31 - 1, -(2**31), 5], "i4"),
    "u1": np.array([0, 1, 255, 128, 7], "u1"),
    "f8": np.array(ZEROS),
    "f4": np.array(ZEROS, "f4"),
    "f2": np.array(ZEROS, "f2"),
    "c16": np.array([complex(a, b) for a in ZEROS for b in ZEROS]),
    "?": np.array([True, False]),
}
DROPPED = [
    ("i4 u1", lambda x: x + 0),
    ("i4 u1", lambda x: 0 + x),
    ("i4 u1 f8 f4 f2", lambda x: x - 0),
    ("f8 f4 f2", lambda x: x + -0.0),
    ("i4 u1 f8 f4 f2", lambda x: x * 1),
    ("i4 u1 f8 f4 f2", lambda x: 1 * x),
    ("f8 f4 f2", lambda x: x / 1),
    ("i4 u1", lambda x: x // 1),
    ("i4 u1", lambda x: np.power(x, 1)),
    ("i4 u1", lambda x: x << 0),
    ("i4 u1", lambda x: x >> 0),
    ("i4 u1", lambda x: x | 0),
    ("i4 u1", lambda x: 0 ^ x),
    ("i4", lambda x: x & -1),
    ("u1", lambda x: x & 255),
    ("?", lambda x: x & True),
    ("?", lambda x: x | False),
    ("?", lambda x: np.logical_xor(x, False)),
    ("?", lambda x: np.logical_and(True, x)),
    ("? i4 u1", lambda x: x & x),
    ("? i4 u1", lambda x: x | x),
    ("? i4 u1 f8 f4 f2 c16", lambda x: np.minimum(x, x)),
    ("f8 f4 f2", lambda x: np.fmax(x, x)),
    ("i4 u1 f8 f4 f2 c16", lambda x: np.negative(-x)),
    ("? i4 u1", lambda x: ~~x),
    ("?", lambda x: np.logical_not(np.logical_not(x))),
    ("c16", lambda x: np.conj(np.conj(x))),
    ("i4 u1 f8 f4 f2", np.conj),
    ("i4 u1 f8 f4 f2 c16", np.positive),
    ("u1", np.absolute),
    ("f4 f2", lambda x: x.astype("f8").astype(x.dtype)),
    ("? i4 u1 f8 f4 f2 c16", lambda x: np.where(True, x, np.zeros(x.shape, x.dtype))),
    ("? i4 u1 f8 f4 f2 c16", lambda x: np.where(x == x, x, x)),
]
KEPT = [
    ("f8 f4 f2", lambda x: x + 0.0),
    ("f8 f4 f2", lambda x: x - -0.0),
    ("c16", lambda x: x * 1),
    ("c16", lambda x: x + 0),
    ("i4 u1", lambda x: x & 1),
    ("u1", lambda x: x & 127),
    ("i4", lambda x: 0 - x),
    ("i4", lambda x: 1 // x),
    ("i4", np.absolute),
    ("f8", lambda x: x * -1),
    ("f8", lambda x: 1 / x),
    ("i4 u1", lambda x: np.logical_and(x, True)),
    ("i4 u1 f8", lambda x: np.logical_not(x)),
    ("f8 f4", np.floor),
]


def rows(table):
    return [(dtype, number) for number, (kinds, _) in enumerate(table) for dtype in kinds.split()]


@pytest.mark.parametrize(("dtype", "number"), rows(DROPPED))
def test_an_identity_is_dropped(dtype, number):
    x, f = dt.asarray(X[dtype]), DROPPED[number][1]
    assert after(f(x), *FORMULA_RULES).splitlines()[1:] == ["return %0"]
    with np.errstate(all="ignore"):
        assert same_bits(X[dtype], np.asarray(f(X[dtype])))


@pytest.mark.parametrize(("dtype", "number"), rows(KEPT))
def test_what_changes_a_bit_stays(dtype, number):
    x, f = dt.asarray(X[dtype]), KEPT[number][1]
    assert len(after(f(x), *FORMULA_RULES).splitlines()) == 3
    with np.errstate(all="ignore"):
        assert not same_bits(X[dtype], np.asarray(f(X[dtype])).astype(dtype))


@pytest.mark.parametrize("function", [np.absolute, np.floor, np.ceil, np.trunc, np.rint])
def test_a_projection_is_taken_once(function):
    x = dt.asarray(X["f8"])
    twice = after(function(function(x)), *FORMULA_RULES)
    assert twice.splitlines()[1:-1] == [
        f"%1 = elementwise(%0) : float64[8]  # {function.__name__}(%0)"
    ]


def test_identities_inside_a_formula():
    x, y = (dt.asarray(np.arange(3.0)) for _ in range(2))
    text = after(dt.where(dt.full(3, True), x * y - 0.0, y).T, *FORMULA_RULES)
    assert "where" in text  # its condition is a tensor until it is written into the formula
    (value,) = meaning((x * y - 0.0).teg)
    assert np.array_equal(value, np.arange(3.0) ** 2)


def test_every_rule_of_cells_says_what_it_rewrites():
    for rule in {rule for rules in CELL_RULES.values() for rule in rules}:
        before, _, then = rule.__doc__.partition("->")
        assert before.count("``") >= 1
        assert then

import operator

import numpy as np
import pytest

import dask_tapestry as dt

from .masked_samples import KINDS, agree, ours, sample

OPERATORS = "add sub mul truediv floordiv mod pow eq ne lt ge and_ or_ xor".split()
INTEGERS = ("and_", "or_", "xor")
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def operands(kind, name):
    """A masked array, and what may stand beside it: masked, plain, without a mask, a scalar."""
    x = sample(kind)
    scalar = 3 if name in INTEGERS else 1.5
    return x, [sample(kind, (5,), 1), sample(kind, seed=2, mask=None), x.data, scalar, np.ma.masked]


@pytest.mark.few(7)  # as unlike as so many can be
@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("kind", ["i1", "f4"])
def test_operators_are_those_of_numpy(name, kind):
    function = getattr(operator, name)
    x, others = operands(kind, name)
    for other in others:
        is_lazy = isinstance(other, np.ma.MaskedArray) and other is not np.ma.masked
        beside = ours(other) if is_lazy else other
        try:
            wanted = function(x, other)
        except TypeError:
            with pytest.raises(TypeError):
                function(ours(x), beside)
            continue
        except ValueError:  # of integers to negative powers, which ours are not for a whole array
            continue
        agree(function(ours(x), beside), wanted)
        if other is not np.ma.masked and not isinstance(other, np.ndarray):
            agree(function(beside, ours(x)), function(other, x))


@pytest.mark.parametrize("name", ["neg", "pos", "abs", "invert"])
@pytest.mark.parametrize("kind", ["i1", "f8"])
def test_unary_operators(name, kind):
    function = getattr(operator, name)
    x = sample(kind)
    if (name, kind) != ("invert", "f8"):
        agree(function(ours(x)), function(x))


def test_plain_arrays_on_the_left_keep_the_mask():
    x = sample("f8")
    for plain in (np.ones((4, 5)), dt.ones((4, 5))):
        agree(plain - ours(x), np.ones((4, 5)) - x)
        agree(plain < ours(x), np.ones((4, 5)) < x)


def test_in_place():
    x, y = sample("f8"), ours(sample("f8"))
    x += 1
    y += 1
    agree(y, x)
    whole = ours(sample("i4"))
    with pytest.raises(dt.DTypeError, match="same_kind"):
        whole += 1.5
    with pytest.raises(dt.ShapeError, match="non-broadcastable"):
        y += np.ones((2, 4, 5))


@pytest.mark.parametrize("kind", KINDS)
def test_ufuncs_reduce(kind):
    x = sample(kind)
    agree(np.add.reduce(ours(x)), np.ma.add.reduce(x))


def test_other_methods_of_ufuncs_are_refused():
    with pytest.raises(TypeError):
        np.add.outer(ours(sample("f8")), 1)

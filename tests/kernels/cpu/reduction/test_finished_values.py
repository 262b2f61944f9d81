import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.reduction.finished_values import AT_ONCE
from tests.comparisons import same_bits
from tests.operators.monoid_names import monoids_of

MANY = AT_ONCE // 100 + 7
X = np.random.default_rng(0).normal(size=(MANY, 3, 100))
X[0, :, :3] = -0.0


def reduced(x, name, out=None, axes=(1,)):
    result, state = MONOIDS[name].dtypes(x.dtype, None)
    extents = tuple(x.shape[axis] for axis in axes)
    told = {"monoid": name, "axes": axes, "tree": Tree(extents), "ddof": 0.0, "source": None}
    told |= {"origin": (0,) * len(axes), "dtype": result, "state": state, "target": None}
    return KERNELS["reduce"](out, x, **told)


@pytest.mark.parametrize("name", monoids_of("f8"))
def test_many_values_are_those_of_pieces(name):
    whole = reduced(X, name)
    pieces = [reduced(X[start : start + 50], name) for start in range(0, MANY, 50)]
    assert same_bits(whole, np.concatenate(pieces))


@pytest.mark.parametrize("name", ["sum", "mean", "max", "std"])
@pytest.mark.parametrize("cells", [X, X[::-1], np.asfortranarray(X), X[:20]])
def test_values_are_the_same_in_memory_that_is_given(name, cells):
    expected = reduced(cells, name)
    out = np.zeros_like(expected, order="C")
    assert same_bits(reduced(cells, name, out), expected)


def test_means_are_written_to_memory_that_is_given():
    out = np.zeros((MANY, 100))
    assert reduced(X, "mean", out) is out
    assert np.allclose(out, X.mean(1))


@pytest.mark.parametrize("out", [np.zeros((MANY, 100), "f4"), np.zeros((MANY, 50)), np.zeros(3)])
def test_memory_for_other_values_stays_as_it_is(out):
    assert same_bits(reduced(X, "mean", out), reduced(X, "mean"))
    assert not np.any(out)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["sum", "mean", "any"])
def test_many_values_of_no_cells(name):
    assert same_bits(reduced(X[:, :0], name), reduced(X[:1, :0], name).repeat(MANY, 0))

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, Tree
from dask_tapestry.operators.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.cells.interpreter import evaluate
from dask_tapestry_kernels.cpu.reduction import reduce
from tests.comparisons import same_bits
from tests.operators.monoid_names import monoids_of

RANDOM = np.random.default_rng(4)
X = RANDOM.normal(size=(50, 6, 70)) * 10.0 ** RANDOM.integers(-6, 6, (50, 6, 70))


def reduced(x, name, axes, **ways):
    extents = tuple(x.shape[axis] for axis in axes)
    result, state = MONOIDS[name].dtypes(x.dtype, None)
    told = {"monoid": name, "axes": axes, "tree": Tree(extents), "ddof": 0.0}
    told |= {"origin": (0,) * len(axes), "dtype": result, "state": state}
    return KERNELS["reduce"](None, x, **{**told, "source": None, "target": None, **ways})


@pytest.mark.parametrize("name", monoids_of("f8"))
@pytest.mark.parametrize("axes", [(0,), (2,), (0, 2), (0, 1, 2)])
def test_strides_of_the_block_do_not_matter(name, axes):
    whole = reduced(X, name, axes)
    for order in ("F", "C"):
        assert same_bits(reduced(np.array(X, order=order), name, axes), whole)
    wide = np.zeros((50, 12, 140))
    wide[:, ::2, ::2] = X
    assert same_bits(reduced(wide[:, ::2, ::2], name, axes), whole)


@pytest.mark.parametrize("name", monoids_of("f8"))
def test_kept_axes_do_not_matter(name):
    whole = reduced(X, name, (0, 2))
    alone = [reduced(X[:, i : i + 1], name, (0, 2))[0] for i in range(6)]
    assert same_bits(np.array(alone), whole)


@pytest.mark.parametrize("name", monoids_of("f8"))
@pytest.mark.parametrize("axes", [(0,), (2,), (0, 2), (0, 1, 2)])
def test_the_value_is_numpys_within_rounding(name, axes):
    result, _ = MONOIDS[name].dtypes(X.dtype, None)
    with np.errstate(over="ignore", under="ignore"):
        expected = MONOIDS[name].reference(X, axes, result, 0.0)
        scale = np.abs(X).sum(axis=axes) if name in ("sum", "mean") else 0.0
    assert np.allclose(reduced(X, name, axes), expected, rtol=1e-9, atol=np.max(scale) * 1e-13)


@pytest.mark.parametrize("shape", [(0, 3), (0, 0)])
def test_nothing_has_the_value_of_the_identity(shape):
    for name in ("sum", "prod", "any", "all"):
        empty = np.ones(shape)
        assert same_bits(reduced(empty, name, (0,)), MONOIDS[name].numpy(empty, axis=0))


def test_nodes_keep_the_axes_where_they_are():
    nodes = reduced(X, "sum", (0, 2), target=0)
    counts = Tree((50, 70)).counts(0)
    assert nodes.shape == (counts[0], 6, counts[1])


@pytest.mark.parametrize("name", ["sum", "std", "argmax"])
@pytest.mark.parametrize("axes", [(0,), (2,), (0, 2), (0, 1, 2)])
def test_formulas_that_are_not_compiled_are_evaluated_piece_by_piece(name, axes, monkeypatch):
    builder = CellBuilder([X.dtype])
    double = builder.finish(builder.call("add", [0, 0], X.dtype))
    sizes = []

    def watched(out, *blocks, expression):
        sizes.append(blocks[0].nbytes)
        return evaluate(out, *blocks, expression=expression)

    monkeypatch.setattr(reduce, "_formula_states", lambda *_: None)
    monkeypatch.setattr(reduce, "evaluate", watched)
    monkeypatch.setattr(reduce, "row_states", lambda *_: None)
    monkeypatch.setattr(reduce, "FORMULA_BYTES", X.nbytes // 4)
    assert same_bits(reduced(X, name, axes, expression=double), reduced(X + X, name, axes))
    assert sum(sizes) == X.nbytes
    assert max(sizes) < X.nbytes or axes == (0, 1, 2)


def test_blocks_without_cells_have_no_pieces():
    """Of a kept axis without cells there is nothing to fold."""
    assert list(reduce._pieces((6, 0), (4,), 8)) == []
    assert list(reduce._pieces((0, 3), (4,), 8)) == []

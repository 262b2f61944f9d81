import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, Tree
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.cells.interpreter import evaluate
from dask_tapestry_kernels.cpu.reduction import fold_errors, reduce
from tests.comparisons import same_bits
from tests.covering import seeds_of
from tests.kernels.cpu.reduction.leaf_cells import cells_of, state_of
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
    monkeypatch.setattr(fold_errors, "evaluate", watched)
    monkeypatch.setattr(reduce, "row_states", lambda *_: None)
    monkeypatch.setattr(reduce, "FORMULA_BYTES", X.nbytes // 4)
    assert same_bits(reduced(X, name, axes, expression=double), reduced(X + X, name, axes))
    assert sum(sizes) == X.nbytes
    assert max(sizes) < X.nbytes or axes == (0, 1, 2)


SHAPES = [
    (300, 200), (1100, 70), (70, 1100), (2500, 3), (3, 2500), (40, 1030), (1025, 65), (31, 64),
    (65, 3, 70), (4, 70, 90), (1030, 2, 64), (5000,), (1, 70), (2, 3, 4, 5),
]  # fmt: skip


def laid_out(random, x):
    """The cells in one of several orders in memory."""
    kind = random.integers(4)
    if kind < 2:
        return np.array(x, order="CF"[kind])
    if kind == 2:
        order = random.permutation(x.ndim)
        return np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))
    wide = np.zeros([2 * n for n in x.shape], x.dtype)
    apart = wide[(slice(None, None, 2),) * x.ndim]
    apart[...] = x
    return apart


def drawn_formula(random, dtype):
    """A formula of one or two steps of two blocks."""
    builder = CellBuilder([dtype, dtype])
    made = builder.call(str(random.choice(["add", "subtract", "multiply"])), (0, 1), dtype)
    return builder.finish(
        builder.call("multiply", (made, 0), dtype) if random.random() < 0.5 else made
    )


@pytest.mark.parametrize("seed", seeds_of(range(150), 50))
@pytest.mark.filterwarnings("ignore")
def test_folds_together_have_the_bits_of_each_alone(seed):
    """Of any cells, wherever they lie; and of a formula those of its cells, each alone."""
    random = np.random.default_rng(seed)
    shape = SHAPES[random.integers(len(SHAPES))]
    dtype = np.dtype(random.choice("f8,f8,f4,i4,u1,c16,i8,f2,?".split(",")))
    axes = tuple(sorted(random.permutation(len(shape))[: random.integers(1, len(shape) + 1)]))
    blocks, formula = [laid_out(random, cells_of(random, dtype, shape))], None
    cells = np.ascontiguousarray(blocks[0])
    if dtype in (np.dtype("f4"), np.dtype("f8"), np.dtype("i4"), np.dtype("i8")):
        formula = drawn_formula(random, dtype)
        blocks.append(laid_out(random, cells_of(random, dtype, shape)))
        cells = np.empty(shape, dtype)
        evaluate(cells, *map(np.ascontiguousarray, blocks), expression=formula)
    names = [name for name in MONOIDS if state_of(name, dtype) and not name.startswith("nanarg")]
    parts = []
    for name in random.choice(names, 3, replace=False):
        value, state = MONOIDS[name].dtypes(dtype, None)
        told = {"monoid": str(name), "axes": axes, "tree": Tree(tuple(shape[a] for a in axes))}
        told |= {"origin": (0,) * len(axes), "dtype": value, "state": state, "ddof": 0.0}
        parts.append({**told, "source": None, "target": random.choice([None, 0])})
    parts = [{**part, "target": parts[0]["target"], "expression": formula} for part in parts]
    together = KERNELS["reductions"](None, *blocks, parts=parts)
    for number, part in enumerate(parts):
        found = together[f"f{number}"]
        alone = KERNELS["reduce"](None, *blocks, **part)
        plain = KERNELS["reduce"](None, cells, **{**part, "expression": None})
        for field in found.dtype.names or (...,):
            assert same_bits(np.ascontiguousarray(found[field]), np.ascontiguousarray(alone[field]))
            assert same_bits(np.ascontiguousarray(found[field]), np.ascontiguousarray(plain[field]))

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.lower import instruction_call
from dask_tapestry.lower.graph import Lowering
from dask_tapestry.lower.symmetric_tasks import source_of, transpose_block
from dask_tapestry.planner import build
from dask_tapestry_kernels.devices import kernels_of

X = np.random.default_rng(0).normal(size=(40, 6))
SYMMETRIC = {
    "x @ x.T": lambda x: x @ x.T,
    "x.T @ x": lambda x: x.T @ x,
    "mean of products": lambda x: (x @ x.T) / 6,
    "kernel": lambda x: np.exp(-(x @ x.T)),
    "centred": lambda x: (x - x.mean(axis=0)) @ (x - x.mean(axis=0)).T,
    "of a slice": lambda x: x[::-2, 1:] @ x[::-2, 1:].T,
    "stacks": lambda x: x.reshape(2, 20, 6) @ np.swapaxes(x.reshape(2, 20, 6), 1, 2),
}
OTHER = {
    "x @ y.T": lambda x: x @ (x + 1).T,
    "reversed": lambda x: x @ x[::-1].T,
    "square": lambda x: x[:6] @ x[:6],
    "plus a row": lambda x: x @ x.T + x[:, 0],
    "hermitian": lambda x: x @ np.conj(x * 1j).T,
}


def layers(made, side):
    """The layers of a product that is cut into square blocks."""
    with dt.config(block_bytes=side, resources=dt.Resources(workers=1, threads=2, memory="1 GiB")):
        plan = build.build_plan([made.node], budget=0)  # what a search changes is beside the point
    graph = Lowering(plan, None).lower(final=True).graph
    return [layer for layer in graph.layers.values() if hasattr(layer, "spec")]


def mirrors(layer):
    return [key for key in layer if layer[key].func is transpose_block]


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("name", SYMMETRIC)
@pytest.mark.parametrize("block_bytes", [500, 1000])
def test_half_the_blocks_are_transposes(name, block_bytes):
    made = SYMMETRIC[name](dt.asarray(X))
    last = layers(made, block_bytes)[-1]
    *batch, rows, columns = last.grid_shape
    if name == "x @ x.T" and block_bytes == 1000:
        assert rows == columns > 1
    count = int(np.prod(batch)) * (rows * (rows - 1) // 2 if rows == columns else 0)
    assert len(mirrors(last)) == count
    with dt.config(block_bytes=block_bytes):
        value = made.compute()
        held = made.persist().compute()
    np.testing.assert_allclose(value, SYMMETRIC[name](X), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(value, held)


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("name", OTHER)
def test_other_products_are_computed_whole(name):
    made = OTHER[name](dt.asarray(X))
    assert not any(mirrors(layer) for layer in layers(made, 500))
    with dt.config(block_bytes=500):
        np.testing.assert_allclose(made.compute(), OTHER[name](X), rtol=1e-12, atol=1e-12)


def test_a_part_of_it_needs_the_blocks_above():
    x = dt.asarray(X)
    with dt.config(block_bytes=500):
        held = (x @ x.T).persist()
        np.testing.assert_allclose(held[30:, :3].compute(), (X @ X.T)[30:, :3])


def test_which_block_is_the_transpose_of_which():
    assert source_of((0, 1)) is None
    assert source_of((1, 1)) is None
    assert source_of((2, 3, 1)) == (2, 1, 3)


@pytest.fixture
def factors(monkeypatch):
    """The factors that the product's kernel is given, block by block."""
    seen = []

    def recorded(out, x, w, **arguments):
        seen.append((x, w))
        return kernels_of("cpu")["matmul"](out, x, w, **arguments)

    kernels = {**kernels_of("cpu"), "matmul": recorded}
    monkeypatch.setattr(instruction_call, "kernels_of", lambda device: kernels)
    return seen


def test_both_factors_of_a_block_on_the_diagonal_are_one_memory(factors):
    """NumPy calls BLAS's `syrk` for them."""
    x = dt.asarray(X)
    with dt.config(block_bytes=1000):
        (x @ x.T).compute(scheduler="sync")
    same = [x for x, w in factors if x.shape == w.shape[::-1] and np.shares_memory(x, w)]
    assert len(factors) == 10
    assert len(same) == 4
    for x, w in factors:
        if np.shares_memory(x, w):
            assert x.strides == w.strides[::-1]


@pytest.mark.parametrize("block_bytes", [500, 10**6])
def test_a_transposed_factor_is_not_copied(factors, block_bytes):
    """BLAS takes it as it lies: its cells are next to each other along the first dimension."""
    x, y = dt.asarray(X), dt.asarray(np.ones((40, 9)))
    with dt.config(block_bytes=block_bytes):
        value = (x.T @ y).compute(scheduler="sync")
    np.testing.assert_allclose(value, X.T @ np.ones((40, 9)))
    for left, right in factors:
        assert left.strides[0] == right.strides[1] == 8
        assert left.base is not None

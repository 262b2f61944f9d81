from types import SimpleNamespace

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import dask_tapestry as dt
from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.threads.batched_operators import computed_batch
from dask_tapestry.operators.threads.device_threads import ThreadDevice
from dask_tapestry.operators.threads.fused_threads import ThreadFormula
from dask_tapestry.operators.threads.thread_slice import thread_slice
from dask_tapestry_kernels.devices import kernels_of

F8 = np.dtype("f8")
CELLS = np.random.default_rng(2).normal(size=(3, 2, 4, 5))  # of 3 x 2 threads
X = dt.Array(symbol("cells", "", F8, (4, 5)))
Y = dt.Array(symbol("others", "", F8, (4, 5)))


class Kernels:
    """The CPU's, of which each call is written down."""

    def __init__(self):
        self.called = []

    def __getitem__(self, name):
        self.called.append(name)
        return kernels_of("cpu")[name]


@pytest.fixture
def device():
    gpu = SimpleNamespace(
        empty=np.empty, to_host=np.asarray, strided=as_strided, launch=lambda: None
    )
    return ThreadDevice(Kernels(), gpu, 2)


def doubled():
    builder = CellBuilder([F8])
    return builder.finish(builder.call("add", (0, 0), F8))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.sum(axis=0),
        lambda x: x.std(),
        lambda x: x.argmax(axis=1),
        lambda x: dt.sort(x, axis=1),
        lambda x: np.cumsum(x, axis=0),
        lambda x: x.reshape(10, 2),
        lambda x: x.T[1:] + 1,
    ],
)
@pytest.mark.parametrize("lead", [(3, 2), (1, 2), (1, 1)], ids=str)
def test_values_are_those_of_the_host(device, function, lead):
    cells = CELLS[: lead[0], : lead[1]]
    node = function(X).node
    while node.inputs[0] is not X.node:  # one operator alone
        (node,) = node.inputs
    made = device.cells(device.value(node, [ThreadFormula(doubled(), (cells,))]))
    assert made.tobytes() == computed_batch(node, [cells + cells], 2).tobytes()


def test_a_fold_takes_its_formula_with_it(device):
    node = X.sum(axis=0).node
    device.value(node, [ThreadFormula(doubled(), (CELLS,))])
    assert device.kernels.called == ["reduce"]


def test_what_is_the_same_for_some_threads_is_repeated(device):
    node = (X @ Y.T).node
    one, other = CELLS[:, :1], CELLS[:1].swapaxes(-1, -2)
    made = device.cells(device.value(node, [ThreadFormula.of(one), ThreadFormula.of(other)]))
    np.testing.assert_allclose(made, one @ other)


@pytest.mark.parametrize("lead", [(3, 2), (1, 1), (3, 1)], ids=str)
@pytest.mark.parametrize("begins", [(3, 2), (1, 2), (1, 1)], ids=str)
def test_slices_at_computed_places(device, lead, begins):
    starts = [dt.Array(symbol("a start", "", np.dtype("i4"))).node for _ in range(2)]
    node = thread_slice(X.node, tuple(starts), (2, 3), (2, 1))
    at = [np.random.default_rng(s).integers(0, most, begins) for s, most in ((1, 2), (2, 3))]
    cells = CELLS[: lead[0], : lead[1]]
    made = device.value(node, [ThreadFormula.of(one.astype("i4")) for one in at] and [
        ThreadFormula.of(cells), *[ThreadFormula.of(one.astype("i4")) for one in at]
    ]).blocks[0]  # fmt: skip
    shape = np.broadcast_shapes(lead, begins)
    assert made.shape == (*shape, 2, 3)
    for thread in np.ndindex(shape):
        i, j = [np.broadcast_to(one, shape)[thread] for one in at]
        own = np.broadcast_to(cells, (*shape, 4, 5))[thread]
        assert made[thread].tobytes() == own[i : i + 3 : 2, j : j + 3].tobytes()


def test_a_start_outside_is_refused(device):
    start = dt.Array(symbol("a start", "", np.dtype("i8")))
    node = thread_slice(X.node, (start.node, start.node), (2, 3), (1, 1))
    with pytest.raises(IndexError, match="a thread reads 2 cells from 3, step 1, along axis 0"):
        device.value(node, [ThreadFormula.of(CELLS), *[ThreadFormula.of(np.full((1, 1), 3))] * 2])

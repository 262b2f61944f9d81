"""Tables in the simulator have the bits of the CPU's."""

import numpy as np
import pytest

from dask_tapestry.cells import Lattice, Tree
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.device_error import KernelDeviceError
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated.run_kernel import run

GENERATOR = np.random.default_rng(21)
SHAPES = [(150,), (9, 8), (3, 4, 5), (1,), (0,), (3, 0)]
TREES = {
    "whole": lambda shape: Tree(shape, 32),
    "of chunks": lambda shape: Tree(
        shape, 32, Lattice((64, 8, 4)[: len(shape)], (-1,) * len(shape))
    ),
}


def way(shape, state, tree, bins=range(7), **more):
    told = {"tree": tree, "origin": (0,) * len(shape), "bins": bins, "state": np.dtype(state)}
    return told | {"target": None, "limit": None} | more


def check(*blocks, **told):
    expected = CPU["tabulate"](None, *blocks, **told)
    found = run(CUDA["tabulate"], None, *blocks, **told)
    assert same_bits(found, expected)


def weights(shape, kind):
    made = GENERATOR.normal(size=shape) * np.exp(GENERATOR.normal(size=shape))
    made = made + 1j * np.flip(made) if kind in "FD" else made * 9
    return (made > 0) if kind == "?" else made.astype("i8" if kind in "BL" else kind).astype(kind)


@pytest.mark.covering
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("kind", [None, "d", "D"])
def test_tables_of_any_shape(gpu, shape, tree, kind):
    numbers = GENERATOR.integers(-1, 9, shape)
    given = [] if kind is None else [weights(shape, kind)]
    told = way(shape, kind or "l", TREES[tree](shape))
    check(numbers, *given, **told)
    check(numbers, *given, **told | {"bins": range(2, 5)})
    check(numbers[::-1], *[w[::-1] for w in given], **told | {"bins": range(0)})
    turned = [np.asfortranarray(x) for x in (numbers, *given)]
    check(*turned, **told)


@pytest.mark.covering
@pytest.mark.parametrize("target", [0, 1, 2])
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("kind", [None, "d", "D"])
def test_tables_of_nodes(gpu, target, tree, kind):
    shape = (21, 13)
    tree = TREES[tree](shape)
    numbers = GENERATOR.integers(0, 7, shape)
    given = [numbers] if kind is None else [numbers, weights(shape, kind)]
    check(*given, **way(shape, kind or "l", tree, target=target))
    spans = [tree.span(target, axis, 1) for axis in (0, 1)]
    part = [x[tuple(slice(*span) for span in spans)] for x in given]
    origin = tuple(low for low, _ in spans)
    check(*part, **way(shape, kind or "l", tree, target=target, origin=origin))


@pytest.mark.parametrize("kind", "?bBhHiIlL")
def test_numbers_of_every_dtype(gpu, kind):
    numbers = GENERATOR.integers(0, 2 if kind == "?" else 12, (9, 8)).astype(kind)
    if kind != "?":
        numbers[0, :2] = np.iinfo(kind).max, np.iinfo(kind).min
    check(numbers, **way((9, 8), "l", Tree((9, 8))))
    check(numbers, weights((9, 8), "d"), **way((9, 8), "d", Tree((9, 8), 16)))


@pytest.mark.parametrize("kind", "?BlLefdFD")
def test_weights_of_every_dtype(gpu, kind):
    numbers, state = GENERATOR.integers(-2, 8, 200), "D" if kind in "FD" else "d"
    check(numbers, weights(200, kind), **way((200,), state, Tree((200,), 64)))


def test_many_bins_are_counted_in_order(gpu):
    numbers = GENERATOR.integers(0, 13_000, 300)
    check(numbers, **way((300,), "l", Tree((300,), 128), range(12_900)))
    assert gpu.launches[0][0].what == "tabulate: ones by int64"


def test_parts_of_a_node_are_added_up(gpu, monkeypatch):
    gpu.processors = 40
    numbers = GENERATOR.integers(0, 2, 3000)
    check(numbers, **way((3000,), "l", Tree((3000,)), range(2)))
    whats = [program.what for program, _ in gpu.launches]
    assert whats == ["tabulate: counts of int64"] + ["tabulate: sums of counts"] * 2


@pytest.mark.parametrize("given", [[], [np.ones(9)]])
def test_numbers_beyond_all_bins_are_refused(gpu, given):
    numbers = np.arange(9)
    told = way((9,), "d" if given else "l", Tree((9,)), range(2, 4))
    check(numbers, *given, **told | {"limit": 9})
    for wrong, limit in ((numbers, 8), (numbers - 3, 9)):
        text = "no negative elements" if wrong is not numbers else "a cell is 8"
        with pytest.raises(ValueError, match=text) as expected:
            CPU["tabulate"](None, wrong, *given, **told | {"limit": limit})
        with pytest.raises(ValueError, match=text) as found:
            CUDA["tabulate"](None, wrong, *given, **told | {"limit": limit})
        assert str(found.value) == str(expected.value)


def test_weights_that_a_gpu_lacks_are_refused(gpu):
    told = way((9,), "L", Tree((9,)))
    with pytest.raises(KernelDeviceError, match="kernel tabulate"):
        CUDA["tabulate"](None, np.arange(9), np.ones(9, "D"), **told)


@pytest.mark.parametrize("kind", [None, "d"])
@pytest.mark.parametrize("even", [True, False])
def test_cells_are_counted_by_bin(even, kind):
    cells = GENERATOR.normal(size=(9, 8))
    cells[0, :3] = np.nan, -1, 1
    others = [] if kind is None else [weights((9, 8), kind)]
    told = way((9, 8), "i8" if kind is None else "f8", Tree((9, 8), 32), range(1, 6), even=even)
    check(cells, np.linspace(-1, 1, 6), *others, **told)

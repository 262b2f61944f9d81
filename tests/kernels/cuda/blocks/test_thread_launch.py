from types import SimpleNamespace

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from dask_tapestry.cells import CellBuilder, Tree
from dask_tapestry_kernels.cuda.blocks.thread_launch import LOOP_CELLS, ThreadLaunch, of_threads

F8 = np.dtype("f8")


def doubled():
    builder = CellBuilder([F8])
    return builder.finish(builder.call("add", (0, 0), F8))


class Device:
    """Memory of NumPy; launches and other kernels are written down."""

    threads, processors = 32, 1

    def __init__(self):
        self.done = []
        names = ("map", "reduce", "scan", "view", "sort", "concat", "reshape")
        self.kernels = {name: self._named(name) for name in names}
        self.empty, self.strided, self.to_host = np.empty, as_strided, np.array

    def _named(self, name):
        return lambda out, *blocks, **told: self.done.append(name)

    def is_addressed_by_cells(self, block):
        return block.flags.aligned

    def launch(self, program, blocks, arguments):
        self.done.append(program.what)


@pytest.fixture
def device():
    return Device()


def launch_of(device, rank=1):
    return ThreadLaunch(device.kernels, device, rank)


def folded(cells):
    told = {"monoid": "sum", "axes": (1,), "tree": Tree(cells.shape[1:2]), "origin": (0,)}
    return told | {"dtype": F8, "state": F8, "ddof": 0.0, "source": None, "target": None}


def test_steps_wait_until_another_kernel_asks_for_cells(device):
    launch, cells = launch_of(device), np.ones((4, 5))
    launch["map"](None, cells, expression=doubled())
    launch["reduce"](None, cells, **folded(cells))
    launch["view"](None, cells)
    assert device.done == ["view"]
    launch["sort"](None, cells)
    assert device.done == ["view", "threads: 2 steps", "sort"]


def test_steps_are_launched_before_the_host_reads(device):
    launch, cells = launch_of(device), np.ones((4, 5))
    launch["reduce"](None, cells, **folded(cells))
    launch.to_host(cells)
    assert device.done == ["threads: 1 steps"]
    launch.launch()
    assert len(device.done) == 1


def test_a_formula_alone_is_its_own_kernels(device):
    launch = launch_of(device)
    launch["map"](None, np.ones((4, 5)), expression=doubled())
    launch.launch()
    assert device.done == ["map"]


@pytest.mark.parametrize(("cells", "done"), [(LOOP_CELLS, []), (LOOP_CELLS + 1, ["map"])])
def test_a_thread_goes_through_so_many_cells_and_no_more(device, cells, done):
    launch_of(device)["map"](None, np.ones((2, cells)), expression=doubled())
    assert device.done == done


@pytest.mark.parametrize("axis", [0, 1])
def test_joins_and_other_shapes_of_many_cells_are_the_kernels(device, axis):
    launch = launch_of(device)
    launch["reduce"](None, np.ones((4, 5)), **folded(np.ones((4, 5))))
    launch["concat"](None, np.ones((4, 900)), np.ones((4, 900)), axis=1)
    launch["reshape"](None, np.ones((4, 2000)), parts=(), shape=(4, 20, 100))
    assert device.done == ["threads: 1 steps", "concat", "reshape"]


def test_more_steps_than_a_kernel_takes_arguments_are_two_launches(device):
    launch, cells = launch_of(device), np.ones((4, 5))
    for _ in range(100):
        launch["reduce"](None, cells, **folded(cells))
    launch.launch()
    assert len(device.done) > 1
    assert sum(int(what.split()[1]) for what in device.done) == 100


def test_a_body_is_told_of_its_kernels_and_their_memory(device):
    def on_device(kernels, gpu, *blocks):
        assert kernels is gpu
        assert list(kernels) == list(device.kernels)
        return [kernels["map"](None, *blocks, expression=doubled()), gpu.launch()][0]

    body = SimpleNamespace(ids=(0, 1), on_device=on_device)
    made = of_threads(device.kernels, device, body, np.ones((4, 5, 2)))
    assert made.shape == (4, 5, 2)
    assert device.done == ["map"]

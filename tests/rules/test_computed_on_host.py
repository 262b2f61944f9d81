import pytest

import dask_tapestry as dt
from dask_tapestry.rules.computed_on_host import computed_on_host, may_move_to_host
from dask_tapestry.teg import Sink
from dask_tapestry.teg.node import topological
from dask_tapestry_kernels.block_format import on_cuda

X = dt.placeholder((4, 6), "f8")
THERE = X.to_device("cuda")


def lines(node):
    return [
        f"{one.operator.name}@{one.format.device if one.format else 'cpu'}"
        for one in dt.Array(node).teg
    ]


def test_what_was_brought_for_it_is_not():
    """``f(todevice(x)) -> todevice(f(x))``."""
    node = computed_on_host((THERE * 2).node)
    assert lines(node) == ["placeholder@cpu", "elementwise@cpu", "todevice@cuda"]


def test_one_after_the_other_crosses_the_link_once():
    first = computed_on_host((THERE * 2).node)
    second = computed_on_host((dt.Array(first) + 1).node)
    assert lines(second) == [
        "placeholder@cpu", "elementwise@cpu", "elementwise@cpu", "todevice@cuda",
    ]  # fmt: skip


def test_what_a_device_has_computed_is_brought_to_the_host():
    """``f(x) -> todevice(f(tohost(x)))``."""
    node = computed_on_host(dt.sort(THERE * 2).node)
    assert lines(node) == [
        "placeholder@cpu", "todevice@cuda", "elementwise@cuda", "todevice@cpu", "sort@cpu",
        "todevice@cuda",
    ]  # fmt: skip


def test_results_keep_their_device():
    assert computed_on_host((X.to_device("cuda:1") + 1).node).format == on_cuda(1)
    flags = computed_on_host(dt.isnan(THERE).node)
    assert (flags.format, flags.type.dtype) == (on_cuda(), bool)


def test_writes_take_cells_that_were_never_there(tmp_path):
    written = dt.to_zarr(THERE, tmp_path / "a.zarr", compute=False)
    sink = next(node for node in topological([written.node]) if isinstance(node.operator, Sink))
    assert may_move_to_host(sink)
    assert computed_on_host(sink).inputs[0] is X.node


@pytest.mark.parametrize(
    "x",
    [X + 1, THERE, THERE.to_device("cpu"), THERE.map_blocks(lambda block: block, dtype="f8")],
    ids=["of the host", "transfer there", "transfer back", "function of the user"],
)
def test_what_stays(x):
    assert not may_move_to_host(x.node)

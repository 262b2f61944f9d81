"""Copies and reshapes in the simulator have the cells that the CPU's have."""

import numpy as np
import pytest

from dask_tapestry.operators.views.reshape import GroupPart
from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from dask_tapestry_kernels.cuda.blocks import copies
from tests.comparisons import same_bits, values
from tests.kernels.cuda.simulated.run_kernel import is_on_device, run, uploaded

X = np.arange(24.0).reshape(2, 3, 4)


def copied(target, source):
    """What `copy_cells` writes, as an array of NumPy."""
    if not is_on_device():
        copies.copy_cells(target, source)
        return target
    made = uploaded(target)
    copies.copy_cells(made, uploaded(source))
    return made.get()


@pytest.mark.parametrize("kind", "?bhefdFD")
def test_transposes_of_every_dtype(gpu, kind):
    x = values((37, 45), kind)
    assert same_bits(copied(np.zeros((45, 37), kind), x.T).copy(), x.T.copy())
    assert "tile" in gpu.launches[0][0].source


@pytest.mark.parametrize("threads", [32, 64, 256])
@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (0, 2, 1), (1, 2, 0), (2, 0, 1)])
def test_orders_of_axes(gpu, order, threads):
    if not is_on_device():
        gpu.threads = threads
    x = values((18, 17, 33), "f")
    turned = x.transpose(order)
    assert same_bits(copied(np.zeros(turned.shape, "f"), turned).copy(), turned.copy())
    assert len(gpu.launches) == (order[2] != 2)


@pytest.mark.parametrize(
    "cut",
    [
        lambda x: x[::2].T,
        lambda x: x[::-1, ::3].T,
        lambda x: x[:, :3].T,
        lambda x: x[:1].T,
        lambda x: x[:0].T,
        lambda x: x,
        lambda x: np.broadcast_to(x[:, :1], x.shape).T,
    ],
)
def test_cells_lie_anyhow(gpu, cut):
    source = cut(values((40, 60), "d"))
    made = copied(np.zeros(source.shape)[..., ::-1], source)
    assert same_bits(made.copy(), source.copy())


def test_blocks_that_lie_otherwise_are_joined(gpu):
    left, right = values((20, 33), "d").T, values((33, 20), "d", 1)
    expected = CPU["concat"](None, left, right, axis=1)
    assert same_bits(run(CUDA["concat"], None, left, right, axis=1), expected)
    assert len(gpu.launches) == 1


def test_cells_in_order_are_not_copied(gpu):
    x = np.zeros((40, 40))
    if not is_on_device():
        assert copies.in_order(x) is x
        assert copies.in_order(x.T).flags.c_contiguous
        assert len(gpu.launches) == 1


def check(*blocks, **told):
    expected = CPU["reshape"](None, *blocks, **told)
    made = run(CUDA["reshape"], None, *blocks, **told)
    assert same_bits(np.ascontiguousarray(made), np.ascontiguousarray(expected))


def test_a_reshape_reads_a_box_of_running_numbers(gpu):
    block = np.arange(12.0).reshape(3, 4)
    part = GroupPart((0, 0), (3, 4), 2, (2, 3), (5, 1), 0, 6)
    check(block, parts=((part,),), shape=(2, 3))
    check(block[::-1], parts=((part,),), shape=(2, 3))
    assert not gpu.launches


def test_a_reshape_of_columns_in_disorder(gpu):
    part = GroupPart((0, 0), (40, 33), 0, (33, 40), (40, 1), 0, 1320)
    check(values((33, 40), "d").T, parts=((part,),), shape=(33, 40))
    assert len(gpu.launches) == 1


def test_a_reshape_is_put_together_from_pieces(gpu):
    x = np.arange(12.0).reshape(3, 4)
    parts = (
        GroupPart((0, 2), (1, 4), 0, (2,), (1,), 0, 2),
        GroupPart((1, 0), (2, 4), 0, (4,), (1,), 2, 4),
    )
    check(x[:1, 2:], x[1:2], parts=(parts,), shape=(2, 3))
    check(np.zeros((0, 2), "f4"), parts=(), shape=(0, 3))


def test_a_reshape_of_some_columns_is_a_view(gpu):
    parts = (
        (GroupPart((0, 0), (2, 3), 0, (6,), (1,), 0, 6),),
        (GroupPart((1,), (3,), 0, (2,), (1,), 0, 2),),
    )
    check(X[:, :, 1:3], parts=parts, shape=(6, 2))
    if not is_on_device():
        made = CUDA["reshape"](None, X[:, :, 1:3], parts=parts, shape=(6, 2))
        assert np.shares_memory(made, X)

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.windows.convolution import Convolution, DirectConvolution, paces
from dask_tapestry.teg import Progression, Region, TensorType, apply
from tests.operators.blocks import by_blocks, on_region, picked

RANDOM = np.random.default_rng(6)
X = RANDOM.integers(-9, 10, (3, 2, 4, 8, 11)).astype(float)
K = RANDOM.integers(-9, 10, (2, 5, 4, 2, 3)).astype(float)
HOW = [((1, 1), (1, 1)), ((2, 3), (1, 1)), ((1, 2), (3, 1)), ((3, 2), (2, 4))]
KINDS = pytest.mark.parametrize("kind", [Convolution, DirectConvolution])


def made(kind=Convolution, how=HOW[0], part=None, x=X, k=K):
    return apply(kind(*how, x.dtype, part), dt.asarray(x).node, dt.asarray(k).node)


@pytest.mark.few(5)  # each operator and way
@pytest.mark.covering
@KINDS
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("part", [None, 1, 3])
def test_blocks_of_exactly_what_they_demand_have_the_value(kind, how, part):
    node = made(kind, how, part)
    whole = node.operator.reference(X, K)
    for step in (1, 2, 9):
        np.testing.assert_array_equal(by_blocks(node, (X, K), step), whole)
    if part:
        np.testing.assert_array_equal(whole.sum(axis=0), made(kind, how).operator.reference(X, K))


def test_the_signature_carries_stride_and_dilation():
    node = made(how=((2, 3), (3, 1)))
    signature = node.operator.signature(*node.input_types)
    assert [dim.name for dim in signature.index] == ["n", "g", "k", "o0", "o1", "c"]
    x, _ = signature.inputs
    assert x.matrix[3:] == ((0, 0, 0, 2, 0, 0), (0, 0, 0, 0, 3, 0))
    assert (x.shape[3:], x.stride[3:]) == ((2, 3), (3, 1))


def test_a_block_reads_its_windows_and_the_halo():
    node = made(how=((2, 1), (1, 3)))
    box = dt.ZRange((1, 0, 2, 1, 2), (2, 1, 4, 3, 4))
    x, k = node.operator.demand(node.input_types, box)
    assert (x.lo, x.hi) == ((1, 0, 0, 2, 2), (2, 1, 4, 6, 10))
    assert (k.lo, k.hi) == ((0, 2, 0, 0, 0), (1, 4, 4, 2, 3))


REGIONS = (
    ((1, 1, 1), (0, 1, 1), (1, 2, 2), (0, 2, 2), (1, 1, 2)),
    ((0, 2, 2), (1, 1, 1), (0, 1, 5), (1, 1, 1), (0, 3, 2)),
    ((0, 1, 3), (0, 1, 2), (4, 1, 1), (0, 1, 2), (1, 2, 2)),
)


@pytest.mark.covering
@KINDS
@pytest.mark.parametrize("sides", REGIONS)
@pytest.mark.parametrize("how", HOW[:3])
def test_a_region_is_convolved_of_what_it_reads(kind, sides, how):
    node = made(kind, how)
    region = Region([Progression.of(*side) for side in sides])
    region = Region(
        [
            p if p.stop <= n else Progression.of(0, 1, 1)
            for p, n in zip(region, node.type.shape, strict=True)
        ]
    )
    value, yields = on_region(node, (X, K), region)
    assert yields == region
    np.testing.assert_array_equal(value, picked(node.operator.reference(X, K), region))


def test_a_part_of_partial_sums_is_computed_whole():
    node = made(part=2)
    whole = list(Region.whole(node.type.shape))
    assert (
        node.operator.restrict(node.input_types, Region([Progression(1, 1, 1), *whole[1:]])) is None
    )
    assert node.operator.restrict(node.input_types, Region(whole)) is not None


def test_floats_are_added_up_in_one_order_or_cut_along_channels():
    assert [form.name for form in made().operator.forms(made().input_types)] == ["parts"]
    direct = made(DirectConvolution)
    assert not direct.operator.forms(direct.input_types)
    exact = made(DirectConvolution, x=X.astype("i8"), k=K.astype("i8"))
    assert exact.operator.forms(exact.input_types)


@pytest.mark.parametrize("dtype", ["i4", "f8"])
def test_the_form_in_parts_has_the_value(dtype):
    x, k = X.astype(dtype), K.astype(dtype)
    kind = DirectConvolution if dtype == "i4" else Convolution
    node = made(kind, x=x, k=k)
    (form,) = node.operator.forms(node.input_types)
    for size in form.sizes:
        parts = dt.Array(form.make(node, size))
        assert parts.dtype == dtype
        np.testing.assert_array_equal(parts.compute(), node.operator.reference(x, k))


def test_names_of_batch_and_space_stay():
    x = TensorType(X.shape, X.dtype, ("n", "g", "c", "h", "w"))
    k = TensorType(K.shape, K.dtype)
    assert Convolution(*HOW[0], X.dtype).infer(x, k).dims == ("n", "g", None, "h", "w")
    assert Convolution(*HOW[0], X.dtype, 2).infer(x, k).dims == (None, "n", "g", None, "h", "w")


def test_work_and_memory_of_a_block_are_told():
    node = made()
    types, box = node.input_types, dt.ZRange((0,) * 5, (1, 1, 5, 2, 3))
    assert node.operator.flops(types, box) == 2 * 30 * 4 * 6
    assert node.operator.scratch_bytes(types, box) == 8 * (6 * (24 + 5) + 5 * 24)
    large = dt.nn.conv(
        dt.placeholder((1, 32, 4096, 4096), "f4"), dt.ones((32, 32, 3, 3), "f4")
    ).node
    convolution = large.inputs[0]
    whole = convolution.type.box
    held = convolution.operator.scratch_bytes(convolution.input_types, whole)
    assert held < 2**21  # a strip, not the nine times as many cells of all windows


def test_cells_between_windows_are_left_out():
    assert paces(2, 4, 9, 3) == (1, 2, 2)
    assert paces(3, 2, 9, 3) == (3, 2, 1)
    assert paces(5, 7, 9, 1) == (1, 1, 5)
    assert paces(5, 7, 1, 3) == (1, 1, 7)


def test_it_prints_what_it_is():
    assert made(how=HOW[3], part=2).operator.text() == "strides=(3, 2), dilation=(2, 4), parts of 2"

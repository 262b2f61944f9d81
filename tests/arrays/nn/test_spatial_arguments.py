import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.nn.spatial_arguments import MODES, padded, pads, per_axis


def test_one_number_stands_for_all_dimensions():
    assert per_axis("strides", np.int64(2), 3) == (2, 2, 2)
    assert per_axis("strides", [1, 2], 2) == (1, 2)
    assert per_axis("output_padding", 0, 1, 0) == (0,)


@pytest.mark.parametrize("given", [0, -1, (1, 0)])
def test_numbers_that_are_too_small_are_refused(given):
    with pytest.raises(dt.ArgumentError, match="strides must be a whole number of at least 1"):
        per_axis("strides", given, 2)


def test_other_kinds_of_numbers_are_refused():
    with pytest.raises(dt.ShapeError, match="one for each of 2 dimensions"):
        per_axis("window", (1, 2, 3), 2)
    for given in (1.5, "2", (1, None), True):
        with pytest.raises(dt.ArgumentTypeError):
            per_axis("window", given, 2)


@pytest.mark.covering
@pytest.mark.parametrize("n", [1, 5, 8])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("dilation", [1, 2])
def test_same_gives_a_window_for_each_cell_or_stride(n, stride, dilation):
    ((before, after),) = pads("same", (n,), (4,), (stride,), (dilation,))
    assert 0 <= after - before <= 1
    assert (n + before + after - 3 * dilation - 1) // stride + 1 == -(-n // stride)


def test_widths_are_numbers_or_pairs():
    told = ((8, 9), (3, 3), (1, 1), (1, 1))
    assert pads("valid", *told) == [(0, 0), (0, 0)]
    assert pads(2, *told) == [(2, 2), (2, 2)]
    assert pads((1, 2), *told) == [(1, 1), (2, 2)]
    assert pads([(1, 0), (0, 3)], *told) == [(1, 0), (0, 3)]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ("equal", dt.ArgumentError),
        (-1, dt.ArgumentError),
        ((1, 2, 3), dt.ShapeError),
        (((1, 2, 3), 1), dt.ArgumentError),
        (((1, -2), 1), dt.ArgumentError),
        (1.5, dt.ArgumentTypeError),
        (None, dt.ArgumentTypeError),
    ],
)
def test_other_paddings_are_refused(given, error):
    with pytest.raises(error):
        pads(given, (8, 8), (3, 3), (1, 1), (1, 1))


@pytest.mark.parametrize("mode", MODES)
def test_padding_is_numpys(mode):
    x = np.arange(24).reshape(2, 3, 4)
    named = {"zeros": "constant"}.get(mode, mode)
    made = dt.Array(padded(dt.asarray(x).node, [(1, 2), (3, 0)], mode)).compute()
    np.testing.assert_array_equal(made, np.pad(x, [(0, 0), (1, 2), (3, 0)], mode=named))


def test_there_must_be_cells_to_pad_with_and_a_known_mode():
    with pytest.raises(dt.ShapeError, match=r"no cells of .* along axis 1"):
        padded(dt.ones((2, 0)).node, [(1, 1)], "edge")
    with pytest.raises(dt.ArgumentError, match="did you mean 'zeros'"):
        padded(dt.ones((2, 3)).node, [(1, 1)], "zeroes")
    assert dt.Array(padded(dt.ones((2, 0)).node, [(1, 1)], "zeros", 3)).compute().tolist() == [
        [3, 3],
        [3, 3],
    ]

"""Random bits in the simulator are the CPU's."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS as CPU
from dask_tapestry_kernels.cuda import KERNELS as CUDA
from tests.comparisons import same_bits
from tests.kernels.cuda.simulated.run_kernel import run

KEY, DRAW = (11, 2**64 - 5), (3, 1)
PLACES = {
    "whole": ((7, 5), [range(7), range(5)]),
    "rows": ((9, 6), [range(2, 8), range(6)]),
    "columns": ((9, 6), [range(9), range(1, 4)]),
    "every second": ((9, 11), [range(0, 9, 2), range(1, 11, 3)]),
    "backwards": ((6, 7), [range(5, -1, -1), range(2, 7)]),
    "one": ((9, 6), [range(4, 5), range(3, 4)]),
    "none": ((9, 6), [range(0), range(6)]),
    "no axes": ((), []),
    "three axes": ((4, 3, 5), [range(1, 4), range(3), range(5)]),
    "steps before whole ones": ((8, 3, 5), [range(1, 8, 3), range(3), range(5)]),
    "over the end of a page": ((2**64 + 90,), [range(2**64 - 6, 2**64 + 5)]),
    "steps over the end of a page": (
        (2**62, 11),
        [range(2**62 // 11 * 4 - 9, 2**62 // 11 * 4 + 9, 2), range(1, 11, 3)],
    ),
    "pages": ((2**40, 9, 2**40), [range(7, 2**40, 2**38), range(1, 9, 2), range(2**39, 2**39 + 3)]),
    "pages backwards": ((2**70, 5), [range(2**68 + 2, 2**68 - 2, -1), range(2, 5)]),
    "far": ((2**40, 2**23), [range(2**40 - 2, 2**40), range(2**23 - 5, 2**23)]),
}


@pytest.mark.parametrize("name", PLACES)
def test_bits_of_any_places(gpu, name):
    frame, places = PLACES[name]
    told = {"key": KEY, "draw": DRAW, "frame": frame, "places": places}
    expected = CPU["randombits"](None, **told)
    assert same_bits(run(CUDA["randombits"], None, **told), expected)


@pytest.mark.parametrize(
    ("drop", "least", "dtype"), [(11, 0, "f8"), (11, 1, "f8"), (12, 0.5, "f8"), (40, 1, "f4")]
)
def test_fractions(gpu, drop, least, dtype):
    told = {"key": KEY, "draw": DRAW, "frame": (9, 6), "places": [range(9), range(1, 5)]}
    told |= {"drop": drop, "least": least, "dtype": np.dtype(dtype)}
    expected = CPU["randomfraction"](None, **told)
    assert same_bits(run(CUDA["randomfraction"], None, **told), expected)


def test_a_buffer_is_filled(gpu):
    told = {"key": KEY, "draw": DRAW, "frame": (9, 6), "places": [range(9), range(6)]}
    out = np.zeros((9, 6), np.uint64)
    assert same_bits(run(CUDA["randombits"], out, **told), CPU["randombits"](None, **told))
    assert out.any()

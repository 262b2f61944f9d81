import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import philox
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.jit.memory_layout import address
from dask_tapestry_kernels.formulas.philox_rounds import Fraction


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


KEY, DRAW = (11, 2**64 - 5), (3, 1)


def filled(starts, length, step, fraction, page=0):
    out = np.empty((len(starts), length), np.uint64 if fraction is None else fraction.dtype)
    native = compile_service.compiled(philox.source(fraction), philox.ARITY, "bits")
    numbers = [n - 2**64 if n >= 2**63 else n for n in (*KEY, *DRAW, page)]
    native(address(out), address(starts), len(starts), length, step, *numbers)
    return out


@pytest.mark.covering
@pytest.mark.parametrize("page", [0, 1, 2**64 - 1])
@pytest.mark.parametrize("length", [1, 3, 9, 40])
@pytest.mark.parametrize("step", [1, 3, 4, 7])
def test_runs_hold_numpys_numbers_from_any_place_on(step, length, page):
    counter = np.array([0, DRAW[1], DRAW[0], page], np.uint64)
    numbers = np.random.Philox(key=np.array(KEY, np.uint64), counter=counter).random_raw(400)
    starts = np.array([0, 1, 2, 3, 30], np.uint64)
    fraction = Fraction(11, 1, np.dtype("f8"))
    for start, run, part in zip(
        starts.tolist(),
        filled(starts, length, step, None, page),
        filled(starts, length, step, fraction, page),
        strict=True,
    ):
        expected = numbers[start::step][:length]
        assert np.array_equal(run, expected)
        assert np.array_equal(part, fraction.of(expected))

"""Logarithms of probabilities beside Python's integers and long decimals."""

from decimal import Decimal, localcontext
from math import comb, factorial

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.jit.compile_service import required

SOURCE = """\
from numba import carray, njit
import numpy as np
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import read_cell, write_cell
from dask_tapestry_kernels.variates.child import log_probabilities as p


@njit("void(int64, int64)", nogil=True)
def kernel(given, out):
    k, n, share = read_cell(given, 0, 0.0), read_cell(given, 1, 0.0), read_cell(given, 2, 0.0)
    write_cell(out, 0, p.log_factorial(k))
    write_cell(out, 1, p.log_poisson(k, share * n))
    write_cell(out, 2, p.log_binomial(k, n, share, 1.0 - share))
"""


def exact(k, n, share):
    with localcontext() as context:
        context.prec = 60
        k, mean, p = int(k), Decimal(share * n), Decimal(share)
        log_factorial = Decimal(factorial(k)).ln()
        chosen = Decimal(comb(int(n), k)).ln() + k * p.ln() + (int(n) - k) * Decimal(1 - share).ln()
        return [float(x) for x in (log_factorial, k * mean.ln() - mean - log_factorial, chosen)]


GIVEN = [
    (0, 5, 0.25),
    (1, 5, 0.5),
    (5, 5, 0.25),
    (15, 40, 0.25),
    (16, 40, 0.375),
    (900, 4000, 0.25),
]


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("given", [*GIVEN, (900, 4000, 0.25), (20_500, 40_000, 0.5)])
def test_logarithms_have_all_their_digits(given):
    cells, found = np.array(given, float), np.empty(3)
    required(SOURCE, 2, "probabilities")(cells.ctypes.data, found.ctypes.data)
    np.testing.assert_allclose(found, exact(*given), rtol=2e-14, atol=1e-15)

"""The loop over leaves and strips of columns, through the tables that `formula_states` makes."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction.formula_states import FEW_COLUMNS, MOST_FORMULAS
from tests.kernels.cpu.reduction.formula_columns import check, formula
from tests.kernels.cpu.reduction.leaf_cells import cells_of


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


@pytest.mark.parametrize("kept", [FEW_COLUMNS, 33, 64, 531, 1100])
@pytest.mark.parametrize("length", [2, 31, 33, 1024, 2500])
def test_any_number_of_rows_and_columns(length, kept):
    random = np.random.default_rng(3)
    blocks = [cells_of(random, "f8", (length, kept)) for _ in range(2)]
    product = formula("multiply", 0, 1, dtypes=("f8", "f8"))
    check("sum", blocks, [product])


@pytest.mark.parametrize("count", [2, 3, 5, MOST_FORMULAS])
def test_formulas_that_are_folded_together(count):
    """Some have constants, which are operands of their own."""
    random = np.random.default_rng(6)
    blocks = [cells_of(random, "f8", (1100, 300)) for _ in range(2)]
    kinds = ("multiply", 0, 1), ("multiply", 0, 0), ("add", 1, 2.5), ("subtract", 1, 0)
    expressions = [formula(*kinds[i % 4], dtypes=("f8", "f8")) for i in range(count)]
    check("mean", blocks, expressions)

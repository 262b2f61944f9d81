"""The loop over leaves and strips of columns, through the tables that `formula_states` makes."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction.column_widths import MOST_FORMULAS
from dask_tapestry_kernels.cpu.reduction.formula_states import FEW_COLUMNS
from tests.kernels.cpu.reduction.formula_columns import check, formula
from tests.kernels.cpu.reduction.leaf_cells import cells_of


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


@pytest.mark.parametrize("kept", [FEW_COLUMNS, 33, 64, 531, 1100, 4131])
@pytest.mark.parametrize("length", [2, 31, 33, 300, 1024, 2500])
def test_any_number_of_rows_and_columns(length, kept):
    random = np.random.default_rng(3)
    blocks = [cells_of(random, "f8", (length, kept)) for _ in range(2)]
    product = formula("multiply", 0, 1, dtypes=("f8", "f8"))
    check("sum", blocks, [product])


@pytest.mark.few(5)  # each monoid
@pytest.mark.parametrize("count", [2, 3, 5, 7, 11, 13, MOST_FORMULAS, MOST_FORMULAS + 1, 37])
@pytest.mark.parametrize(
    ("monoid", "dtype"), [("mean", "f8"), ("nanmean", "f8"), ("nanmean", "c16"), ("sum", "i1")]
)
def test_formulas_that_are_folded_together(monoid, dtype, count):
    """Some have constants, which are operands of their own; columns are those of several strips."""
    random = np.random.default_rng(count)
    dtypes, number = (dtype, dtype), 2.5 if dtype == "f8" else 0
    kinds = ("multiply", 0, 1), ("multiply", 0, 0), ("add", 1, number), ("subtract", 1, 0)
    expressions = [formula(*kinds[i % 4], dtypes=dtypes) for i in range(count)]
    for shape in (70, 300), (33, 1100), (9, 3001), (290, 1501):
        check(monoid, [cells_of(random, dtype, shape) for _ in range(2)], expressions)

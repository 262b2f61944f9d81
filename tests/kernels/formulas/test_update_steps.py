import numpy as np

from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.cells.cell_updates import cell_update, ufunc_update
from dask_tapestry_kernels.formulas.update_steps import (
    only_moves,
    update_dtypes,
    update_statements,
)

F4, F8 = np.dtype("f4"), np.dtype("f8")


def test_updates_that_replace_are_moves():
    assert only_moves([cell_update("update", F8)])
    assert not only_moves([cell_update("add", F8)])
    assert update_statements(((F8, None), (F4, None))) == ["r0 = v2", "r1 = v3"]


def test_statements_have_the_meanings_of_formulas():
    fold = ((F4, ufunc_update("add", F4, F8)),)
    assert update_dtypes(fold) == [F8]
    made = update_statements(fold)
    assert made == [
        "s0_0 = np.float64(v0)", "s0_1 = s0_0 + v1", "s0_2 = np.float32(s0_1)", "r0 = s0_2"
    ]  # fmt: skip


def test_steps_without_a_meaning_have_no_statements():
    builder = CellBuilder((F8, F8))
    assert update_statements(((F8, builder.finish(builder.call("spacing", (1,), F8))),)) is None

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.cells.cell_updates import cell_update
from dask_tapestry_kernels.cuda.blocks.scatter_texts import (
    fold_program,
    once_program,
    rows_program,
)

INTP, F8 = np.dtype(np.intp), np.dtype("f8")


def folds(name, kind):
    dtype = np.dtype(kind)
    return ((dtype, cell_update(name, dtype)),)


@pytest.mark.parametrize("strict", [False, True])
def test_rows_of_updates_compile(strict, check_assembly):
    check_assembly(rows_program((INTP,), 1, strict), 40)
    check_assembly(rows_program((INTP, INTP), 3, strict), 48)
    check_assembly(rows_program((), 2, False), 40)


@pytest.mark.parametrize("look", [False, True])
def test_marks_compile(look, check_assembly):
    check_assembly(once_program(look), 32)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize(("name", "kind"), [("add", "d"), ("mul", "F"), ("min", "e"), ("add", "b")])
def test_folds_compile_without_contraction(name, kind, ordered, check_assembly):
    check_assembly(fold_program(folds(name, kind), ordered), 56)


def test_products_and_sums_of_updates_are_not_contracted(check_assembly):
    builder = CellBuilder((F8, F8))
    product = builder.call("multiply", (0, 1), F8)
    expression = builder.finish(builder.call("add", (product, 1), F8))
    check_assembly(fold_program(((F8, expression),), True), 56)


def test_the_last_update_replaces_a_cell(check_assembly):
    program = fold_program(((np.dtype("u8"), None),), True)
    assert "if row >= 0 and (p + 1 == count or rows[p + 1] != row):" in program.source
    assert "while p" not in program.source
    check_assembly(program, 40)


def test_what_has_no_compiled_meaning_has_no_program():
    assert fold_program(folds("add", "m8[s]"), True) is None

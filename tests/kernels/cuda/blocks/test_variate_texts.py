import pytest

from dask_tapestry_kernels.cuda.blocks.variate_texts import cell_program, row_program
from dask_tapestry_kernels.parameters.variates import DRAWS, ROW_DRAWS
from tests.covering import share_of

CELLS, ROWS = 80, 96  # registers


@pytest.mark.few(4)  # all are compiled at night
@pytest.mark.parametrize("name", share_of(DRAWS, 3))
def test_draws_compile_without_contraction(name, check_assembly):
    program = cell_program(name, (True,) * len(DRAWS[name].parameters), 2, False)
    check_assembly(program, CELLS, fused=True)


@pytest.mark.parametrize("name", ROW_DRAWS)
def test_draws_of_rows_compile_without_contraction(name, check_assembly):
    check_assembly(row_program(name, True, 2, False), ROWS, fused=True)


def test_draws_of_numbers_and_of_many_cells_compile(check_assembly):
    check_assembly(cell_program("binomial", (False, True), 3, True), CELLS + 16, fused=True)


def test_parameters_are_numbers_or_blocks():
    source = cell_program("binomial", (False, True), 1, False).source
    assert "out[i] = binomial(stream, x0, x1[np.int64(c0) * g1_0])" in source

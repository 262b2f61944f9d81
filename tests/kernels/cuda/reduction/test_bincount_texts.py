import numpy as np
import pytest

from dask_tapestry_kernels.cuda.reduction.bincount_texts import (
    count_program,
    ordered_program,
    sum_program,
)
from tests.kernels.cuda.assembled import assembled

I8, F8 = np.dtype("i8"), np.dtype("f8")


@pytest.mark.covering(together=1)
@pytest.mark.parametrize(("rank", "size"), [(1, 1024), (3, 12_288)])
@pytest.mark.parametrize("strict", [False, True])
def test_counts_compile_with_a_table_in_shared_memory(rank, size, strict, check_assembly):
    program = count_program(I8, rank, size, strict)
    check_assembly(program, 64, shared=4 * size)
    assert assembled(program.source, 90).resources.shared == 4 * size
    assert "atom.shared.add" in assembled(program.source, 90).ptx


@pytest.mark.parametrize("kind", ["i4", "i8"])
def test_sums_of_counts_compile(kind, check_assembly):
    check_assembly(sum_program(np.dtype(kind)), 48)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize(("weight", "state"), [(None, "l"), ("e", "d"), ("d", "d"), ("F", "D")])
@pytest.mark.parametrize("rank", [1, 2])
def test_weights_are_added_in_order_without_contraction(weight, state, rank, check_assembly):
    given = None if weight is None else np.dtype(weight)
    program = ordered_program(I8, given, np.dtype(state), rank, True)
    assert program.threads == 32
    check_assembly(program, 80, shared=32 * 24)


def test_weights_that_are_no_states_have_no_program():
    assert ordered_program(I8, F8, np.dtype("u8"), 1, False) is None

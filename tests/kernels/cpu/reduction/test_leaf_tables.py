import numpy as np
import pytest
from numba import njit

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import record_at
from dask_tapestry_kernels.cpu.reduction.leaf_tables import OPERAND, record


def test_compiled_code_reads_what_numpy_wrote_and_may_write_it():
    _, operand_at = record_at(OPERAND)

    @njit("int64(int64)")
    def along(address):
        operand = operand_at(address)
        operand.cell += operand.down
        return operand.along

    told = record(OPERAND, along=3, over=4, down=2, cell=1)
    assert along(told.ctypes.data) == 3
    assert told["cell"] == 3


def test_a_field_that_is_missing_or_of_another_record_is_an_error():
    with pytest.raises(ValueError, match="not the fields"):
        record(OPERAND, cell=1, down=2)
    with pytest.raises(ValueError, match="not the fields"):
        record(OPERAND, cell=1, down=2, over=4, along=3, size=4)
    with pytest.raises(ValueError, match="not the fields"):
        record(np.dtype("i8"))

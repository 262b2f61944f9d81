import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks.sort_texts import (
    from_keys_program,
    key_dtype,
    to_keys_program,
)


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("kind", "efd")
@pytest.mark.parametrize("places", [False, True])
def test_keys_compile_with_few_registers(kind, places, check_assembly):
    check_assembly(to_keys_program(np.dtype(kind), places), 32)


@pytest.mark.parametrize("kind", "efd")
def test_cells_of_keys_compile_with_few_registers(kind, check_assembly):
    check_assembly(from_keys_program(np.dtype(kind)), 32)


def test_floats_are_sorted_as_integers_of_their_size():
    assert [key_dtype(np.dtype(k)).str for k in "efd?lB"] == [
        "<i2", "<i4", "<i8", "|u1", "<i8", "|u1"
    ]  # fmt: skip

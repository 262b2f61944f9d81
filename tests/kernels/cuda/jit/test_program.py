import numpy as np
import pytest

from dask_tapestry_kernels.cuda.jit.program import memory_type, pointer_type


@pytest.mark.parametrize(
    ("kind", "name"),
    [("?", "uint8"), ("e", "uint16"), ("f", "float32"), ("q", "int64"), ("D", "complex128")],
)
def test_cells_in_memory_have_types(kind, name):
    assert memory_type(np.dtype(kind)) == name
    assert pointer_type(np.dtype(kind)) == f"CPointer({name})"

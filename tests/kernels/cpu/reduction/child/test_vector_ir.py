import numpy as np
from llvmlite import ir

from dask_tapestry_kernels.cpu.reduction.child import vector_ir as v


def test_types_in_memory_and_in_registers():
    names = {name: np.dtype(name) for name in ("?", "i2", "f2", "f4", "c8", "c16")}
    assert {name: str(v.stored(dtype)) for name, dtype in names.items()} == {
        "?": "i8", "i2": "i16", "f2": "half", "f4": "float", "c8": "float", "c16": "double"
    }  # fmt: skip
    assert v.held(names["f2"]) == v.FLOAT
    assert [v.parts(dtype) for dtype in names.values()] == [1, 1, 1, 1, 2, 2]


def test_constants():
    vector = ir.VectorType(v.DOUBLE, 2)
    assert str(v.every(vector, 1.5)).count("0x3ff8000000000000") == 2
    assert "i32 3, i32 4" in str(v.iota(2, 3))

import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.kernel_table import joined


def test_tables_become_one_that_nobody_changes():
    table = joined({"a": min}, {}, {"b": max})
    assert dict(table) == {"a": min, "b": max}
    with pytest.raises(TypeError):
        table["c"] = min


def test_no_two_kernels_have_one_name():
    with pytest.raises(ValueError, match="two kernels are called a, b"):
        joined({"a": min, "b": max}, {"b": max, "a": max, "c": max})


def test_the_kernels_of_the_cpu_are_functions_that_say_what_they_do():
    assert all(kernel.__doc__ for kernel in KERNELS.values())

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import dask_tapestry_kernels
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.kernel_table import KernelTable

PACKAGE = Path(next(iter(dask_tapestry_kernels.__path__)))


def modules_with_kernels():
    """The modules that have a table of their own."""
    for file in sorted((PACKAGE / "cpu").glob("*/*.py")):
        if "\nKERNELS" in file.read_text():
            parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
            yield import_module(".".join(parts))


def test_kernels_come_from_their_modules():
    table = KernelTable("tests.kernels", {"test_kernel_table": "one two", "none": "three"})
    assert list(table) == ["one", "two", "three"]
    assert len(table) == 3
    assert "three" in table
    assert "four" not in table
    with pytest.raises(KeyError):
        table["four"]
    with pytest.raises(ModuleNotFoundError):
        table["three"]
    with pytest.raises(TypeError):
        table["one"] = min


def test_no_two_kernels_have_one_name():
    with pytest.raises(ValueError, match="two kernels are called b"):
        KernelTable("somewhere", {"first": "a b", "second": "c b"})


def test_the_table_has_all_kernels_of_all_modules_and_no_others():
    found = {name: k for module in modules_with_kernels() for name, k in module.KERNELS.items()}
    assert dict(KERNELS) == found
    assert len(found) == sum(len(module.KERNELS) for module in modules_with_kernels())


def test_the_kernels_of_the_cpu_are_functions_that_say_what_they_do():
    assert all(kernel.__doc__ for kernel in KERNELS.values())


def test_a_module_is_imported_when_one_of_its_kernels_is_asked_for():
    program = """
import sys
from dask_tapestry_kernels.cpu import KERNELS
name = "dask_tapestry_kernels.cpu.blocks.sort"
assert name not in sys.modules and "sort" in KERNELS
KERNELS["sort"]
assert name in sys.modules and "dask_tapestry_kernels.cpu.blocks.fourier" not in sys.modules
"""
    environment = {"PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr

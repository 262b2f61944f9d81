"""Libraries take part by a module of their name."""

import re
import subprocess
import sys
from pathlib import Path

import dask_tapestry
from dask_tapestry_kernels.block_libraries import library_named, names
from dask_tapestry_kernels.block_library import BlockLibrary

WORD = re.compile(r"\bsparse\b")
# The operator of weights, which says what it is, and NumPy's arguments of this name.
OTHERS = ("sparse_", "row_footprint", "kernel_rates", "grids.py", "/__init__.py")
INDICES = "np.indices("


def test_each_module_has_a_library():
    for name in names():
        assert isinstance(library_named(name), BlockLibrary)
    assert library_named("") is library_named("numpy") is library_named("__init__") is None


def test_no_library_is_imported_before_its_arrays_are_met():
    code = "import sys, dask_tapestry as dt\ndt.ones(3).sum().compute()\n"
    code += "prefix = 'dask_tapestry_kernels.block_libraries.'\n"
    code += "assert not [name for name in sys.modules if name.startswith(prefix)]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_else_names_them():
    root = Path(dask_tapestry.__file__).parent
    found = []
    for path in root.rglob("*.py"):
        if any(one in path.as_posix() for one in OTHERS):
            continue
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if WORD.search(line) and INDICES not in line:
                found.append(f"{path.relative_to(root)}:{number}: {line.strip()}")
    assert not found, found

import subprocess
import sys

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.reduction.fold_sources import FORMULAS, LEAVES, fold_source

F8 = np.dtype("f8")


def test_texts_are_made_without_numba():
    code = (
        "import sys, dask_tapestry_kernels.cpu.reduction.reduce, numpy as np;"
        "from dask_tapestry_kernels.cpu.reduction.fold_sources import fold_source;"
        "fold_source('sum', np.dtype('f8'), np.dtype('f8'));"
        "sys.exit('numba' in sys.modules or 'llvmlite' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("text", [LEAVES, FORMULAS, fold_source("sum", F8, F8)])
def test_texts_define_a_kernel(text):
    assert "\ndef kernel(" in text
    compile(text, "text", "exec")


def test_what_is_not_supported_has_none():
    assert fold_source("sum", np.dtype("O"), np.dtype("O")) is None

import subprocess
import sys

import numpy as np

from dask_tapestry.io.sources.masked_array import is_masked


def test_masked_arrays_are_told_from_others():
    class Own(np.ma.MaskedArray):
        pass

    assert all(map(is_masked, [np.ma.ones(2), np.ma.masked, np.ones(2).view(Own)]))
    assert not any(map(is_masked, [np.ones(2), [1], None, np.ma]))


def test_nothing_is_imported_to_tell():
    code = "import sys, numpy as np; from dask_tapestry.io.sources.masked_array import is_masked\n"
    code += "assert not is_masked(np.ones(2)) and 'numpy.ma' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)

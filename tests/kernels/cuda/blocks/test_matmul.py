from types import SimpleNamespace

import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks import matmul as module


@pytest.fixture
def asked(monkeypatch):
    """The dtypes of the products that the library is asked for."""
    dtypes = []

    def product(x, w):
        dtypes.append((x.dtype.char, w.dtype.char))
        return np.matmul(x, w)

    library = SimpleNamespace(matmul=product)
    monkeypatch.setattr(module, "runtime", lambda: SimpleNamespace(library=library))
    return dtypes


def test_truth_values_are_counted(asked):
    x = np.ones((2, 300), bool)
    made = module.matmul(None, x, x.T, dtype=np.dtype(bool), part=None)
    assert made.dtype == bool
    assert made.all()
    assert asked == [("i", "i")]


def test_layers_of_halves_are_added_up_in_single_precision(asked):
    x = np.ones((2, 3), "e")
    made = module.linear(None, x, x.T, dtype=np.dtype("e"))
    assert (made.dtype.char, asked) == ("e", [("f", "f")])

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks import matrices as module


@pytest.fixture
def library(monkeypatch):
    """NumPy in place of CuPy, of whose stacks of equations none are broadcast."""
    gpu = SimpleNamespace(library=np, empty=np.empty, errors_of_matrices=nullcontext)
    monkeypatch.setattr(module, "runtime", lambda: gpu)
    return np


def test_an_error_says_what_numpys_says(library):
    told = {"keep": (slice(0, 2), slice(0, 2)), "dtype": np.dtype("d"), "is_stack": False}
    with pytest.raises(np.linalg.LinAlgError, match=r"^Singular matrix$"):
        module.KERNELS["inv"](None, np.zeros((2, 2)), **told)


def test_only_singular_matrices_of_a_stack_have_no_inverse(library):
    stack = np.stack([np.zeros((2, 2)), np.eye(2)])
    made = module.inverse_or_nan(library, stack)
    assert np.isnan(made[0]).all()
    assert (made[1] == np.eye(2)).all()


def test_the_upper_factor_is_the_adjoint_of_the_lower_one(library):
    x = np.array([[4, 2j], [9, 5]])  # the lower triangle is not looked at
    made = module.cholesky(library, x, upper=True)
    np.testing.assert_allclose(made.conj().T @ made, [[4, 2j], [-2j, 5]])

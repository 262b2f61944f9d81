"""What stands for CuPy's functions behaves as CuPy's documentation says theirs do.

Parameters are those of CuPy 14.2.0, as ``inspect.signature`` gives them.
"""

import inspect

import numpy as np
import pytest

from tests.kernels.cuda.simulated import cupy_functions as library

PARAMETERS = {
    "argsort": "a axis kind",
    "asarray": "a dtype order copy blocking",
    "broadcast_to": "array shape",
    "concatenate": "tup axis out dtype casting",
    "full_like": "a fill_value dtype order subok shape",
    "sort": "a axis kind",
    "stack": "tup axis out dtype casting",
    "take_along_axis": "a indices axis",
    "fft.fft": "a n axis norm",
    "fft.ifft": "a n axis norm",
    "fft.irfft": "a n axis norm",
    "fft.rfft": "a n axis norm",
    "linalg.cholesky": "a",
    "linalg.det": "a",
    "linalg.eigh": "a UPLO",
    "linalg.eigvalsh": "a UPLO",
    "linalg.inv": "a",
    "linalg.qr": "a mode",
    "linalg.slogdet": "a",
    "linalg.solve": "a b",
    "linalg.svd": "a full_matrices compute_uv",
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_are_the_first_of_cupys(name):
    function = library
    for part in name.split("."):
        function = getattr(function, part)
    names = list(inspect.signature(function).parameters)
    assert names == PARAMETERS[name].split()[: len(names)]


def test_every_function_is_listed():
    names = [n for n, one in vars(library).items() if inspect.isfunction(one) and n[0] != "_"]
    inner = {n.partition(".")[2] for n in PARAMETERS if "." in n}
    others = {"matmul", "sign", "errors_of_matrices", "contextmanager"}  # ufuncs have no signature
    assert set(names) - inner - others <= {*PARAMETERS}


def test_sorts_are_stable_and_have_no_kinds():
    assert library.argsort(np.array([1, 0, 1, 0])).tolist() == [1, 3, 0, 2]
    for function in (library.sort, library.argsort):
        with pytest.raises(ValueError, match="Kind can only be None or 'stable'"):
            function(np.ones(3), kind="quicksort")


@pytest.mark.parametrize(("kind", "made"), [("e", "F"), ("f", "F"), ("l", "D"), ("D", "D")])
def test_transforms_have_the_precision_of_their_cells(kind, made):
    assert library.fft.fft(np.ones(4, kind)).dtype == made
    with pytest.raises(ValueError, match="Invalid norm"):
        library.fft.fft(np.ones(4, kind), norm="other")


def test_half_precision_has_no_matrices():
    with pytest.raises(TypeError, match="float16 is unsupported in linalg"):
        library.linalg.inv(np.eye(2, dtype="e"))


def test_wrong_matrices_are_told_where_that_is_asked_for_alone():
    assert library.linalg.cholesky(-np.eye(2)).shape == (2, 2)
    with library.errors_of_matrices(), pytest.raises(np.linalg.LinAlgError, match="cuSOLVER"):
        library.linalg.cholesky(-np.eye(2))


def test_equations_are_not_broadcast():
    with pytest.raises(ValueError, match="a must have"):
        library.linalg.solve(np.eye(2), np.ones((3, 2, 2)))


def test_what_cufft_does_not_say_is_not_asked():
    with pytest.raises(AssertionError):
        library.fft.irfft(np.array([1 + 1j, 2, 3]), 4)

"""What kernels call of CuPy's functions, on NumPy's arrays, with what CuPy has and no more.

Parameters, refusals and dtypes are those of CuPy 14.2 (`cupy/_sorting/sort.py`, `cupy/fft/_fft.py`,
`cupy/linalg/`), which NumPy's functions go beyond.
"""

from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np

_checking = []


@contextmanager
def errors_of_matrices():
    """``cupyx.errstate(linalg="raise")``."""
    _checking.append(True)
    try:
        yield
    finally:
        _checking.pop()


def sort(a, axis=-1, kind=None):
    """Stable; no other kind is accepted."""
    _stable(kind)
    return np.sort(a, axis=axis, kind="stable")


def argsort(a, axis=-1, kind=None):
    """Stable; no other kind is accepted."""
    _stable(kind)
    return np.argsort(a, axis=axis, kind="stable")


def take_along_axis(a, indices, axis):
    """Along one axis, of arrays of as many."""
    if indices.ndim != a.ndim:
        raise ValueError("`indices` and `a` must have the same number of dimensions")
    return np.take_along_axis(a, indices, axis)


def _stable(kind):
    if kind not in (None, "stable"):
        raise ValueError("Kind can only be None or 'stable'")


def matmul(x1, x2, /, out=None):
    """Of one dtype each, which need not be asked for."""
    return np.matmul(x1, x2, out=out)


def asarray(a):
    return np.array(a)


def concatenate(tup, axis=0):
    return np.concatenate(tup, axis)


def stack(tup, axis=0):
    return np.stack(tup, axis)


def broadcast_to(array, shape):
    return np.broadcast_to(array, shape)


def full_like(a, fill_value):
    return np.full_like(a, fill_value)


def sign(x):
    return np.sign(x)


def _transform(name):
    numpy_function = getattr(np.fft, name)

    def transform(a, n=None, axis=-1, norm=None):
        """float16 becomes float32 first, as cuFFT has no transforms of it that CuPy uses."""
        if norm not in (None, "backward", "ortho", "forward"):
            raise ValueError(f"Invalid norm value {norm}")
        given = a.astype(np.float32) if a.dtype == np.float16 else a
        if name == "irfft" and a.dtype.kind == "c":
            _check_hermitian(np.moveaxis(given, axis, -1), n)
        return numpy_function(given, n, axis, norm)

    return transform


def _check_hermitian(lanes, n):
    """What cuFFT yields for ends that are not real is not said."""
    ends = [0, n // 2] if n % 2 == 0 and lanes.shape[-1] > n // 2 else [0]
    assert not lanes[..., ends].imag.any()


def _of_matrices(function, raises=True):
    """A function of `numpy.linalg` that is told wrong matrices where that is looked for alone."""

    def called(*arrays, **options):
        if any(a.dtype == np.float16 for a in arrays):
            raise TypeError("float16 is unsupported in linalg")
        try:
            return function(*arrays, **options)
        except np.linalg.LinAlgError:
            if _checking and raises:
                raise np.linalg.LinAlgError("Error reported by potrf in cuSOLVER.") from None
            return np.full_like(arrays[-1], 7)  # anything

    return called


def cholesky(a):
    return _of_matrices(np.linalg.cholesky)(a)


def inv(a):
    return _of_matrices(np.linalg.inv)(a)


def solve(a, b):
    if b.ndim > 1 and a.shape[:-1] != b.shape[:-1]:
        raise ValueError("a must have (..., M, M) shape and b must have (..., M, K)")
    return _of_matrices(np.linalg.solve)(a, b)


def qr(a, mode="reduced"):
    return _of_matrices(np.linalg.qr)(a, mode=mode)


def svd(a, full_matrices=True, compute_uv=True):
    return _of_matrices(np.linalg.svd)(a, full_matrices=full_matrices, compute_uv=compute_uv)


def det(a):
    return np.asarray(_of_matrices(np.linalg.det)(a))


def slogdet(a):
    sign, logarithm = _of_matrices(np.linalg.slogdet)(a)
    return np.asarray(sign), np.asarray(logarithm)


def eigvalsh(a, UPLO="L"):
    return _of_matrices(np.linalg.eigvalsh)(a, UPLO=UPLO)


def eigh(a, UPLO="L"):
    return _of_matrices(np.linalg.eigh)(a, UPLO=UPLO)


fft = SimpleNamespace(**{name: _transform(name) for name in ("fft", "ifft", "rfft", "irfft")})
linalg = SimpleNamespace(
    cholesky=cholesky,
    det=det,
    eigh=eigh,
    eigvalsh=eigvalsh,
    inv=inv,
    qr=qr,
    slogdet=slogdet,
    solve=solve,
    svd=svd,
)

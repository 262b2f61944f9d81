"""How far an elementary function is from the true one, in units in the last place."""

from collections.abc import Callable
from functools import cache

import mpmath
import numpy as np
from numba import njit

from dask_tapestry_kernels.elementary.functions import FUNCTIONS

DIGITS = mpmath.MPContext()
DIGITS.prec = 120
NAN = float("nan")
SPECIAL = [
    *(s * v for s in (1.0, -1.0) for v in (0.0, 5e-324, 1e-310, 2.0**-1022, 1e-45, 2.0**-126)),
    *(s * v for s in (1.0, -1.0) for v in (0.5, 1.0, 1.5, 2.0, 3.0, 2.5, 100.0, 2.0**53 - 1)),
    *(s * v for s in (1.0, -1.0) for v in (2.0**53, 1e22, 3.4e38, 1e300, np.finfo("f8").max)),
    *(np.inf, -np.inf, np.nan, 1 - 2.0**-53, 1 + 2.0**-52, 1 - 2.0**-24, 1 + 2.0**-23),
]  # fmt: skip


@cache
def loop(function: Callable, arity: int = 1) -> Callable:
    """Compile a loop of a function of cells over arrays."""
    if arity == 1:

        @njit(error_model="numpy")
        def over(x, out):
            for i in range(x.size):
                out[i] = function(x[i])
    else:

        @njit(error_model="numpy")
        def over(x, y, out):
            for i in range(x.size):
                out[i] = function(x[i], y[i])

    return over


def values(name: str, *arguments: np.ndarray) -> np.ndarray:
    """Return a registered function of arrays; the careful one of two, having compared them."""
    elementary, dtype = FUNCTIONS[name], arguments[0].dtype
    function = getattr(elementary, dtype.name)
    care = getattr(elementary, f"care_{dtype.name}")
    out = np.empty_like(arguments[0])
    loop(function, elementary.arity)(*arguments, out)
    if care is None:
        return out
    needed, careful = np.empty(out.shape, bool), np.empty_like(out)
    loop(care.needed, elementary.arity)(*arguments, needed)
    loop(care.careful, elementary.arity)(*arguments, careful)
    bits = f"u{dtype.itemsize}"
    assert np.array_equal(out[~needed].view(bits), careful[~needed].view(bits))
    return careful


def _ulps(got: float, true, size=None) -> float:
    """Error of a float64 in units in the last place of the true value, or of a bigger size."""
    size = true if size is None else max(abs(true), abs(size))
    unit = mpmath.ldexp(1, max(mpmath.frexp(size)[1] - 53, -1074)) if size else 2.0**-1074
    if np.isinf(got):
        got = DIGITS.ldexp(1, 1024) * (1 if got > 0 else -1)
        true = min(abs(true), abs(got)) * (1 if true > 0 else -1)
    return float(abs(DIGITS.mpf(got) - true) / unit)


def worst(name: str, true: Callable, *arguments, size: Callable | None = None) -> float:
    """Greatest error of a function of float64 over samples, against mpmath at 120 bits."""
    arguments = [np.asarray(argument, np.float64) for argument in arguments]
    got = values(name, *arguments)
    errors = [0.0]
    for value, *cells in zip(got.tolist(), *(a.tolist() for a in arguments), strict=True):
        numbers = [DIGITS.mpf(cell) for cell in cells]
        scale = None if size is None else size(*numbers)
        errors.append(_ulps(value, true(*numbers), scale))
    return max(errors)


def worst_f32(name: str, true: Callable, *arguments, size: Callable | None = None) -> float:
    """Greatest error of a function of float32 over samples, against float64 NumPy."""
    with np.errstate(all="ignore"):
        got = values(name, *arguments).astype(np.float64)
        wide = [argument.astype(np.float64) for argument in arguments]
        want = true(*wide)
        scale = np.abs(want) if size is None else np.maximum(np.abs(want), np.abs(size(*wide)))
        exponent = np.frexp(np.where(np.isfinite(scale), scale, 0))[1]
        unit = np.ldexp(1.0, np.maximum(exponent - 24, -149))
        bound = 2.0**128  # what infinity stands for
        error = np.abs(np.clip(got, -bound, bound) - np.clip(want, -bound, bound)) / unit
    assert np.array_equal(np.isnan(got), np.isnan(want))
    return float(np.nanmax(error, initial=0.0))


def patterns(step: int = 2503) -> np.ndarray:
    """Return float32 numbers of every so many-th pattern of bits."""
    return np.arange(0, 2**32, step, dtype=np.uint64).astype(np.uint32).view(np.float32)


def around(*points: float, count: int = 40) -> np.ndarray:
    """Return float64 numbers next to some points, on both sides of 0."""
    bits = np.array(points, np.float64).view(np.int64)[:, None] + np.arange(-count, count + 1)
    near = bits.ravel().view(np.float64)
    return np.concatenate([near, -near])


def spread(low: float, high: float, count: int = 1000) -> np.ndarray:
    """Return float64 numbers between bounds, evenly and by every exponent."""
    rng = np.random.default_rng(7)
    exponents = np.exp2(rng.uniform(-1074, 1024, count)) * rng.choice([-1.0, 1.0], count)
    middle = np.exp2(rng.uniform(-40, 12, count)) * rng.choice([-1.0, 1.0], count)
    every = np.concatenate([exponents, middle, 2 * rng.uniform(low / 2, high / 2, count)])
    return every[(every >= low) & (every <= high)]


def same_ends(name: str, numpy_function: Callable) -> None:
    """Compare a function with NumPy's at special cells: NaN, infinities, zeros and their signs."""
    for dtype in (np.float64, np.float32):
        with np.errstate(all="ignore"):
            cells = np.array(SPECIAL).astype(dtype)
            pairs = [cells]
            if FUNCTIONS[name].arity == 2:
                pairs = [a.ravel().copy() for a in np.meshgrid(cells, cells)]
            want = np.asarray(numpy_function(*pairs)).astype(dtype)
        got = values(name, *pairs)
        assert np.array_equal(np.isnan(got), np.isnan(want))
        end = np.isinf(want) | (want == 0) | np.isinf(got) | (got == 0)
        assert np.array_equal(got[end], want[end])
        assert np.array_equal(np.signbit(got[end]), np.signbit(want[end]))


def rises(name: str, low: float, high: float, falling: bool = False) -> bool:
    """Whether a function of sorted cells some hundred units apart is monotonic."""
    x = np.linspace(low, high, 20001)
    steps = np.diff(values(name, x))
    return bool((steps <= 0).all() if falling else (steps >= 0).all())

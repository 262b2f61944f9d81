"""How far an elementary function of complex numbers is from the true one, part by part."""

import warnings
from collections.abc import Callable

import mpmath
import numpy as np

from dask_tapestry_kernels.elementary.functions import COMPLEX_FUNCTIONS

from .oracle import loop

DIGITS, MORE = mpmath.MPContext(), mpmath.MPContext()
DIGITS.prec, MORE.prec = 300, 4500  # the latter where parts differ by all sizes that there are
ENDS = [
    *(s * v for s in (1.0, -1.0) for v in (0.0, 0.5, 1.0, 2.0, 4.0, 100.0, 1000.0)),
    *(s * v for s in (1.0, -1.0) for v in (1e-300, 1e300, np.inf)),
    np.nan,
]


def values(name: str, *arguments: np.ndarray) -> np.ndarray:
    """Return a registered function of arrays; the careful one of two, having compared them."""
    elementary, dtype = COMPLEX_FUNCTIONS[name], arguments[0].dtype
    result = dtype.char.lower() if name == "absolute" else dtype
    out = np.empty(arguments[0].shape, result)
    loop(getattr(elementary, dtype.name), elementary.arity)(*arguments, out)
    care = getattr(elementary, f"care_{dtype.name}")
    if care is None:
        return out
    needed, careful = np.empty(out.shape, bool), np.empty_like(out)
    loop(care.needed, 1)(*arguments, needed)
    loop(care.careful, 1)(*arguments, careful)
    assert careful[~needed].tobytes() == out[~needed].tobytes()
    return careful


def numbers(least: int = -40, most: int = 8, count: int = 200) -> np.ndarray:
    """Return complex numbers of all sizes between powers of two, and some near where parts vanish.

    These are the unit circle, its points on the axes, and both axes.
    """
    rng = np.random.default_rng(5)

    def parts(n: int) -> np.ndarray:
        return np.exp2(rng.uniform(least, most, n)) * rng.choice([-1.0, 1.0], n)

    turn = np.exp(1j * rng.uniform(-np.pi, np.pi, count))
    corners = rng.choice([1, -1, 1j, -1j], count) + np.exp2(rng.uniform(-40, -1, count)) * turn
    beside = rng.normal(size=count) + 1j * parts(count)
    return np.concatenate([parts(count) + 1j * parts(count), turn, corners, beside, 1j * beside])


def _unit(size) -> float:
    return DIGITS.ldexp(1, max(DIGITS.frexp(size)[1] - 53, -1074)) if size else 2.0**-1074


def _error(got: float, true, size) -> float:
    """Error of a part in units in the last place of a size; past all numbers is infinity."""
    top = DIGITS.ldexp(1, 1024)  # what infinity stands for
    if abs(true) >= top * (1 - DIGITS.ldexp(1, -54)):
        return 0.0 if np.isinf(got) and (got > 0) == (true > 0) else np.inf
    return float(abs(DIGITS.mpf(got) - true) / _unit(size))


def errors(
    name: str, true: Callable, *arguments: np.ndarray, whole: bool = False, digits=DIGITS
) -> tuple[float, float]:
    """Greatest errors of real and imaginary part, in units in the last place of the true part.

    With `whole` in units of the whole number's size. `digits` is where `true` computes.
    """
    got = values(name, *arguments)
    worst = [0.0, 0.0]
    for value, *cells in zip(got.tolist(), *(a.tolist() for a in arguments), strict=True):
        want = digits.mpc(true(*(digits.mpc(cell) for cell in cells)))
        size = abs(want)
        for part, (mine, other) in enumerate(((value.real, want.real), (value.imag, want.imag))):
            worst[part] = max(worst[part], _error(mine, other, size if whole else abs(other)))
    return worst[0], worst[1]


def _pairs(arity: int) -> list[np.ndarray]:
    cells = np.array([complex(a, b) for a in ENDS for b in ENDS])
    if arity == 1:
        return [cells]
    few = cells[np.random.default_rng(6).permutation(cells.size)[:100]]
    return [a.ravel().copy() for a in np.meshgrid(few, few)]


def differing_ends(name: str, but: Callable = lambda *_: False, signs: bool = True) -> list[tuple]:
    """Special cells whose result differs from NumPy's in a NaN, an infinity, a zero or its sign.

    Cells for which `but` of them is true are left out, and signs of zeros where C leaves them open.
    """
    pairs = _pairs(COMPLEX_FUNCTIONS[name].arity)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = getattr(np, name)(*pairs)
    got = values(name, *pairs)
    found = []
    for mine, other, *cells in zip(got, want, *pairs, strict=True):
        parts = zip((mine.real, mine.imag), (other.real, other.imag), strict=True)
        same = all(_is_same(p, q, abs(other), signs) for p, q in parts)
        if not same and not but(*cells):
            found.append((*cells, mine, other))
    return found


def _is_same(p: float, q: float, size: float, signs: bool) -> bool:
    if np.isnan(p) or np.isnan(q):
        return bool(np.isnan(p) and np.isnan(q))
    if np.isinf(p) or np.isinf(q) or p == q == 0:
        return bool(p == q and (np.signbit(p) == np.signbit(q) or not signs))
    return bool((p == 0) == (q == 0) and (p == q or abs(p - q) <= 1e-13 * size))


def in_complex64(name: str, *arguments: np.ndarray) -> float:
    """Greatest error in complex64, in its units of the size of the number; against complex128."""
    with np.errstate(all="ignore"):
        narrow = [a.astype(np.complex64) for a in arguments]
        want = values(name, *[a.astype(np.complex128) for a in narrow])
    got = values(name, *narrow)
    fits = np.isfinite(want) & (np.abs(want) < 2.0**127) & (np.abs(want) > 2.0**-120)
    unit = np.exp2(np.floor(np.log2(np.abs(want[fits]))) - 23)
    return float((np.abs(got[fits] - want[fits]) / unit).max())

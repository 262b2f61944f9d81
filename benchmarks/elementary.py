"""Our elementary functions beside NumPy's: time a cell in one thread, greatest error.

    python benchmarks/elementary.py
    python benchmarks/elementary.py exp sin --samples 100000

Times are of 1 M cells in strips of 4096 that stay in cache, in nanoseconds a cell; `careful` is
what a strip with a far angle takes. Errors are in units in the last place of the true value, by
mpmath at 120 bits, over samples of half the range and of every exponent (of float32: over the same
samples). `-` is a function that NumPy does not have.
"""

import argparse
import time
from collections.abc import Callable

import mpmath
import numpy as np
from numba import njit

from dask_tapestry_kernels.elementary.functions import FUNCTIONS

STRIP, STRIPS, REPEATS = 4096, 256, 7
RANGES = {  # of the time's arguments, the first and the second
    "arccos": (-1, 1), "arccosh": (1, 10), "arcsin": (-1, 1), "arctanh": (-0.999, 0.999),
    "log": (0.01, 10), "log10": (0.01, 10), "log1p": (-0.9, 10), "log2": (0.01, 10),
    "power": (0.01, 10), "float_power": (0.01, 10),
}  # fmt: skip
TRUE = {
    "exp2": lambda c, x: c.power(2, x),
    "log2": lambda c, x: c.log(x) / c.log(2),
    "log10": lambda c, x: c.log(x) / c.log(10),
    "cbrt": lambda c, x: c.cbrt(abs(x)) * c.sign(x),
    "float_power": lambda c, x, y: c.power(x, y),
    "logaddexp": lambda c, x, y: max(x, y) + c.log1p(c.exp(-abs(x - y))),
    "logaddexp2": lambda c, x, y: max(x, y) + c.log1p(c.exp(-abs(x - y) * c.ln2)) / c.ln2,
}
MPMATH_NAMES = {
    "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh",
    "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh",
}  # fmt: skip


def loop(function: Callable, arity: int) -> Callable:
    """Compile a loop of a function of cells over one strip."""
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


def nanoseconds(function: Callable, *arrays: np.ndarray) -> float:
    """Return the least time a cell of a function over strips."""
    function(*arrays)
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(STRIPS):
            function(*arrays)
        best = min(best, time.perf_counter() - start)
    return best / STRIPS / STRIP * 1e9


def arguments(name: str, dtype: type, arity: int, samples: int, exponents: bool) -> list:
    """Return random cells, evenly in a range that is usual for the function, or everywhere."""
    rng = np.random.default_rng(0)
    low, high = RANGES.get(name, (-10, 10))
    cells = [rng.uniform(*bounds, samples) for bounds in [(low, high), (-10, 10)][:arity]]
    if exponents:
        for k, column in enumerate(cells):
            spread = np.exp2(rng.uniform(-30, 6, samples // 2))
            column[::2][: spread.size] = spread * rng.choice([-1, 1], spread.size)
            if k == 0:
                column[:] = np.clip(column, low, high) if name in RANGES else column
    return [column.astype(dtype) for column in cells]


def greatest_error(name: str, function: Callable, columns: list) -> float:
    """Return the greatest error of a function in units in the last place."""
    context = mpmath.MPContext()
    context.prec = 120
    plain = getattr(context, MPMATH_NAMES.get(name, name), None)
    true = TRUE.get(name) or (lambda _, *cells: plain(*cells))
    out = np.empty_like(columns[0])
    function(*columns, out)
    digits, least = (53, -1074) if out.dtype == np.float64 else (24, -149)
    worst = 0.0
    for got, *cells in zip(out.tolist(), *(c.tolist() for c in columns), strict=True):
        want = true(context, *map(context.mpf, cells))
        if want and np.isfinite(got):
            size = max(abs(want), abs(max(cells))) if name.startswith("logadd") else want
            unit = context.ldexp(1, max(context.frexp(size)[1] - digits, least))
            worst = max(worst, float(abs(context.mpf(got) - want) / unit))
    return worst


def row(name: str, dtype: type, samples: int) -> str:
    """Return a row of the table."""
    elementary, kind = FUNCTIONS[name], np.dtype(dtype).name
    ours = loop(getattr(elementary, kind), elementary.arity)
    care = getattr(elementary, f"care_{kind}")
    cells = arguments(name, dtype, elementary.arity, STRIP, exponents=False)
    out = np.empty_like(cells[0])
    times = [nanoseconds(ours, *cells, out)]
    numpy_function = getattr(np, name, None) if name != "float_power" or kind == "float64" else None
    times.append(nanoseconds(numpy_function, *cells, out) if numpy_function else np.nan)
    careful = loop(care.careful, elementary.arity) if care else None
    times.append(nanoseconds(careful, *cells, out) if careful else np.nan)
    columns = arguments(name, dtype, elementary.arity, samples, exponents=True)
    errors = [greatest_error(name, careful or ours, columns)]
    errors.append(
        greatest_error(name, numpy_function, columns)
        if numpy_function
        else np.nan
    )  # fmt: skip
    fields = [f"{value:8.2f}" for value in (*times, *errors)]
    return f"{name:12}{kind:9}" + "".join(fields).replace("nan", "  -")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="a ufunc's name; all unless given")
    parser.add_argument("--samples", type=int, default=4000, help="cells whose error is taken")
    options = parser.parse_args()
    print(f"{'':21}{'ours':>8}{'NumPy':>8}{'careful':>8}{'error':>8}{'NumPy':>8}")
    with np.errstate(all="ignore"):
        for name in options.names or FUNCTIONS:
            for dtype in (np.float64, np.float32):
                print(row(name, dtype, options.samples), flush=True)


if __name__ == "__main__":
    main()

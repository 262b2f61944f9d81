"""Comparisons of scans."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tests.comparisons.table import DTYPES, Arrays, Comparison, alike, each, mild, values

SUMMABLE = ["?", "i1", "u8", "i8", "f2", "f4", "f8", "c16"]
LINES = ((7,), (0,), (3, 0), (3, 4), (2, 3, 5), (1, 1))
LONG = ((300,), (2, 400), (130, 3))


def long(*dtypes: str) -> Callable[[], Iterator[Arrays]]:
    """Lines of several leaves."""

    def inputs() -> Iterator[Arrays]:
        for dtype in dtypes:
            for shape in LONG:
                x = mild(shape, dtype)
                yield (x,)

    return inputs


def near_one(shape: tuple[int, ...], dtype: str, seed: object = 0) -> np.ndarray:
    """Return cells whose products stay near one."""
    if np.dtype(dtype).kind not in "fc":
        return mild(shape, dtype, seed)
    return (1 + (mild(shape, "f8", seed) - 1) / 16).astype(dtype)


def scan_comparisons() -> Iterator[Comparison]:
    for name, make in (("cumsum", mild), ("cumprod", near_one)):
        for twin in (name, f"nan{name}"):
            dtypes = [*SUMMABLE, "m8[s]"] if name == "cumsum" else SUMMABLE
            for axis in (None, 0, -1):
                yield Comparison(
                    f"{twin} axis={axis}",
                    lambda dt, x, name=twin, axis=axis: getattr(dt, name)(x, axis),
                    lambda x, name=twin, axis=axis: getattr(np, name)(x, axis),
                    each(1, dtypes, LINES, make),
                    None,
                )
            yield Comparison(
                f"{twin} long",
                lambda dt, x, name=twin: getattr(dt, name)(x, axis=-1),
                lambda x, name=twin: getattr(np, name)(x, axis=-1),
                long("i1", "f4", "f8")
                if name == "cumsum"
                else each(1, ["u1", "f8"], LONG, near_one),
                None,
            )
        yield Comparison(
            f"{name} dtype",
            lambda dt, x, name=name: getattr(dt, name)(x, 0, "f8"),
            lambda x, name=name: getattr(np, name)(x, 0, "f8"),
            each(1, ["?", "i1", "f4"], LINES, make),
            None,
        )
    for name in ("nancumsum", "nancumprod"):
        yield Comparison(
            f"{name} of nan",
            lambda dt, x, name=name: getattr(dt, name)(x, -1),
            lambda x, name=name: getattr(np, name)(x, -1),
            each(1, ["f4", "f8", "c16"], [(5,), (2, 4)]),
            None,
        )
    for name in ("cumulative_sum", "cumulative_prod"):
        for first in (False, True):
            yield Comparison(
                f"{name} include_initial={first}",
                lambda dt, x, name=name, first=first: getattr(dt, name)(
                    x, axis=-1, include_initial=first
                ),
                lambda x, name=name, first=first: getattr(np, name)(
                    x, axis=-1, include_initial=first
                ),
                each(1, ["i1", "f4", "c16"], LINES, near_one),
                None,
            )
    for ours, ufunc, dtypes in (
        ("cummax", np.maximum, DTYPES),
        ("cummin", np.minimum, DTYPES),
    ):
        for shapes in (LINES, LONG):
            yield Comparison(
                f"{ours} {shapes[0]}",
                lambda dt, x, name=ours: getattr(dt, name)(x, -1),
                lambda x, ufunc=ufunc: ufunc.accumulate(x, -1),
                each(1, dtypes, shapes, values),
            )
    for shapes in (LINES, LONG):
        yield Comparison(
            f"logcumsumexp {shapes[0]}",
            lambda dt, x: dt.logcumsumexp(x, -1),
            lambda x: np.logaddexp.accumulate(x, -1),
            each(1, ["f2", "f4", "f8"] if shapes is LINES else ["f4", "f8"], shapes),
            None,
        )
    for ufunc in (np.add, np.multiply, np.logical_or, np.bitwise_xor, np.gcd, np.minimum):
        yield alike(
            f"cumsum as {ufunc.__name__}.accumulate",
            lambda _, x, ufunc=ufunc: ufunc.accumulate(x, axis=0),
            each(1, ["i1", "u8"], [(7,), (3, 4), (200, 2)], mild),
        )


COMPARISONS = (*scan_comparisons(),)

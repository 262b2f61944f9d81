"""Comparisons of Fourier transforms, whose values are NumPy's bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from tests.comparisons.table import Arrays, Bench, Comparison, alike, each, mild

REAL = ("f8", "f4", "i4", "?", "f2")
NUMBERS = (*REAL, "c8", "c16")
SHAPES = ((8,), (3, 5), (2, 3, 4), (1, 1), (0, 3))


def row(name: str, call: Any, dtypes: tuple[str, ...], **options: Any) -> Comparison:
    return alike(name, call, each(1, dtypes, options.get("shapes", SHAPES), mild))


def first_axis(np: Any, x: Any, name: str) -> Any:
    return getattr(np.fft, name)(x, axis=0)


def images(scale: float) -> Arrays:
    side = round(1500 * scale**0.5)
    return (np.random.default_rng(0).random((side, side)),)


def along_one_axis() -> Iterator[Comparison]:
    for name in ("fft", "ifft", "irfft", "hfft"):
        yield row(f"fft.{name}", lambda np, x, f=name: getattr(np.fft, f)(x, 6), NUMBERS)
    for name in ("rfft", "ihfft"):
        call = partial(first_axis, name=name)
        yield row(f"fft.{name}", call, REAL[:3], shapes=SHAPES[:4])
    yield row("fft.fft axis=0", lambda np, x: np.fft.fft(x, 4, 0, "ortho"), ("f8", "c8"))
    yield row("fft.rfft part", lambda np, x: np.fft.rfft(x, 7)[..., 1:3], ("f8",))


def along_several_axes() -> Iterator[Comparison]:
    shapes = ((3, 5), (2, 3, 4), (4, 2))
    for name in ("fft2", "ifft2", "irfft2", "rfft2"):
        kinds = REAL[:2] if name == "rfft2" else ("f8", "c8")
        yield row(f"fft.{name}", lambda np, x, f=name: getattr(np.fft, f)(x), kinds, shapes=shapes)
    for name in ("fftn", "ifftn", "irfftn", "rfftn"):
        kinds = REAL[:2] if name == "rfftn" else ("f8", "c16")
        yield row(f"fft.{name}", lambda np, x, f=name: getattr(np.fft, f)(x), kinds, shapes=shapes)
    yield row(
        "fft.fftn axes", lambda np, x: np.fft.fftn(x, (4, -1), (0, 0)), ("c16",), shapes=SHAPES[:4]
    )


def frequencies() -> Iterator[Comparison]:
    for name in ("fftshift", "ifftshift"):
        yield row(f"fft.{name}", lambda np, x, f=name: getattr(np.fft, f)(x), ("f8", "i4"))
    for name in ("fftfreq", "rfftfreq"):
        yield row(f"fft.{name}", lambda np, x, f=name: getattr(np.fft, f)(x.size + 1, 0.3), ("f8",))


COMPARISONS = (
    *along_one_axis(),
    *along_several_axes(),
    *frequencies(),
    row("fft.fft2 of an image", lambda np, x: np.fft.fft2(x), ("f8",), shapes=((6, 5),))._replace(
        bench=Bench(images, passes=4)
    ),
)

"""Coefficients of interpolating B-splines: recursive filters along lanes that a block has whole.

A lane is filtered by itself, in doubles, forth and back for each pole, so its coefficients do not
depend on the block that it is in; those of a compiled loop have the same bits.

Source: Unser, Aldroubi and Eden, "Fast B-spline transforms for continuous image representation and
interpolation" (1991); the order of operations is that of `scipy.ndimage.spline_filter1d`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import spline_filter_compiled
from dask_tapestry_kernels.floating_point import listening
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.casts import from_double
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
TILE_CELLS: Final = 2**20
POLES: Final[dict[int, tuple[float, ...]]] = {
    2: (-0.17157287525380990,),  # sqrt(8) - 3
    3: (-0.26794919243112270,),  # sqrt(3) - 2
    4: (-0.36134122590022018, -0.013725429297339121),  # sqrt(664 -+ sqrt(438976)) +- sqrt(304) - 19
    5: (-0.43057534709997379, -0.043096288203264654),  # sqrt(67.5 -+ sqrt(4436.25)) +- ... - 6.5
}


def spline_filter(
    out: Block | None, x: Block, *, order: int, axis: int, ends: str, dtype: np.dtype[Any]
) -> Block:
    """The coefficients of each lane along `axis`, converted to `dtype` as C does.

    Parameters
    ----------
    order
        Of the splines, 2 to 5.
    ends
        How lanes go on: ``"mirror"`` (c b | a b c), ``"reflect"`` (b a | a b c) or ``"wrap"``.
    """
    if out is None:
        out = np.empty(x.shape, dtype)
    if not out.size:
        return out
    length, poles = x.shape[axis], POLES[order]
    with np.errstate(all="ignore"), listening(frozenset()):
        if length == 1:
            out[...] = from_double(x.astype(np.float64), dtype)
        elif not spline_filter_compiled.filtered(out, x, axis, poles, gain(poles), ends):
            _by_tiles(out, x, axis, poles, ends)
    return out


def gain(poles: tuple[float, ...]) -> float:
    """What cells are multiplied with first.

    Examples
    --------
    >>> round(gain(POLES[3]), 12)
    6.0
    """
    product = 1.0
    for z in poles:
        product *= (1.0 - z) * (1.0 - 1.0 / z)
    return product


def _by_tiles(out: Block, x: Block, axis: int, poles: tuple[float, ...], ends: str) -> None:
    source, target = np.moveaxis(x, axis, 0), np.moveaxis(out, axis, 0)
    length, factor = len(source), gain(poles)
    lanes = np.ndindex(*source.shape[1:-1]) if source.ndim > 1 else iter([()])
    wide = source.shape[-1] if source.ndim > 1 else 1
    step = max(1, TILE_CELLS // length)
    for lead in lanes:
        for first in range(0, wide, step):
            stop_if_asked()
            tile: Any = (slice(None), *lead, slice(first, first + step)) if source.ndim > 1 else ...
            cells = np.array(source[tile], np.float64).reshape(length, -1)
            cells *= factor
            for z in poles:
                FIRST[ends](cells, z)
                for i in range(1, length):
                    cells[i] += z * cells[i - 1]
                LAST[ends](cells, z)
                for i in range(length - 2, -1, -1):
                    np.subtract(cells[i + 1], cells[i], out=cells[i])
                    cells[i] *= z
            target[tile] = from_double(cells, out.dtype).reshape(target[tile].shape)


def _first_mirrored(c: Block, z: float) -> None:
    n, power = len(c), z
    far = z ** (n - 1)
    c[0] += far * c[n - 1]
    for i in range(1, n - 1):
        if not power:
            break
        c[0] += power * (c[i] + far * c[n - 1 - i])
        power *= z
    c[0] /= 1 - far * far


def _first_reflected(c: Block, z: float) -> None:
    n, power, before = len(c), z, c[0].copy()
    far = z**n
    c[0] += far * c[n - 1]
    for i in range(1, n):
        if not power:
            break
        c[0] += power * (c[i] + far * c[n - 1 - i])
        power *= z
    c[0] *= z / (1 - far * far)
    c[0] += before


def _first_wrapped(c: Block, z: float) -> None:
    n, power = len(c), z
    for i in range(1, n):
        if not power:
            break
        c[0] += power * c[n - i]
        power *= z
    c[0] /= 1 - power


def _last_mirrored(c: Block, z: float) -> None:
    c[-1] = (z * c[-2] + c[-1]) * z / (z * z - 1)


def _last_reflected(c: Block, z: float) -> None:
    c[-1] *= z / (z - 1)


def _last_wrapped(c: Block, z: float) -> None:
    n, power = len(c), z
    for i in range(n - 1):
        if not power:
            break
        c[n - 1] += power * c[i]
        power *= z
    c[n - 1] *= z / (power - 1)


Begins = Callable[[Block, float], None]
FIRST: Final[dict[str, Begins]] = {
    "mirror": _first_mirrored,
    "reflect": _first_reflected,
    "wrap": _first_wrapped,
}
LAST: Final[dict[str, Begins]] = {
    "mirror": _last_mirrored,
    "reflect": _last_reflected,
    "wrap": _last_wrapped,
}
KERNELS: Final[dict[str, Kernel]] = {"splinefilter": spline_filter}

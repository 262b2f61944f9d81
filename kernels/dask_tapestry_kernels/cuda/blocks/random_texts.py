"""The text of a CUDA kernel that makes random bits of coordinates, four cells a thread.

Four cells whose numbers have the same quotient by 4 are the words of one counter. So a thread
computes a counter, and writes those of its cells that are asked for.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dask_tapestry_kernels.cuda.jit.program import CudaProgram, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import (
    Arguments,
    coordinates,
    grid_stride,
    module_text,
)
from dask_tapestry_kernels.formulas.philox_rounds import Fraction, rounds


def place_arguments(axes: int, wide: bool) -> Arguments:
    """Arguments that say which cell is the first, and how far the next one of each axis is."""
    names = ["start", *[f"s{a}" for a in range(axes)]]
    words = ("", "_high") if wide else ("",)
    return [(name + word, "uint64") for name in names for word in words]


def place_lines(axes: int, wide: bool) -> list[str]:
    """Statements for the number of the cell at ``c0``, ``c1``, ..., and of its page."""
    if not wide:
        terms = [f"np.uint64(c{a}) * s{a}" for a in range(axes)]
        return [f"place = {' + '.join(['start', *terms])}", "page = np.uint64(0)"]
    lines = ["place, page = start, start_high"]
    for a in range(axes):
        lines += [
            f"high, low = wide_product(np.uint64(c{a}), s{a})",
            "place = place + low",
            f"page = page + high + np.uint64(c{a}) * s{a}_high + np.uint64(place < low)",
        ]
    return lines


@lru_cache(maxsize=64)
def random_program(fraction: Fraction | None, axes: int, wide: bool) -> CudaProgram:
    """The program of runs of cells, numbered by so many axes, as bits or as fractions.

    It is `wide` where numbers of cells take more than 64 bits.
    """
    dtype = np.dtype(np.uint64) if fraction is None else fraction.dtype
    arguments = [("n", "int64"), ("groups", "int64"), ("length", "int64")]
    arguments += [(f"n{a}", "int64") for a in range(axes)]
    arguments += place_arguments(axes, wide)
    arguments += [(f"word{w}", "uint64") for w in range(4)]
    arguments.append(("out", pointer_type(dtype)))
    names = [*[f"c{a}" for a in range(axes)], "group"]
    lines = coordinates("i", names, [*[f"n{a}" for a in range(axes)], "groups"][1:], "int64")
    lines += [
        *place_lines(axes, wide),
        "counter = (place >> np.uint64(2)) + np.uint64(group)",
        "first = np.int64((counter << np.uint64(2)) - place)",
        *(_TURNED if wide else ()),
        "a, b, c, d = counter + np.uint64(1), word0, word1, page",
        "key_a, key_b = word2, word3",
        *rounds(),
        "run = (i // groups) * length",
    ]
    made = "bits" if fraction is None else fraction.text()
    for lane, word in enumerate("abcd"):
        lines += [f"at = first + {lane}", "if at >= 0 and at < length:"]
        lines += [f"    bits = {word}", f"    out[run + at] = {made}"]
    return CudaProgram(module_text(arguments, grid_stride(lines)), f"random numbers of {dtype}")


_TURNED = (  # a page has 2**62 counters
    "page = page + (counter >> np.uint64(62))",
    "counter = counter & np.uint64(2**62 - 1)",
)

"""Where the recursions of a spline filter begin, for some lanes side by side.

Number ``i * width + lane`` of the cells is number i of a lane.
"""

from __future__ import annotations

from typing import Any

from numba import njit

plain = njit(inline="always", error_model="numpy")


@plain
def first_mirror(s: Any, n: int, width: int, z: float, far: float) -> None:
    """The first cells; `far` is ``z ** (n - 1)``."""
    end = (n - 1) * width
    for j in range(width):
        s[j] += far * s[end + j]
    power = z
    for i in range(1, n - 1):
        if power == 0.0:
            break
        for j in range(width):
            s[j] += power * (s[i * width + j] + far * s[end - i * width + j])
        power *= z
    for j in range(width):
        s[j] /= 1 - far * far


@plain
def first_reflect(s: Any, n: int, width: int, z: float, far: float) -> None:
    """The first cells; `far` is ``z ** n``, and `s` has room for a row behind the last."""
    end, spare = (n - 1) * width, n * width
    for j in range(width):
        s[spare + j] = s[j]
        s[j] += far * s[end + j]
    power = z
    for i in range(1, n):
        if power == 0.0:
            break
        for j in range(width):
            s[j] += power * (s[i * width + j] + far * s[end - i * width + j])
        power *= z
    for j in range(width):
        s[j] *= z / (1 - far * far)
        s[j] += s[spare + j]


@plain
def first_wrap(s: Any, n: int, width: int, z: float, far: float) -> None:  # noqa: ARG001
    """The first cells."""
    power = z
    for i in range(1, n):
        if power == 0.0:
            break
        for j in range(width):
            s[j] += power * s[(n - i) * width + j]
        power *= z
    for j in range(width):
        s[j] /= 1 - power


@plain
def last_mirror(s: Any, n: int, width: int, z: float) -> None:
    """The last cells."""
    end, before = (n - 1) * width, (n - 2) * width
    for j in range(width):
        s[end + j] = (z * s[before + j] + s[end + j]) * z / (z * z - 1)


@plain
def last_reflect(s: Any, n: int, width: int, z: float) -> None:
    """The last cells."""
    for j in range(width):
        s[(n - 1) * width + j] *= z / (z - 1)


@plain
def last_wrap(s: Any, n: int, width: int, z: float) -> None:
    """The last cells."""
    end, power = (n - 1) * width, z
    for i in range(n - 1):
        if power == 0.0:
            break
        for j in range(width):
            s[end + j] += power * s[i * width + j]
        power *= z
    for j in range(width):
        s[end + j] *= z / (power - 1)

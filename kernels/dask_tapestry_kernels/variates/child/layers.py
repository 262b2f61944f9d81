"""Layers of one area below exp(-x**2 / 2) and exp(-x), of which numbers are drawn.

Layer 0 is the lowest, with what lies beyond where the next one begins. The tables are computed in
decimal numbers, as the last bit of the C library's functions is not everywhere the same.

Source: Marsaglia and Tsang, "The ziggurat method for generating random variables", Journal of
Statistical Software 5 (2000).
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Final

import numpy as np

Number = Callable[[Decimal], Decimal]
LAYERS: Final = 256
DIGITS: Final = 30
# Where layer 1 begins so that the last ends at 0, and the area of each layer then.
NORMAL: Final = (
    Decimal("3.65415288536100877164542972040"),
    Decimal("0.00492867323397465534736107752890"),
)
EXPONENTIAL: Final = (
    Decimal("7.69711747013104971404462804802"),
    Decimal("0.00394965982258155721997757195681"),
)


def normal_density(x: Decimal) -> Decimal:
    """``exp(-x**2 / 2)``."""
    return (-x * x / 2).exp()


def normal_edge(height: Decimal) -> Decimal:
    """The abscissa at which the density has a height."""
    return (-2 * height.ln()).sqrt()


def exponential_density(x: Decimal) -> Decimal:
    """``exp(-x)``."""
    return (-x).exp()


def exponential_edge(height: Decimal) -> Decimal:
    """The abscissa at which the density has a height."""
    return -height.ln()


def layers(
    begins: Decimal, area: Decimal, density: Number, edge: Number
) -> tuple[list[float], list[float]]:
    """Right edges of the layers, then 0; the density at each edge, 0 below the lowest layer.

    The edge of layer 0 is that of a box of its area.
    """
    with localcontext() as context:
        context.prec = DIGITS
        edges, heights = [begins], [density(begins)]
        for _ in range(LAYERS - 2):
            heights.append(heights[-1] + area / edges[-1])
            edges.append(edge(heights[-1]))
        first = area / heights[0]
    rights = [first, *edges, Decimal(0)]
    return [float(x) for x in rights], [0.0, *(float(y) for y in heights), 1.0]


_normal = layers(*NORMAL, normal_density, normal_edge)
_exponential = layers(*EXPONENTIAL, exponential_density, exponential_edge)
NORMAL_EDGES: Final = np.array(_normal[0])
NORMAL_HEIGHTS: Final = np.array(_normal[1])
NORMAL_TAIL: Final = float(NORMAL[0])
EXPONENTIAL_EDGES: Final = np.array(_exponential[0])
EXPONENTIAL_HEIGHTS: Final = np.array(_exponential[1])
EXPONENTIAL_TAIL: Final = float(EXPONENTIAL[0])

"""Binary morphology: `binary_erosion`, `binary_dilation`, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.ndimage.arguments import Output, axes_of, given_out, known_cells
from dask_tapestry.arrays.ndimage.binary_windows import Block, repeated, step_of, truths
from dask_tapestry.arrays.ndimage.structures import generate_binary_structure
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.windows.window_extreme import Extreme
from dask_tapestry.teg import Tensor

__all__ = [
    "binary_closing",
    "binary_dilation",
    "binary_erosion",
    "binary_fill_holes",
    "binary_hit_or_miss",
    "binary_opening",
    "binary_propagation",
]

Axes = int | Iterable[int] | None
Origins = int | Sequence[int]


@names_axes
def binary_erosion(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    iterations: int = 1,
    mask: ArrayLike | None = None,
    output: Output = None,
    border_value: int = 0,
    origin: Origins = 0,
    brute_force: bool = False,
    *,
    axes: Axes = None,
) -> Array:
    """Cells of which all neighbours are true, as `scipy.ndimage.binary_erosion`.

    {Parameters}
        input: The array; cells that are not zero are true.
        structure: Which neighbours count, known now; by default those along the axes and the cell
            itself.
        iterations: How often it is done. Below 1 until nothing changes: that is computed in the
            call, since only cells tell how often.
        mask: Cells that change; None for all.
        output: None, or an `Array` that is given the value.
        border_value: What lies beyond the ends.
        origin: Cells by which the structure is moved, one for all axes or one each.
        brute_force: As SciPy's, without meaning here.
        axes: Along which the structure reaches; None for all.
    {Returns} Array: Shape of `input`, of bools.
    {Raises}
        FilterError: If `structure` or `mask` do not fit.
        ArgumentError, AxisError, DTypeError: For an origin, axes or cells that are none.
    {Examples}
    >>> dt.ndimage.binary_erosion(dt.asarray([0, 1, 1, 1, 0])).compute().astype(int)
    array([0, 0, 1, 0, 0])
    """
    del brute_force
    return given_out(output, _stepped("binary_erosion", "minimum", input, structure, iterations,
                                      mask, border_value, origin, axes))  # fmt: skip


@names_axes
def binary_dilation(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    iterations: int = 1,
    mask: ArrayLike | None = None,
    output: Output = None,
    border_value: int = 0,
    origin: Origins = 0,
    brute_force: bool = False,
    *,
    axes: Axes = None,
) -> Array:
    """Cells of which any neighbour is true, as `scipy.ndimage.binary_dilation`.

    {Parameters}
        input, structure, iterations, mask, output, border_value, origin, brute_force, axes: As of
            `binary_erosion`; the structure is mirrored.
    {Returns} Array: Shape of `input`, of bools.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `binary_erosion` does.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.ndimage.binary_dilation(dt.asarray([0, 0, 1, 0, 0])).compute().astype(int)
    array([0, 1, 1, 1, 0])
    """
    del brute_force
    return given_out(output, _stepped("binary_dilation", "maximum", input, structure, iterations,
                                      mask, border_value, origin, axes))  # fmt: skip


@names_axes
def binary_opening(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    iterations: int = 1,
    output: Output = None,
    origin: Origins = 0,
    mask: ArrayLike | None = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: Axes = None,
) -> Array:
    """Dilation of an erosion, as `scipy.ndimage.binary_opening`.

    {Parameters}
        input, structure, iterations, output, origin, mask, border_value, brute_force, axes: As of
            `binary_erosion`.
    {Returns} Array: Shape of `input`, of bools.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `binary_erosion` does.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.ndimage.binary_opening(dt.asarray([1, 0, 1, 1, 1, 0])).compute().astype(int)
    array([0, 0, 1, 1, 1, 0])
    """
    del brute_force
    how = (structure, iterations, mask, border_value, origin, axes)
    least = Array(_stepped("binary_opening", "minimum", input, *how))
    return given_out(output, _stepped("binary_opening", "maximum", least, *how))


@names_axes
def binary_closing(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    iterations: int = 1,
    output: Output = None,
    origin: Origins = 0,
    mask: ArrayLike | None = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: Axes = None,
) -> Array:
    """Erosion of a dilation, as `scipy.ndimage.binary_closing`.

    {Parameters}
        input, structure, iterations, output, origin, mask, border_value, brute_force, axes: As of
            `binary_erosion`.
    {Returns} Array: Shape of `input`, of bools.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `binary_erosion` does.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.ndimage.binary_closing(dt.asarray([0, 0, 1, 0, 1, 0, 0])).compute().astype(int)
    array([0, 0, 1, 1, 1, 0, 0])
    """
    del brute_force
    how = (structure, iterations, mask, border_value, origin, axes)
    most = Array(_stepped("binary_closing", "maximum", input, *how))
    return given_out(output, _stepped("binary_closing", "minimum", most, *how))


@names_axes
def binary_hit_or_miss(
    input: ArrayLike,
    structure1: ArrayLike | None = None,
    structure2: ArrayLike | None = None,
    output: Output = None,
    origin1: Origins = 0,
    origin2: Origins | None = None,
    *,
    axes: Axes = None,
) -> Array:
    """Cells around which a pattern lies, as `scipy.ndimage.binary_hit_or_miss`.

    {Parameters}
        input, output, axes: As of `binary_erosion`.
        structure1: Neighbours that must be true.
        structure2: Neighbours that must be false; by default all that are not in `structure1`.
        origin1, origin2: Origins of the structures; the second one is the first by default.
    {Returns} Array: Shape of `input`, of bools.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `binary_erosion` does.
    {Examples}
    >>> x = dt.asarray([0, 1, 1, 0, 1, 0])
    >>> dt.ndimage.binary_hit_or_miss(x, [0, 1, 0]).compute().astype(int)
    array([0, 0, 0, 0, 1, 0])
    """
    function = "binary_hit_or_miss"
    x = truths(function, input)
    shape = x.type.shape
    hit: Block = (
        generate_binary_structure(len(axes_of(function, axes, len(shape))), 1)
        if structure1 is None
        else known_cells(function, "structure1", structure1) != 0
    )
    miss = ~hit if structure2 is None else structure2
    second = origin1 if origin2 is None else origin2
    there = step_of(function, "minimum", False, hit, None, 0, origin1, axes, shape)(x)
    some = step_of(function, "maximum", False, miss, None, 0, second, axes, shape)(x)
    none = elementwise("logical_not", some)
    return given_out(output, elementwise("logical_and", there, none))


@names_axes
def binary_propagation(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    output: Output = None,
    border_value: int = 0,
    origin: Origins = 0,
    *,
    axes: Axes = None,
) -> Array:
    """Dilation until nothing changes, as `scipy.ndimage.binary_propagation`.

    Only cells tell how often, so it is computed in the call.

    {Parameters} input, structure, mask, output, border_value, origin, axes: As of
        `binary_dilation`.
    {Returns} Array: Shape of `input`, of bools.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `binary_erosion` does.
    {Examples}
    >>> x, mask = dt.asarray([0, 1, 0, 0, 0, 0]), dt.asarray([0, 1, 1, 1, 0, 1])
    >>> dt.ndimage.binary_propagation(x, mask=mask).compute().astype(int)
    array([0, 1, 1, 1, 0, 0])
    """
    return given_out(output, _stepped("binary_propagation", "maximum", input, structure, -1, mask,
                                      border_value, origin, axes))  # fmt: skip


@names_axes
def binary_fill_holes(
    input: ArrayLike,
    structure: ArrayLike | None = None,
    output: Output = None,
    origin: Origins = 0,
    *,
    axes: Axes = None,
) -> Array:
    """Fill what no way leads out of, as `scipy.ndimage.binary_fill_holes`.

    Only cells tell how long ways are, so it is computed in the call.

    {Parameters} input, structure, output, origin, axes: As of `binary_dilation`.
    {Returns} Array: Shape of `input`, of bools.
    {Raises} FilterError, ArgumentError, AxisError, DTypeError: As `binary_erosion` does.
    {Examples}
    >>> dt.ndimage.binary_fill_holes(dt.asarray([0, 1, 0, 0, 1, 0])).compute().astype(int)
    array([0, 1, 1, 1, 1, 0])
    """
    function = "binary_fill_holes"
    outside = elementwise("logical_not", truths(function, input))
    start = elementwise("logical_and", outside, False)
    reached = _stepped(
        function, "maximum", Array(start), structure, -1, Array(outside), 1, origin, axes
    )
    return given_out(output, elementwise("logical_not", reached))


def _stepped(
    function: str,
    fold: Extreme,
    x: ArrayLike,
    structure: ArrayLike | None,
    iterations: int,
    mask: ArrayLike | None,
    border_value: int,
    origin: Origins,
    axes: Axes,
) -> Tensor:
    cells = truths(function, x)
    turned = fold == "maximum"
    how = (structure, mask, border_value, origin, axes, cells.type.shape)
    return repeated(step_of(function, fold, turned, *how), cells, iterations)

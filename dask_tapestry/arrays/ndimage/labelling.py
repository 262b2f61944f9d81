"""Labels of regions: `label`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.ndimage.arguments import Output, known_cells, result_dtype
from dask_tapestry.arrays.ndimage.binary_windows import truths
from dask_tapestry.arrays.ndimage.filter_error import FilterError
from dask_tapestry.arrays.ndimage.structures import generate_binary_structure
from dask_tapestry.errors import ArgumentError, ShapeError
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.images.labelled_regions import labelled_regions
from dask_tapestry.teg import Tensor

__all__ = ["label"]

Block = np.ndarray[Any, Any]


def label(input: ArrayLike, structure: ArrayLike | None = None, output: Output = None) -> Any:
    """Number the regions of an array, as `scipy.ndimage.label`.

    A region is a set of cells that are not zero and hang together by neighbours. Regions are
    numbered from 1 on in the order of their first cells in C order, cell by cell as SciPy numbers
    those of an array that lies in that order; 0 are cells of none.

    Blocks label their own cells, and what touches across them is joined by one task that sees pairs
    of numbers, not cells. So numbers are the same for every sharding, the input is read once,
    and the graph does not grow with the number of regions. Nothing is computed in the call.

    {Parameters}
        input: The array: real numbers or bools, of any number of dimensions. NaN is not zero.
        structure: Which cells around one are its neighbours, known now: 3 cells along each axis,
            the same turned round. By default those along the axes.
        output: Dtype of the labels, or an `Array` of the shape of `input` that is given them.
    {Returns}
        labels : Array: Shape of `input`, int32, or int64 from 2**31 - 2 cells on. Not returned
            where `output` is an array.
        count : Array: How many regions there are: int64, without dimensions. SciPy's is a Python
            integer.
    {Raises}
        FilterError: If `structure` has another number of dimensions.
        ArgumentError: If it has not 3 cells along each, or is not symmetric; SciPy raises
            AssertionError then.
        DTypeError: If the cells are no real numbers.
        ShapeError: If an array that is given as `output` has another shape.

    References
    ----------
    L. He, Y. Chao and K. Suzuki, "A run-based two-scan labeling algorithm", 2008.

    {Examples}
    >>> image = dt.asarray([[0, 1, 1, 0], [0, 0, 0, 1], [1, 0, 0, 1]])
    >>> labels, count = dt.ndimage.label(image)
    >>> labels.compute()
    array([[0, 1, 1, 0],
           [0, 0, 0, 2],
           [3, 0, 0, 2]], dtype=int32)
    >>> int(count)
    3
    >>> dt.ndimage.label(image, [[1, 1, 1]] * 3)[0].compute()
    array([[0, 1, 1, 0],
           [0, 0, 0, 1],
           [2, 0, 0, 1]], dtype=int32)
    """
    given = asarray(input)
    cells = truths("label", given)
    neighbours = structuring_element("label", structure, given.ndim)
    if isinstance(output, Array) and output.shape != given.shape:
        raise ShapeError(
            f"label: output shape not correct: it is {output.shape}, that of input {given.shape}"
        )
    labels, count = _labelled(cells, neighbours)
    if output is None:
        return Array(labels), Array(count)
    labels = astype(labels, result_dtype("label", output, labels.type.dtype))
    if isinstance(output, Array):
        assigned_to_out(output, Array(labels), "unsafe")
        return Array(count)
    return Array(labels), Array(count)


def structuring_element(function: str, structure: ArrayLike | None, ndim: int) -> Block:
    """The structure as an array of bools, by default of the neighbours along the axes."""
    if structure is None:
        return generate_binary_structure(ndim, 1)
    cells: Block = known_cells(function, "structure", structure) != 0
    if cells.ndim != ndim:
        raise FilterError(
            f"{function}: structure and input must have equal rank, not {cells.ndim} and {ndim}"
        )
    if any(n != 3 for n in cells.shape):
        raise ArgumentError(
            f"{function}: structure dimensions must be equal to 3, not {cells.shape}"
        )
    if not np.array_equal(cells, np.flip(cells)):
        raise ArgumentError(
            f"{function}: structure is not symmetric: a cell must be a neighbour of each cell that "
            "is one of its own"
        )
    return cells


def _labelled(cells: Tensor, neighbours: Block) -> tuple[Tensor, Tensor]:
    if cells.type.ndim and cells.type.size:
        return labelled_regions(cells, neighbours)
    number = astype(cells, np.dtype(np.int32))  # a cell is a region; of none there is none
    none = asarray(np.int64(0)).node
    return number, none if cells.type.ndim else astype(cells, np.dtype(np.int64))

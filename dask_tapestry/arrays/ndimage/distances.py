"""Distances to the nearest cell that is zero: `distance_transform_edt` and its kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import truth
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.ndimage.arguments import for_each, known_cells
from dask_tapestry.arrays.ndimage.binary_windows import truths
from dask_tapestry.arrays.ndimage.filter_error import FilterError
from dask_tapestry.arrays.ndimage.nearest_cells import NearestCells
from dask_tapestry.arrays.ndimage.structures import generate_binary_structure
from dask_tapestry.errors import ArgumentError
from dask_tapestry_kernels.parameters.metrics import Metric

__all__ = ["distance_transform_bf", "distance_transform_cdt", "distance_transform_edt"]

TAXICAB: Final = ("taxicab", "cityblock", "manhattan")
Sampling = float | Sequence[float] | None


def distance_transform_edt(
    input: ArrayLike,
    sampling: Sampling = None,
    return_distances: bool = True,
    return_indices: bool = False,
    distances: Array | None = None,
    indices: Array | None = None,
) -> Any:
    """Euclidean distances to the nearest cell that is zero, as `scipy.ndimage`'s.

    Nothing is computed in the call. Distances are exact, and the same for every sharding: along
    each axis in turn blocks have whole lines, and are cut along the other axes.

    {Parameters}
        input: Cells that are not zero have distances.
        sampling: From a cell to the next, one for all axes or one each; 1 by default. A negative
            one is taken as far as a positive one; SciPy takes other cells than the nearest then.
        return_distances, return_indices: What is wanted; at least one.
        distances, indices: An `Array` each, which takes the value instead of its being returned.
    {Returns}
        distances : Array: Shape of `input`, float64. If no cell is zero, as SciPy's, those to a
            cell before the first one along the first axis.
        indices : Array: Coordinates of the nearest cell along a first axis, int32: of several the
            same as SciPy's.
    {Raises}
        FilterError: If nothing is wanted, there are not as many samplings as axes, or an array that
            is given has another dtype or shape.
        ArgumentError, ArgumentTypeError, DTypeError: For samplings or cells that are no real
            numbers, or answers that are neither True nor False.

    References
    ----------
    C. R. Maurer, R. Qi and V. Raghavan, "A linear time algorithm for computing exact Euclidean
    distance transforms of binary images in arbitrary dimensions", 2003.

    {Examples}
    >>> image = dt.asarray([[0, 1, 1, 1], [1, 1, 1, 1]])
    >>> dt.ndimage.distance_transform_edt(image).compute().round(2)
    array([[0.  , 1.  , 2.  , 3.  ],
           [1.  , 1.41, 2.24, 3.16]])
    """
    function = "distance_transform_edt"
    x = asarray(input)
    cells = truths(function, x.reshape(1) if not x.ndim else x)
    steps = _steps(function, sampling, cells.type.ndim)
    found = NearestCells.of(cells, steps, "euclidean")
    wanted = _requested_outputs(function, return_distances, return_indices)
    return _returned_outputs(function, found, found.euclidean(), wanted, (distances, indices))


def distance_transform_cdt(
    input: ArrayLike,
    metric: str | ArrayLike = "chessboard",
    return_distances: bool = True,
    return_indices: bool = False,
    distances: Array | None = None,
    indices: Array | None = None,
) -> Any:
    """Distances in steps to the nearest cell that is zero, as `scipy.ndimage`'s.

    {Parameters}
        input, return_distances, return_indices, distances, indices: As of `distance_transform_edt`.
        metric: "taxicab" (or "cityblock", "manhattan"), "chessboard", or the structure of one of
            these: neighbours along the axes, or all. Others' distances depend on the order of two
            passes over the whole array, and are not taken.
    {Returns}
        distances : Array: Shape of `input`, int32; -1 if no cell is zero.
        indices : Array: Coordinates of a nearest cell along a first axis, int32; its own if no cell
            is zero. Of several SciPy may take another.
    {Raises}
        ArgumentError: For a metric that is none of these.
        FilterError, DTypeError: As `distance_transform_edt` does.

    References
    ----------
    A. Meijster, J. B. T. M. Roerdink and W. H. Hesselink, "A general algorithm for computing
    distance transforms in linear time", 2000.

    {Examples}
    >>> image = dt.asarray([[0, 1, 1, 1], [1, 1, 1, 1]])
    >>> dt.ndimage.distance_transform_cdt(image, "taxicab").compute()
    array([[0, 1, 2, 3],
           [1, 2, 3, 4]], dtype=int32)
    """
    function = "distance_transform_cdt"
    wanted = _requested_outputs(function, return_distances, return_indices)
    cells = truths(function, input)
    steps = (1.0,) * cells.type.ndim
    found = NearestCells.of(cells, steps, _metric(function, metric, cells.type.ndim), own=True)
    away = found.steps(np.dtype(np.int32), -1)
    return _returned_outputs(function, found, away, wanted, (distances, indices))


def distance_transform_bf(
    input: ArrayLike,
    metric: str = "euclidean",
    sampling: Sampling = None,
    return_distances: bool = True,
    return_indices: bool = False,
    distances: Array | None = None,
    indices: Array | None = None,
) -> Any:
    """Distances to the nearest cell that is zero, as `scipy.ndimage`'s, which tries all cells.

    They are found as those of `distance_transform_edt` and `distance_transform_cdt`.

    {Parameters}
        input, return_distances, return_indices, distances, indices: As of `distance_transform_edt`.
        metric: "euclidean", "taxicab" (or "cityblock", "manhattan") or "chessboard".
        sampling: As of `distance_transform_edt`; of Euclidean distances alone.
    {Returns}
        distances : Array: Shape of `input`; float64 of Euclidean distances, else uint32. If no cell
            is zero the largest ones that SciPy knows.
        indices : Array: Coordinates of the nearest cell along a first axis, int32; 0 if no cell is
            zero. Of several the last one, as SciPy's; of the chessboard SciPy may take another.
    {Raises} FilterError, ArgumentError, DTypeError: As `distance_transform_edt` does; FilterError
        for a metric that is none of these.
    {Examples}
    >>> image = dt.asarray([[0, 1, 1, 1], [1, 1, 1, 1]])
    >>> dt.ndimage.distance_transform_bf(image, "chessboard").compute()
    array([[0, 1, 2, 3],
           [1, 1, 2, 3]], dtype=uint32)
    """
    function = "distance_transform_bf"
    requested = _requested_outputs(function, return_distances, return_indices)
    cells, name = truths(function, input), metric.lower() if isinstance(metric, str) else ""
    if name not in ("euclidean", "chessboard", *TAXICAB):
        raise FilterError(f"{function}: distance metric not supported: {metric!r}")
    which = cast("Metric", "taxicab" if name in TAXICAB else name)
    steps = _steps(function, sampling, cells.type.ndim)
    if which != "euclidean":
        steps = (1.0,) * cells.type.ndim
    nearest = NearestCells.of(cells, steps, which, backwards=True)
    most = float(np.sqrt(np.finfo(np.float64).max))
    away = (
        nearest.euclidean(most)
        if which == "euclidean"
        else nearest.steps(np.dtype(np.uint32), np.iinfo(np.uint32).max)
    )
    return _returned_outputs(function, nearest, away, requested, (distances, indices))


def _metric(function: str, metric: str | ArrayLike, ndim: int) -> Metric:
    """The metric of a name or a structure."""
    if isinstance(metric, str):
        if metric == "chessboard":
            return "chessboard"
        if metric in TAXICAB:
            return "taxicab"
        raise ArgumentError(f"{function}: invalid metric provided: {metric!r}")
    cells = known_cells(function, "metric", metric)
    if any(n != 3 for n in cells.shape) or cells.ndim != ndim:
        raise ArgumentError(
            f"{function}: metric sizes must be equal to 3, along {ndim} axes, not {cells.shape}"
        )
    names: tuple[tuple[Metric, int], ...] = (("taxicab", 1), ("chessboard", ndim))
    for name, connectivity in names:
        if np.array_equal(cells != 0, generate_binary_structure(ndim, connectivity)):
            return name
    raise ArgumentError(
        f"{function}: metric must be the structure of the taxicab or of the chessboard: the "
        "distances of others follow from two passes over the whole array, in its order"
    )


def _steps(function: str, sampling: Sampling, ndim: int) -> tuple[float, ...]:
    """From one cell to the next along each axis."""
    given = for_each(function, "sampling", 1.0 if sampling is None else sampling, ndim)
    try:
        return tuple([abs(float(one)) for one in given])
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{function}: sampling must be numbers, not {sampling!r}") from error


def _requested_outputs(function: str, distances: bool, indices: bool) -> tuple[bool, bool]:
    requested = (
        truth(f"{function}: return_distances", distances),
        truth(f"{function}: return_indices", indices),
    )
    if not any(requested):
        raise FilterError(
            f"{function}: at least one of return_distances/return_indices must be True"
        )
    return requested


def _returned_outputs(
    function: str,
    nearest: NearestCells,
    distances: Array,
    requested: tuple[bool, bool],
    outputs: tuple[Array | None, Array | None],
) -> Any:
    """The requested outputs that are returned, as no array was given to write them to."""
    names, results = ("distances", "indices"), []
    for name, want, out in zip(names, requested, outputs, strict=True):
        if out is not None and not want:
            raise FilterError(f"{function}: return_{name} must be True if {name} is not None")
        if not want:
            continue
        value = distances if name == "distances" else nearest.indices()
        if out is None:
            results.append(value)
            continue
        if isinstance(out, Array) and out.dtype != value.dtype:
            raise FilterError(f"{function}: {name} array must be {value.dtype}, not {out.dtype}")
        if isinstance(out, Array) and out.shape != value.shape:
            raise FilterError(
                f"{function}: {name} array has wrong shape: it is {out.shape}, not {value.shape}"
            )
        assigned_to_out(out, value)
    return tuple(results) if len(results) == 2 else results[0] if results else None

"""Named checks that a projection maps index ranges to boxes without holes.

Source: Tapestry whitepaper, "Index Projection Functions": it is generally tractable to
arrange that coherent ranges in the index space map to coherent blocks. Here is exactly when.

Each check is necessary; together they are sufficient, for every non-empty index range. With
them the cells of a range are the product, over the tensor's dimensions, of windows that touch
or overlap. Where one fails, the box of a range is still right, but wider than what is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias

from dask_tapestry.zspace.affine import ZAffineMap


class ProjectionWindows(Protocol):
    """What the checks read of an index projection."""

    @property
    def affine(self) -> ZAffineMap:
        """Where the window of an index point begins."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The cells of a window along each dimension."""

    @property
    def stride(self) -> tuple[int, ...]:
        """The distance between neighbouring cells of a window."""


Check: TypeAlias = Callable[[ProjectionWindows], Iterator[str]]
"""Yields what is wrong."""


def windows_are_dense(windows: ProjectionWindows) -> Iterator[str]:
    """Yield the dimensions whose window skips cells by itself: a dilated one.

    Examples
    --------
    >>> from dask_tapestry.zspace import IndexProjection
    >>> print(*windows_are_dense(IndexProjection([[1]], [0], [3], stride=2)))
    dimension 0: a window of 3 cells with stride 2 skips cells
    """
    for i, (cells, stride) in enumerate(zip(windows.shape, windows.stride, strict=True)):
        if stride > 1 and cells > 1:
            yield f"dimension {i}: a window of {cells} cells with stride {stride} skips cells"


def steps_leave_no_gap(windows: ProjectionWindows) -> Iterator[str]:
    """Yield the steps that are longer than the window, so that neighbours do not touch.

    Examples
    --------
    >>> from dask_tapestry.zspace import IndexProjection
    >>> print(*steps_leave_no_gap(IndexProjection([[3]], [0], [2])))
    dimension 0: a step of 3 along index 0 leaves a gap after a window of 2 cells
    """
    for i, (row, cells) in enumerate(zip(windows.affine.matrix, windows.shape, strict=True)):
        for k, c in enumerate(row):
            if abs(c) > cells:
                step = f"a step of {c} along index {k}"
                yield f"dimension {i}: {step} leaves a gap after a window of {cells} cells"


def indices_move_one_dimension(windows: ProjectionWindows) -> Iterator[str]:
    """Yield the indices that move several dimensions at once: their cells lie on a diagonal.

    Examples
    --------
    >>> from dask_tapestry.zspace import IndexProjection
    >>> print(*indices_move_one_dimension(IndexProjection([[1], [1]], [0, 0], [1, 1])))
    index 0 moves dimensions (0, 1) together: a diagonal
    """
    for k in range(windows.affine.in_ndim):
        moved = tuple([i for i, c in enumerate(windows.affine.column(k)) if c])
        if len(moved) > 1:
            yield f"index {k} moves dimensions {moved} together: a diagonal"


CHECKS: tuple[Check, ...] = (windows_are_dense, steps_leave_no_gap, indices_move_one_dimension)


def incoherence(windows: ProjectionWindows) -> tuple[str, ...]:
    """Return what keeps a projection from being coherent, each with the name of its check.

    A projection that selects nothing anywhere, its window having no cells, is coherent.

    Examples
    --------
    >>> from dask_tapestry.zspace import IndexProjection
    >>> incoherence(IndexProjection.identity(2))
    ()
    >>> print(*incoherence(IndexProjection([[1], [1]], [0, 0], [1, 1])))
    indices_move_one_dimension: index 0 moves dimensions (0, 1) together: a diagonal
    """
    if 0 in windows.shape:
        return ()
    found = [(check.__name__, text) for check in CHECKS for text in check(windows)]
    return tuple([f"{name}: {text}" for name, text in found])

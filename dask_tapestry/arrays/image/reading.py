"""`imread` reads a stack of images, one file a block."""

from __future__ import annotations

import os
from collections.abc import Callable
from glob import glob
from typing import Any

import numpy as np

from dask_tapestry.amounts import function
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.creation.ranges import arange
from dask_tapestry.arrays.user_functions.map_blocks import map_blocks
from dask_tapestry.errors import ArgumentTypeError, StoreNotFoundError
from dask_tapestry.imports import lazy_import
from dask_tapestry.late_dataclass import dataclass

__all__ = ["imread"]


@dataclass(frozen=True)
class _Images:
    """Reads the files whose numbers a block holds.

    {Attributes} changed: When each file was changed last: other files of the names are another
        value.
    """

    files: tuple[str, ...]
    changed: tuple[int, ...]
    read: Callable[[str], Any]
    preprocess: Callable[[Any], Any] | None

    def __call__(self, numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.stack([self.image(int(number)) for number in numbers])

    def image(self, number: int) -> np.ndarray[Any, Any]:
        """The image in a file."""
        found = self.read(self.files[number])
        return np.asarray(found if self.preprocess is None else self.preprocess(found))


def imread(
    filename: str | os.PathLike[str],
    imread: Callable[[str], Any] | None = None,
    preprocess: Callable[[Any], Any] | None = None,
) -> Array:
    """Read a stack of images, as `dask.array.image.imread`: lazily, one file a block.

    {Parameters}
        filename: A pattern of names, such as ``"frame-*.png"``; the files are sorted by name.
        imread: Takes a file's name and returns its array; by default ``skimage.io.imread``, which
            needs scikit-image.
        preprocess: Takes the array of a file and returns the one that is wanted.
    {Returns} Array: The images along a new first dimension. All are of the first one's shape and
        dtype.
    {Raises}
        StoreNotFoundError: If no file has such a name.
        ModuleNotFoundError: Without `imread`, if scikit-image is not installed.

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for n in range(3):
    ...         np.save(f"{folder}/{n}.npy", np.full((2, 2), n))
    ...     x = dt.image.imread(f"{folder}/*.npy", imread=np.load)
    ...     x.shape, x.sum(axis=(1, 2)).compute()
    ((3, 2, 2), array([0, 4, 8]))
    """
    if not isinstance(filename, str | os.PathLike):
        raise ArgumentTypeError(f"filename is a pattern of names, not {filename!r}")
    files = tuple(sorted(glob(os.fspath(filename))))
    if not files:
        raise StoreNotFoundError(f"No files found under name {os.fspath(filename)}")
    read = function("imread", imread) if imread is not None else lazy_import("skimage.io").imread
    if preprocess is not None:
        function("preprocess", preprocess)
    images = _Images(files, tuple(os.stat(file).st_mtime_ns for file in files), read, preprocess)
    first = images.image(0)
    return map_blocks(
        images,
        arange(len(files), chunks=1),
        dtype=first.dtype,
        new_axis=tuple(range(1, first.ndim + 1)),
        chunks=(1, *first.shape),
        token="imread",
    )

"""Functions of the blocks of masked arrays, which they see as NumPy's masked arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from dask_tapestry.amounts import function as callable_argument
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.masked import Masked
from dask_tapestry.arrays.user_functions.map_blocks import map_blocks
from dask_tapestry.errors import ArgumentError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.functions.infer_meta import tried
from dask_tapestry.operators.functions.user_function import name_of
from dask_tapestry_kernels.block_format import with_all_cells


@dataclass(frozen=True)
class PackedMaskedFunction:
    """A function of masked blocks, as one of cells and mask that returns both in one block."""

    function: Callable[..., Any]
    kind: np.dtype[Any]

    def __call__(self, cells: Any, hidden: Any, *args: Any, **kwargs: Any) -> Any:
        plain = np.ma.MaskedArray(with_all_cells(cells), with_all_cells(hidden))
        made = self.function(plain, *args, **kwargs)
        block = np.empty(np.shape(made), self.kind)
        block["cells"], block["hidden"] = np.ma.getdata(made), np.ma.getmaskarray(made)
        return block


def mapped(
    function: Callable[..., Any],
    cells: Array,
    hidden: Array,
    args: tuple[Any, ...],
    dtype: DTypeLike | None,
    kwargs: dict[str, Any],
) -> tuple[Array, Array]:
    """Cells and mask of what a function makes of every block; `map_blocks` has the arguments.

    {Raises} ArgumentError: If another masked array is given.
    """
    if any(isinstance(sample, Masked) for sample in (*args, *kwargs.values())):
        raise ArgumentError("map_blocks takes one masked array: give cells and masks of others")
    function = callable_argument("func", function)
    if dtype is None:
        own = {k: v for k, v in kwargs.items() if k not in ("chunks", "drop_axis", "new_axis")}
        sample = np.ma.ones((1,) * cells.ndim, cells.dtype)
        dtype = np.ma.asarray(tried(function, [[sample, *args]], name_of(function), **own)).dtype
    kind = np.dtype([("cells", as_dtype(dtype)), ("hidden", bool)])
    token = kwargs.pop("token", None) or name_of(function)
    packed = map_blocks(
        PackedMaskedFunction(function, kind),
        cells,
        hidden,
        *args,
        dtype=kind,
        token=token,
        **kwargs,
    )
    return packed["cells"], packed["hidden"]

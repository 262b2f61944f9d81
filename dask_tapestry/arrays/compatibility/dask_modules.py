"""Modules of dask.array that scripts name: ``core``, ``reductions``, ``utils`` and their kind.

A name of such a module is the library's own where it has one. What takes chunks, indices or blocks
and no arrays is Dask's. All else is refused: it would make arrays of Dask.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

import dask_tapestry
from dask_tapestry.amounts import suggestion
from dask_tapestry.arrays.core.name_homes import PUBLIC_HOMES
from dask_tapestry.imports import lazy_import

FUNCTIONS: Final = "dask_tapestry.arrays.compatibility.dask_module_functions"
OURS: Final = {  # functions of ours for names that no one else here has, by module
    "core": ("elemwise",),
    "reductions": ("cumreduction",),
    "slicing": ("shuffle_slice",),
    "utils": ("assert_eq",),
}
DASKS: Final = {  # Dask's own functions of chunks, indices and blocks, by module
    "core": (
        "PerformanceWarning apply_infer_dtype auto_chunks blockdims_from_blockshape "
        "broadcast_chunks cached_cumsum common_blockdim concatenate3 concatenate_axes deepfirst "
        "getter getter_inline getter_nofancy interleave_none keyname normalize_chunks "
        "round_to shapelist slices_from_chunks transposelist"
    ).split(),
    "creation": "expand_pad_value get_pad_shapes_chunks".split(),
    "einsumfuncs": ["chunk_einsum", "parse_einsum_input"],
    "reductions": (
        "arg_agg arg_chunk arg_combine chunk_max chunk_min mean_agg mean_chunk mean_combine "
        "moment_agg moment_chunk moment_combine nanarg_agg nannumel numel safe_sqrt"
    ).split(),
    "routines": ["aligned_coarsen_chunks"],
    "slicing": (
        "cached_cumsum check_index expander issorted new_blockdim normalize_index normalize_slice "
        "parse_assignment_indices posify_index replace_ellipsis sanitize_index setitem"
    ).split(),
    "ufunc": [],
    "utils": (
        "arange_safe array_safe asanyarray_safe asarray_safe is_arraylike is_cupy_type "
        "meta_from_array normalize_to_array svd_flip validate_axis"
    ).split(),
    "wrap": [],
}


class DaskModule(ModuleType):
    """One of dask.array's modules, with the names that work on arrays of this library.

    Examples
    --------
    >>> core = DaskModule("core")
    >>> core.Array is dask_tapestry.Array
    True
    >>> core.slices_from_chunks(((2, 1),))
    [(slice(0, 2, None),), (slice(2, 3, None),)]
    """

    def __init__(self, name: str) -> None:
        super().__init__(
            f"dask_tapestry.{name}", f"What dask.array.{name} has, for arrays of ours."
        )
        self._short = name

    def __getattr__(self, name: str) -> Any:
        if name not in self._names():
            raise AttributeError(
                f"module {self.__name__!r} has no attribute {name!r}{self._hint(name)}"
            )
        if name in OURS.get(self._short, ()):
            found = getattr(lazy_import(FUNCTIONS), name)
        elif name in DASKS[self._short]:
            found = getattr(self._dasks(), name)
        else:
            found = getattr(dask_tapestry, name)
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return sorted(self._names())

    def _names(self) -> set[str]:
        shared = {name for name in vars(self._dasks()) if name in PUBLIC_HOMES}
        return shared | {*OURS.get(self._short, ()), *DASKS[self._short]}

    def _dasks(self) -> ModuleType:
        return lazy_import(f"dask.array.{self._short}")

    def _hint(self, name: str) -> str:
        if name.startswith("__"):
            return ""
        if hasattr(self._dasks(), name):
            return f"; dask.array.{self._short}.{name} takes x.to_dask_array()"
        return suggestion(name, self._names())

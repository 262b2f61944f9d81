"""The operators and methods of Array, declared for type checkers; methods.py attaches them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from os import PathLike
    from types import ModuleType
    from typing import Literal, Self

    import zarr
    from dask.array import Array as DaskArray
    from numpy.typing import ArrayLike, DTypeLike
    from zarr.storage import StoreLike

    from dask_tapestry.arrays.core.chunks import Chunks
    from dask_tapestry.arrays.core.dtypes import Casting
    from dask_tapestry.arrays.core.effect import Effect
    from dask_tapestry.arrays.core.halos import Boundaries, Depths
    from dask_tapestry.arrays.core.key_types import UserKey
    from dask_tapestry.arrays.core.vindex import VIndex
    from dask_tapestry.arrays.core.write_arguments import Lock, Region, Writable
    from dask_tapestry.arrays.planning.plan import Plan
    from dask_tapestry.operators.axes import Axes
    from dask_tapestry.planner.machine.resources import Resources

    Mode = Literal["raise", "wrap", "clip"]
    Kind = Literal["quicksort", "mergesort", "heapsort", "stable"]


class ArrayMethods:
    """What `methods.attach` gives to Array, whose base this is."""

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def ndim(self) -> int: ...
        @property
        def shape(self) -> tuple[int, ...]: ...

        A: Any
        flat: Any
        T: Self
        mT: Self  # noqa: N815  (NumPy's name)
        real: Self
        imag: Self
        vindex: VIndex[Self]

        def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType: ...
        def __dlpack__(
            self,
            /,
            *,
            stream: Any = None,
            max_version: tuple[int, int] | None = None,
            dl_device: tuple[Any, int] | None = None,
            copy: bool | None = None,
        ) -> Any: ...
        def __dlpack_device__(self) -> tuple[int, int]: ...
        def to_device(self, device: str, /, *, stream: Any = None) -> Self: ...
        def to_backend(self, backend: str | None = None, **kwargs: Any) -> Self: ...
        def to_svg(self, size: int = 200) -> str: ...
        def __deepcopy__(self, memo: dict[int, Any]) -> Self: ...
        def __getitem__(self, key: UserKey) -> Self: ...
        def __setitem__(self, key: UserKey, value: ArrayLike) -> None: ...
        def __eq__(self, other: object) -> Self: ...  # type: ignore[override]
        def __ne__(self, other: object) -> Self: ...  # type: ignore[override]
        def __lt__(self, other: ArrayLike) -> Self: ...
        def __le__(self, other: ArrayLike) -> Self: ...
        def __gt__(self, other: ArrayLike) -> Self: ...
        def __ge__(self, other: ArrayLike) -> Self: ...
        def __neg__(self) -> Self: ...
        def __pos__(self) -> Self: ...
        def __abs__(self) -> Self: ...
        def __invert__(self) -> Self: ...
        def __add__(self, other: ArrayLike) -> Self: ...
        def __radd__(self, other: ArrayLike) -> Self: ...
        def __sub__(self, other: ArrayLike) -> Self: ...
        def __rsub__(self, other: ArrayLike) -> Self: ...
        def __mul__(self, other: ArrayLike) -> Self: ...
        def __rmul__(self, other: ArrayLike) -> Self: ...
        def __matmul__(self, other: ArrayLike) -> Self: ...
        def __rmatmul__(self, other: ArrayLike) -> Self: ...
        def __truediv__(self, other: ArrayLike) -> Self: ...
        def __rtruediv__(self, other: ArrayLike) -> Self: ...
        def __floordiv__(self, other: ArrayLike) -> Self: ...
        def __rfloordiv__(self, other: ArrayLike) -> Self: ...
        def __mod__(self, other: ArrayLike) -> Self: ...
        def __rmod__(self, other: ArrayLike) -> Self: ...
        def __divmod__(self, other: ArrayLike) -> tuple[Self, Self]: ...
        def __rdivmod__(self, other: ArrayLike) -> tuple[Self, Self]: ...
        def __pow__(self, other: ArrayLike) -> Self: ...
        def __rpow__(self, other: ArrayLike) -> Self: ...
        def __lshift__(self, other: ArrayLike) -> Self: ...
        def __rlshift__(self, other: ArrayLike) -> Self: ...
        def __rshift__(self, other: ArrayLike) -> Self: ...
        def __rrshift__(self, other: ArrayLike) -> Self: ...
        def __and__(self, other: ArrayLike) -> Self: ...
        def __rand__(self, other: ArrayLike) -> Self: ...
        def __or__(self, other: ArrayLike) -> Self: ...
        def __ror__(self, other: ArrayLike) -> Self: ...
        def __xor__(self, other: ArrayLike) -> Self: ...
        def __rxor__(self, other: ArrayLike) -> Self: ...

        def sum(
            self,
            axis: Axes = None,
            dtype: DTypeLike | None = None,
            out: Self | None = None,
            keepdims: bool = False,
            initial: ArrayLike | None = ...,
            where: ArrayLike = ...,
        ) -> Self: ...
        def prod(
            self,
            axis: Axes = None,
            dtype: DTypeLike | None = None,
            out: Self | None = None,
            keepdims: bool = False,
            initial: ArrayLike | None = ...,
            where: ArrayLike = ...,
        ) -> Self: ...
        def mean(
            self,
            axis: Axes = None,
            dtype: DTypeLike | None = None,
            out: Self | None = None,
            keepdims: bool = False,
            *,
            where: ArrayLike = ...,
        ) -> Self: ...
        def min(
            self,
            axis: Axes = None,
            out: Self | None = None,
            keepdims: bool = False,
            initial: ArrayLike | None = ...,
            where: ArrayLike = ...,
        ) -> Self: ...
        def max(
            self,
            axis: Axes = None,
            out: Self | None = None,
            keepdims: bool = False,
            initial: ArrayLike | None = ...,
            where: ArrayLike = ...,
        ) -> Self: ...
        def any(
            self,
            axis: Axes = None,
            out: Self | None = None,
            keepdims: bool = False,
            *,
            where: ArrayLike = ...,
        ) -> Self: ...
        def all(
            self,
            axis: Axes = None,
            out: Self | None = None,
            keepdims: bool = False,
            *,
            where: ArrayLike = ...,
        ) -> Self: ...
        def argmin(
            self, axis: int | None = None, out: Self | None = None, *, keepdims: bool = False
        ) -> Self: ...
        def argmax(
            self, axis: int | None = None, out: Self | None = None, *, keepdims: bool = False
        ) -> Self: ...
        def var(
            self,
            axis: Axes = None,
            dtype: DTypeLike | None = None,
            out: Self | None = None,
            ddof: float = 0,
            keepdims: bool = False,
            *,
            where: ArrayLike = ...,
            mean: ArrayLike = ...,
            correction: float = ...,
        ) -> Self: ...
        def std(
            self,
            axis: Axes = None,
            dtype: DTypeLike | None = None,
            out: Self | None = None,
            ddof: float = 0,
            keepdims: bool = False,
            *,
            where: ArrayLike = ...,
            mean: ArrayLike = ...,
            correction: float = ...,
        ) -> Self: ...
        def moment(
            self,
            order: int,
            axis: Axes = None,
            dtype: DTypeLike | None = None,
            keepdims: bool = False,
            ddof: float = 0,
            split_every: int | None = None,
            out: Self | None = None,
        ) -> Self: ...
        def sort(
            self,
            axis: int = -1,
            kind: Kind | None = None,
            order: str | Sequence[str] | None = None,
            *,
            stable: bool | None = None,
            descending: bool = False,
        ) -> None: ...
        def argsort(
            self,
            axis: int | None = -1,
            kind: Kind | None = None,
            order: str | Sequence[str] | None = None,
            *,
            stable: bool | None = None,
            descending: bool = False,
        ) -> Self: ...
        def partition(
            self,
            kth: int | Sequence[int],
            axis: int = -1,
            kind: Literal["introselect"] = "introselect",
            order: str | Sequence[str] | None = None,
        ) -> None: ...
        def argpartition(
            self,
            kth: int | Sequence[int],
            axis: int | None = -1,
            kind: Literal["introselect"] = "introselect",
            order: str | Sequence[str] | None = None,
        ) -> Self: ...
        def searchsorted(
            self,
            v: ArrayLike,
            side: Literal["left", "right"] = "left",
            sorter: ArrayLike | None = None,
        ) -> Self: ...
        def topk(self, k: int, axis: int = -1, split_every: int | None = None) -> Self: ...
        def argtopk(self, k: int, axis: int = -1, split_every: int | None = None) -> Self: ...
        def dot(self, b: ArrayLike, out: Self | None = None) -> Self: ...
        def trace(
            self,
            offset: int = 0,
            axis1: int = 0,
            axis2: int = 1,
            dtype: DTypeLike | None = None,
            out: Self | None = None,
        ) -> Self: ...
        def cumsum(
            self, axis: int | None = None, dtype: DTypeLike | None = None, out: Self | None = None
        ) -> Self: ...
        def cumprod(
            self, axis: int | None = None, dtype: DTypeLike | None = None, out: Self | None = None
        ) -> Self: ...
        def astype(
            self,
            dtype: DTypeLike,
            order: str = "K",
            casting: Casting = "unsafe",
            subok: bool = True,
            copy: bool = True,
        ) -> Self: ...
        def round(self, decimals: int = 0, out: Self | None = None) -> Self: ...
        def view(self, dtype: DTypeLike | type | None = None, order: str = "C") -> Self: ...
        def clip(
            self,
            min: ArrayLike | None = None,
            max: ArrayLike | None = None,
            out: Self | None = None,
        ) -> Self: ...
        def conj(self, out: Self | None = None) -> Self: ...
        def conjugate(self, out: Self | None = None) -> Self: ...
        def copy(self, order: str = "C") -> Self: ...
        def flatten(self, order: str = "C") -> Self: ...
        def ravel(self, order: str = "C") -> Self: ...
        def repeat(self, repeats: ArrayLike, axis: int | None = None) -> Self: ...
        def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self: ...
        def squeeze(self, axis: Axes = None) -> Self: ...
        def swapaxes(self, axis1: int, axis2: int) -> Self: ...
        def reshape(self, *shape: int | Sequence[int], order: str = "C") -> Self: ...
        def transpose(self, *axes: int | Sequence[int] | None) -> Self: ...
        def rename(self, *dims: str | None) -> Self: ...
        def rechunk(
            self,
            chunks: Chunks = "auto",
            threshold: int | None = None,
            block_size_limit: int | None = None,
            balance: bool = False,
            method: str | None = None,
        ) -> Self: ...
        def nonzero(self) -> tuple[Self, ...]: ...
        def shuffle(
            self, indexer: Sequence[Sequence[int]], axis: int = 0, chunks: str = "auto"
        ) -> Self: ...
        def __round__(self, ndigits: int | None = None) -> Any: ...
        def store(
            self,
            targets: Writable | Collection[Writable],
            lock: Lock = True,
            regions: Region | Iterable[Region] = None,
            compute: bool = True,
            return_stored: bool = False,
            load_stored: bool | None = None,
            *,
            resume: bool | Literal["checksums"] = False,
            after: Sequence[Self | Effect] = (),
            **kwargs: Any,
        ) -> Effect | Self | tuple[Self, ...] | None: ...
        def to_zarr(
            self,
            store: StoreLike | zarr.Group | zarr.Array[Any],
            component: str | None = None,
            *,
            chunks: int | Sequence[int] | Literal["auto"] = "auto",
            shards: Sequence[int] | None = None,
            dtype: DTypeLike | None = None,
            compressors: object = "auto",
            zarr_format: int | None = None,
            storage_options: Mapping[str, Any] | None = None,
            overwrite: bool = False,
            region: Region = None,
            append_dim: int | str | None = None,
            resume: bool | Literal["checksums"] = False,
            write_empty_chunks: bool | None = None,
            consolidated: bool | None = None,
            compute: bool = True,
            return_stored: bool = False,
            workers: str | Sequence[str] = (),
            after: Sequence[Self | Effect] = (),
            **kwargs: Any,
        ) -> Self | Effect | None: ...
        def to_dask_array(self) -> DaskArray: ...
        def to_dask_dataframe(
            self, columns: str | Sequence[str] | None = None, index: Any = None, meta: Any = None
        ) -> Any: ...
        def choose(
            self,
            choices: Sequence[ArrayLike] | Self,
            out: Self | None = None,
            mode: Mode = "raise",
        ) -> Self: ...
        def put(self, ind: ArrayLike, v: ArrayLike, mode: Mode = "raise") -> None: ...
        def fill(self, value: ArrayLike) -> None: ...
        def compress(
            self, condition: ArrayLike, axis: int | None = None, out: Self | None = None
        ) -> Self: ...
        def take(
            self,
            indices: ArrayLike,
            axis: int | None = None,
            out: Self | None = None,
            mode: Mode = "raise",
        ) -> Self: ...
        def compute_chunk_sizes(self) -> Self: ...
        def map_overlap(
            self,
            func: Callable[..., Any],
            depth: Depths = None,
            boundary: Boundaries = None,
            trim: bool = True,
            **kwargs: Any,
        ) -> Self: ...
        def map_blocks(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Self: ...
        def plan(
            self,
            *arrays: ArrayLike | Effect,
            resources: Resources | None = None,
            method: Literal["auto", "exhaustive", "none"] = "auto",
            budget: float | None = None,
            seed: int = 0,
        ) -> Plan: ...
        def to_hdf5(self, filename: str | PathLike[str], datapath: str, **kwargs: Any) -> None: ...

"""The user's function of `xarray.map_blocks`: named by what it does, and held to its template."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from dask.base import tokenize
from dask.utils import funcname

from dask_tapestry.compute_errors import compute_error, of_user
from dask_tapestry.teg.users_line import users_line

Dtypes = Mapping[Any, np.dtype[Any]]
Dims = Mapping[Any, tuple[Any, ...]]


Lengths = Mapping[Any, Mapping[int, frozenset[int]]]

NOTHING_SAID: Final[Mapping[Any, Any]] = MappingProxyType({})
WHOLE: Final = -1  # the length of a block along a dimension that it does not have


class TemplateFunction:
    """`func` of blocks of datasets or arrays, whose variables are as a template says.

    xarray names the blocks of a result by its arguments and the name of the function, so that two
    lambdas of the same arguments would be one. The name of this one tells functions apart.

    Attributes
    ----------
    func
        The user's.
    dtypes
        By the names of variables, None that of a DataArray; where nothing is said it may be any.
    dims
        Dimensions in the same way: xarray asks nobody for their order.
    lengths
        Of each dimension of the template: how long blocks are, by the length of what they are made
        of, `WHOLE` where that has no such dimension. xarray looks at dimensions with an index.
    line
        Where the user called `map_blocks`.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        dtypes: Dtypes,
        dims: Dims = NOTHING_SAID,
        lengths: Lengths = NOTHING_SAID,
    ) -> None:
        self.func = func
        self.dtypes, self.dims, self.lengths = dict(dtypes), dict(dims), dict(lengths)
        self.line = users_line(2)
        said = tokenize(func, self.dtypes, self.dims, self.lengths)
        self.__name__ = f"{funcname(func)}-{said}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's value, its variables in the dtypes of the template."""
        try:
            value = self._in_dims(self.func(*args, **kwargs))
            self._check_lengths(value, args)
            return self._in_dtypes(value)
        except Exception as error:
            raise compute_error(error, self._where(args)) from of_user(error)

    def _where(self, args: tuple[Any, ...]) -> str:
        of = ", ".join(f"{dim}: {n}" for dim, n in getattr(args[0], "sizes", {}).items())
        return (
            f"while computing {funcname(self.func)}, called by xarray.map_blocks for a block of "
            f"({of}) at {self.line}"
        )

    def _in_dims(self, value: Any) -> Any:
        """The value, whose variables have the dimensions that the template says."""
        if not hasattr(value, "sizes"):
            raise TypeError(f"it returned a {type(value).__name__}, no DataArray and no Dataset")
        if hasattr(value, "data_vars"):
            missing = [repr(name) for name in self.dims if name not in value and name is not None]
            if missing:
                found = ", ".join(map(repr, value.data_vars)) or "no variables"
                raise ValueError(f"it returned {found}, and its template has {', '.join(missing)}")
            for name, x in value.data_vars.items():
                _check_dims(x, self.dims.get(name, x.dims), repr(name))
        elif None in self.dims and hasattr(value, "dims"):
            _check_dims(value, self.dims[None], "an array")
        return value

    def _check_lengths(self, value: Any, args: tuple[Any, ...]) -> None:
        """See that the value is as long as the template says, if it says so for these blocks."""
        for dim, length in value.sizes.items():
            of = [one.sizes[dim] for one in args if dim in getattr(one, "sizes", ())]
            said = self.lengths.get(dim, {}).get(of[0] if of else WHOLE)
            if said is not None and length not in said:
                wanted = " or ".join(map(str, sorted(said)))
                raise ValueError(
                    f"it returned {length} along dimension {dim!r}, and its template says {wanted}"
                )

    def _in_dtypes(self, value: Any) -> Any:
        if not hasattr(value, "data_vars"):
            dtype = self.dtypes.get(None)
            return value if dtype is None else _converted(value, dtype, "an array")
        wrong = {
            name: _converted(x, self.dtypes[name], repr(name))
            for name, x in value.data_vars.items()
            if self.dtypes.get(name, x.dtype) != x.dtype
        }
        return value.assign(wrong) if wrong else value


def _check_dims(x: Any, dims: tuple[Any, ...], what: str) -> None:
    if x.dims != dims:
        said, found = (f"({', '.join(map(str, some))})" for some in (dims, x.dims))
        raise ValueError(
            f"it returned {what} with dimensions {found}, and its template says {said}"
        )


def _converted(x: Any, dtype: np.dtype[Any], what: str) -> Any:
    """A variable in the dtype of its template.

    Raises
    ------
    TypeError
        If values could be other ones there.
    """
    if not hasattr(x, "dtype") or x.dtype == dtype:
        return x
    if not np.can_cast(x.dtype, dtype, "same_kind"):
        raise TypeError(f"it returned {what} of {x.dtype}, and its template says {dtype}")
    return x.astype(dtype)


def dtypes_of(template: Any) -> Dtypes:
    """The dtypes of a template's variables; of none nothing is said."""
    if hasattr(template, "data_vars"):
        return {name: x.dtype for name, x in template.data_vars.items()}
    return {None: template.dtype} if hasattr(template, "dtype") else {}


def dims_of(template: Any) -> Dims:
    """The dimensions of a template's variables; of none nothing is said."""
    if hasattr(template, "data_vars"):
        return {name: x.dims for name, x in template.data_vars.items()}
    return {None: template.dims} if hasattr(template, "dims") else {}


def lengths_of(template: Any, given: Iterable[Any]) -> Lengths:
    """The lengths of blocks of a template by those of what they are made of.

    One block of what is given makes one of the template. Where that says otherwise, and xarray
    refuses it, nothing is said here.
    """
    whole, cut = dict[Any, tuple[int, ...]](), dict[Any, tuple[int, ...]]()
    for one in given:
        whole |= {dim: (n,) for dim, n in getattr(one, "sizes", {}).items()}
        cut |= getattr(one, "chunksizes", {})
    chunks = whole | cut
    lengths: dict[Any, dict[int, frozenset[int]]] = {}
    for dim, made in getattr(template, "chunksizes", {}).items():
        of = chunks.get(dim, (WHOLE,) * len(made))
        if len(of) == len(made):
            pairs = set(zip(of, made, strict=True))
            lengths[dim] = {n: frozenset(m for k, m in pairs if k == n) for n, _ in pairs}
    return lengths

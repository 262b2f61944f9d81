"""A user's function of `xarray.map_blocks`: named by what it does, and held to its template."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from dask.base import tokenize
from dask.utils import funcname

from dask_tapestry.compute_errors import compute_error, of_user
from dask_tapestry.teg.users_line import users_line

Dtypes = Mapping[Any, np.dtype[Any]]


class TemplateFunction:
    """`func` of blocks of datasets or arrays, whose variables have the dtypes of a template.

    xarray names the blocks of a result by its arguments and the name of the function, so that two
    lambdas of the same arguments would be one. The name of this one tells functions apart.

    Attributes
    ----------
    func
        The user's.
    dtypes
        By the names of variables, None that of a DataArray; where nothing is said it may be any.
    line
        Where the user called `map_blocks`.
    """

    def __init__(self, func: Callable[..., Any], dtypes: Dtypes) -> None:
        self.func = func
        self.dtypes = dict(dtypes)
        self.line = users_line(2)
        self.__name__ = f"{funcname(func)}-{tokenize(func, self.dtypes)}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's value, its variables in the dtypes of the template."""
        try:
            return self._in_dtypes(self.func(*args, **kwargs))
        except Exception as error:
            raise compute_error(error, self._where(args)) from of_user(error)

    def _where(self, args: tuple[Any, ...]) -> str:
        of = ", ".join(f"{dim}: {n}" for dim, n in getattr(args[0], "sizes", {}).items())
        return (
            f"while computing {funcname(self.func)}, called by xarray.map_blocks for a block of "
            f"({of}) at {self.line}"
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

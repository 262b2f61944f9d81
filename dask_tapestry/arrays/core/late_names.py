"""Names of a namespace that it has not itself: Dask's, imported when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dask_tapestry.arrays.core.names_of_numpy import hint_of_name
from dask_tapestry.imports import lazy_import

COMPATIBILITY = "dask_tapestry.arrays.compatibility"


def late_names(space: str, names: Sequence[str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of ``dt.<space>``, which has the public `names`.

    Raises
    ------
    AttributeError
        The function does: for what is none of them, with the name that looks like it.

    Examples
    --------
    >>> late_names("fft", ["fft", "fft_wrap"])("fft_wrap").__name__
    'fft_wrap'
    """

    def __getattr__(name: str) -> Any:  # noqa: N807  (of the module that it is put into)
        if name in names:
            return lazy_import(COMPATIBILITY).public_value(f"{space}.{name}")
        hint = "" if name.startswith("_") else hint_of_name(space, name, names)
        raise AttributeError(f"dt.{space} has no attribute {name!r}{hint}")

    return __getattr__

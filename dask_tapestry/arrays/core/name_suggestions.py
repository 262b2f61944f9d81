"""Objects that answer a name that they have not by the one that looks like it.

Python's interpreter does so where it shows an error itself; notebooks, logs and workers do not.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dask_tapestry.amounts import suggestion


class NameSuggestions:
    """What gives a class errors with suggestions.

    {Examples}
    >>> try:
    ...     dt.ones(2).summ
    ... except AttributeError as error:
    ...     print(error)
    'Array' object has no attribute 'summ'; did you mean 'sum'?
    """

    __slots__ = ()

    @staticmethod
    def _elsewhere(name: str) -> str:  # noqa: ARG004  (a class may know some)
        """What does for a name that the class has not, behind a semicolon; empty if unknown."""
        return ""

    if not TYPE_CHECKING:  # for type checkers it would have all attributes

        def __getattr__(self, name: str) -> Any:
            if hasattr(type(self), name):  # it is there, and has raised this itself
                return object.__getattribute__(self, name)
            raise AttributeError(_text(type(self), name), name=name)


@lru_cache(maxsize=1024)
def _text(kind: type[NameSuggestions], name: str) -> str:
    """Text of the error; libraries ask every array for the same names."""
    hint = ""
    if not name.startswith("_"):
        hint = kind._elsewhere(name) or suggestion(name, dir(kind))
    return f"{kind.__name__!r} object has no attribute {name!r}{hint}"

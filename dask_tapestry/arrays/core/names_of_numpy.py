"""Names that NumPy, pandas and others have and this library has not: what does it here."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

import numpy as np

from dask_tapestry.amounts import suggestion

ITS_CELLS: Final = "compute() gives its cells as a NumPy array"
AS_METHODS: Final = {  # of arrays that are computed, by the name that is asked for
    **dict.fromkeys("values to_numpy numpy cpu get result".split(), ITS_CELLS),
}
OF_MASKED: Final = frozenset(  # functions that numpy.ma has too; ours take arrays of either kind
    "all amax amin any argmax argmin around clip cumprod cumsum max mean min prod ptp ravel repeat "
    "reshape round squeeze std sum swapaxes take transpose var".split()
)
SPACES: Final = (
    "fft",
    "lib",
    "linalg",
    "ma",
    "random",
    "strings",
)  # that NumPy has by the same name


def hint_of_attribute(name: str) -> str:
    """What does for an attribute that `Array` has not; empty if nobody knows it.

    Examples
    --------
    >>> hint_of_attribute("values"), hint_of_attribute("foo")
    ('; compute() gives its cells as a NumPy array', '')
    >>> hint_of_attribute("strides")
    '; compute() gives a NumPy array, which has it'
    """
    if name in AS_METHODS:
        return f"; {AS_METHODS[name]}"
    is_numpys = not name.startswith("_") and hasattr(np.ndarray, name)
    return "; compute() gives a NumPy array, which has it" if is_numpys else ""


def hint_of_name(space: str, name: str, names: Any) -> str:
    """What does for a name that the library, or a namespace of it, has not.

    That is NumPy's own, if it has the name, or else the one of `names` that looks like it.

    Examples
    --------
    >>> hint_of_name("", "nditer", [])
    '; compute() the arrays first to use np.nditer'
    >>> hint_of_name("linalg", "sovle", ["solve"])
    "; did you mean 'solve'?"
    >>> hint_of_name("ma", "sum", [])
    '; dt.sum takes masked arrays'
    """
    if space == "ma" and (name in OF_MASKED or isinstance(getattr(np, name, None), np.ufunc)):
        return f"; dt.{name} takes masked arrays"
    home = np if not space else getattr(np, space) if space in SPACES else None
    if isinstance(home, ModuleType) and name in dir(home):
        place = f"np.{space}" if space else "np"
        return f"; compute() the arrays first to use {place}.{name}"
    return suggestion(name, names)

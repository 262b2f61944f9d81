"""Texts, by the names and arguments of `numpy.strings` and `numpy.char`: lazy, cell by cell.

Where the length of results follows from cells, as of `replace`, the longest is found now, as a
dtype holds it. `dt.char` is another name of `dt.strings`.

Examples
--------
>>> import dask_tapestry as dt
>>> dt.strings.upper(dt.asarray(["ab", "c"])).compute()
array(['AB', 'C'], dtype='<U2')
"""

from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.elementwise.ufuncs import (
    add,
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    not_equal,
)
from dask_tapestry.arrays.strings.forms_of_texts import *
from dask_tapestry.arrays.strings.kinds_of_texts import *
from dask_tapestry.arrays.strings.lists_of_texts import *
from dask_tapestry.arrays.strings.parts_of_texts import *
from dask_tapestry.arrays.strings.widths_of_texts import *

__all__ = [
    "add",
    "capitalize",
    "center",
    "count",
    "decode",
    "encode",
    "endswith",
    "equal",
    "expandtabs",
    "find",
    "greater",
    "greater_equal",
    "index",
    "isalnum",
    "isalpha",
    "isdecimal",
    "isdigit",
    "islower",
    "isnumeric",
    "isspace",
    "istitle",
    "isupper",
    "join",
    "less",
    "less_equal",
    "ljust",
    "lower",
    "lstrip",
    "mod",
    "multiply",
    "not_equal",
    "partition",
    "replace",
    "rfind",
    "rindex",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "str_len",
    "strip",
    "swapcase",
    "title",
    "translate",
    "upper",
    "zfill",
]

write_out(__name__)

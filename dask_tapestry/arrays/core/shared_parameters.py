"""Parameters that many functions take, and errors that many raise: each is described once, here.

A docstring names them in braces, as ``{axis, keepdims}``; `docstrings` puts the texts in. A name
with a dot is another text for a parameter of the name before it.
"""

from __future__ import annotations

from typing import Final

ENTRIES: Final = {  # of the keys, each with the name that is documented and the text
    "a": ("a", "The array, or what `asarray` takes."),
    "a.square": ("a", "Square matrices, of shape (..., m, m)."),
    "axis": ("axis", "Axis or axes to reduce; None reduces all."),
    "axis.along": ("axis", "Axis to go along; None takes the flattened array."),
    "axis.samples": ("axis", "Along which samples lie; None for all cells."),
    "axis.searched": ("axis", "Axis to search; None searches the flattened array."),
    "chunks": (
        "chunks",
        "Nominal chunks, in any form that Dask takes; by default those of a canonical grid.",
    ),
    "copy": ("copy", "As NumPy's, without meaning here: arrays are values."),
    "ddof": (
        "ddof, correction",
        "Subtracted from the number of cells in the divisor; two names of one argument.",
    ),
    "device": (
        "device",
        '``"cpu"``, ``"cuda"`` or one of several, as ``"cuda:1"``; by default that of `config`.',
    ),
    "dtype.product": (
        "dtype",
        "Dtype to multiply in, and of the result; by default small integers become 64-bit ones.",
    ),
    "dtype.sum": (
        "dtype",
        "Dtype to add in, and of the result; by default small integers become 64-bit ones.",
    ),
    "DTypeError.lapack": ("DTypeError", "If LAPACK does not compute with such numbers."),
    "k": ("k", "How many places the diagonal lies above the main one; negative below."),
    "keepdims": ("keepdims", "Keep the reduced axes, with length 1."),
    "keepdims.searched": ("keepdims", "Keep the searched axis, or all for None, with length 1."),
    "like": ("like", "As NumPy's, without effect."),
    "mean": ("mean", "The mean, if known already, of the shape that ``keepdims=True`` gives it."),
    "nan_policy": ("nan_policy", '``"propagate"``: NaN gives NaN.'),
    "out": (
        "out",
        "An `Array` of the result's shape that takes the result, converted to its dtype.",
    ),
    "out.core": ("out", "An `Array` to whose shape the result broadcasts, and that takes it."),
    "out.none": ("out", "None; anything else is refused."),
    "out.value": ("out", "An `Array` that takes the value of the result."),
    "overwrite_input": (
        "overwrite_input",
        "Accepted for NumPy's sake; the array is never overwritten.",
    ),
    "size": ("size", "Shape of the result; by default that of the parameters."),
    "size.none": ("size", "Shape of the result; by default 0-d."),
    "split_every": (
        "split_every",
        "Accepted for Dask's sake; the plan decides how partial results are combined.",
    ),
    "where": ("where", "Mask of the cells that take part; it broadcasts to the shape of `a`."),
    "x": ("x", "The array."),
}

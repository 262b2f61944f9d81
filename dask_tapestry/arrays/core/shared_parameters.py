"""Parameters that many functions take, and errors that many raise: each is described once, here.

A docstring names them in braces, as ``{axis, keepdims}``; `docstrings` puts the texts in. A name
with a dot is another text for a parameter of the name before it.
"""

from __future__ import annotations

from typing import Final

ENTRIES: Final = {  # of the keys, each with the name that is documented and the text
    "a": ("a", "The array, or what `asarray` takes."),
    "a.array": ("a", "The array."),
    "a.complex": ("a", "Real or complex cells."),
    "a.data": ("a", "The data."),
    "a.real": ("a", "Real cells."),
    "a.samples": ("a", "Samples."),
    "a.square": ("a", "Square matrices, of shape (..., m, m)."),
    "ArgumentError.device": ("ArgumentError", "For a device that there is not."),
    "ArgumentError.mode": ("ArgumentError", "For another mode."),
    "ArgumentError.norm": ("ArgumentError", "For another `norm`."),
    "ArgumentError.small": ("ArgumentError", "For numbers that are too small."),
    "ArgumentError.UPLO": ("ArgumentError", "For another triangle."),
    "arr": ("arr", "The array."),
    "assume_unique": ("assume_unique", "Accepted for NumPy's sake; it makes no difference."),
    "axes": ("axes", "Along which it works; None for all."),
    "axes.core": (
        "axes",
        "Dimensions of the matrices and vectors in each operand, and in the result; by "
        "default the last ones.",
    ),
    "axis": ("axis", "Axis or axes to reduce; None reduces all."),
    "axis.all": ("axis", "Axis or axes; None for all."),
    "axis.along": ("axis", "Axis to go along; None takes the flattened array."),
    "axis.norm": ("axis, norm, out", "As of `fft`."),
    "axis.one": ("axis", "The axis."),
    "axis.partition": ("axis", "Axis to partition along; None takes the flattened array."),
    "axis.samples": ("axis", "Along which samples lie; None for all cells."),
    "axis.searched": ("axis", "Axis to search; None searches the flattened array."),
    "axis.sort": ("axis", "Axis to sort along; None sorts the flattened array."),
    "axis.table": ("axis", "Axis to search."),
    "axis1": ("axis1, axis2", "Axes of the rows and of the columns."),
    "AxisError": ("AxisError", "If the axis does not exist."),
    "AxisError.dims": ("AxisError", "If a dimension does not exist, or is named twice."),
    "chunks": (
        "chunks",
        "Nominal chunks, in any form that Dask takes; by default those of a canonical grid.",
    ),
    "ConstraintError": (
        "ConstraintError",
        "If a constraint of the specification is broken; the text has the number of each.",
    ),
    "copy": ("copy", "As NumPy's, without meaning here: arrays are values."),
    "copy.now": (
        "copy",
        "True to copy an array in memory now; False to refuse what cannot be had without a copy.",
    ),
    "ddof": (
        "ddof, correction",
        "Subtracted from the number of cells in the divisor; two names of one argument.",
    ),
    "depth": ("depth", "How many cells; a pair is before and after."),
    "device": (
        "device",
        '``"cpu"``, ``"cuda"`` or one of several, as ``"cuda:1"``; by default that of `config`.',
    ),
    "dims": ("dims", "Names of the dimensions."),
    "dtype.casting": (
        "dtype, casting",
        "Convert to this dtype, as far as this rule of NumPy's allows.",
    ),
    "dtype.common": ("dtype", "To compute in; by default the common dtype."),
    "dtype.converted": ("dtype", "Convert to this dtype."),
    "dtype.data": ("dtype", "Convert to this dtype; by default the data's."),
    "dtype.float64": ("dtype", "By default float64."),
    "dtype.learnt": (
        "dtype",
        "Dtype of the result; by default learnt by calling `func` on one cell. What `func` "
        "returns is cast to it, with one warning a compute where that changes values: Dask "
        "only labels.",
    ),
    "dtype.mean": (
        "dtype",
        "Dtype to compute in, and of the result; by default float64 for integers, else that "
        "of `a`.",
    ),
    "dtype.product": (
        "dtype",
        "Dtype to multiply in, and of the result; by default small integers become 64-bit ones.",
    ),
    "dtype.rounded": (
        "dtype",
        "float64, float32 or float16; the numbers of the last two are those of float64, rounded.",
    ),
    "dtype.shape": ("dtype, shape", "Instead of those of `a`."),
    "dtype.spread": (
        "dtype",
        "Dtype to compute in, and of the result; by default float64 for integers, else that "
        "of `a`. By default float16 is computed in float32.",
    ),
    "dtype.sum": (
        "dtype",
        "Dtype to add in, and of the result; by default small integers become 64-bit ones.",
    ),
    "DTypeError.complex": ("DTypeError", "If the cells are no numbers, or complex."),
    "DTypeError.event": (
        "DTypeError",
        "If `event` is not an integer, or `when` is neither true nor false.",
    ),
    "DTypeError.fields": ("DTypeError", "For Python objects as fields of structured cells."),
    "DTypeError.lapack": ("DTypeError", "If LAPACK does not compute with such numbers."),
    "DTypeError.n": ("DTypeError", "If `n` is not an integer, or `dtype` is not real floating."),
    "DTypeError.numbers": ("DTypeError", "If the cells are no numbers."),
    "DTypeError.real": ("DTypeError", "If cells are no real numbers."),
    "fill_value": ("fill_value", "A scalar, or an array that broadcasts to the shape."),
    "k": ("k", "How many places the diagonal lies above the main one; negative below."),
    "keepdims": ("keepdims", "Keep the reduced axes, with length 1."),
    "keepdims.searched": ("keepdims", "Keep the searched axis, or all for None, with length 1."),
    "kind": ("kind", '``"introselect"``, which makes no difference.'),
    "kth": ("kth", "Index or indices along `axis`."),
    "like": ("like", "As NumPy's, without effect."),
    "LinAlgError.square": ("LinAlgError", "If the matrices are not square."),
    "mean": ("mean", "The mean, if known already, of the shape that ``keepdims=True`` gives it."),
    "method": ("method", "One of NumPy's thirteen."),
    "n.fft": ("n, axis, norm, out", "As of `fft`."),
    "nan_policy": ("nan_policy", '``"propagate"``: NaN gives NaN.'),
    "offsets": (
        "offsets",
        "For each axis where the part begins: a number, or what is computed of threads' numbers.",
    ),
    "order.counted": (
        "order",
        'In which cells are counted: ``"C"``, the last index fastest, or ``"F"``, the first one.',
    ),
    "order.fields": ("order", "Fields of structured cells that count most; the others follow."),
    "order.full": ("order, device, like, chunks, dims", "As of `full`."),
    "order.full_like": ("order, subok, device, chunks", "As of `full_like`."),
    "order.like": ("order, like", "As NumPy's, without effect."),
    "order.subok": ("order, subok", "As NumPy's, without effect."),
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
    "rowvar": ("rowvar", "False if columns are the variables."),
    "s.fft2": ("s, axes, norm, out", "As of `fft2`."),
    "s.fftn": ("s, axes, norm, out", "As of `fftn`."),
    "s.irfft": (
        "s",
        "Cells of the result along each axis; by default as many as there are, along the last "
        "``2 * (m - 1)`` for m.",
    ),
    "seed": (
        "seed",
        "An integer, integers, or a `numpy.random.SeedSequence`; None for a seed of the system's.",
    ),
    "ShapeError": ("ShapeError", "If the shapes do not fit."),
    "ShapeError.axes": (
        "ShapeError",
        "If `s` and `axes` have different lengths, or an axis does not exist or has no cells.",
    ),
    "ShapeError.ddof": ("ShapeError", "If both `ddof` and `correction` are given."),
    "ShapeError.initial": (
        "ShapeError",
        "If there is no cell and no `initial`, or `where` is given without `initial`.",
    ),
    "ShapeError.n": (
        "ShapeError",
        "If the axis does not exist, or has no cells and `n` is not given.",
    ),
    "size": ("size", "Shape of the result; by default that of the parameters."),
    "size.none": ("size", "Shape of the result; by default 0-d."),
    "sizes": ("sizes", "The shape of the part: numbers, or computed of threads' numbers."),
    "split_every": (
        "split_every",
        "Accepted for Dask's sake; the plan decides how partial results are combined.",
    ),
    "strides.cells": ("strides", "Between its cells, one for all axes or one each; at least 1."),
    "strides.windows": (
        "strides",
        "Cells from a window to the next; by default windows lie side by side.",
    ),
    "UPLO": ("UPLO", 'Which triangle is looked at: ``"L"``, the lower one, or ``"U"``.'),
    "v1": ("v1, v2", "Numbers, which are within."),
    "value": ("value", "A number, or an array that broadcasts to `x`."),
    "value.number": ("value", "The number."),
    "ValueError.positive": (
        "ValueError",
        "If a parameter is not positive; where parameters are computed later, then.",
    ),
    "weights": ("weights", 'Weights of cells, for the method ``"inverted_cdf"`` alone.'),
    "where": ("where", "Mask of the cells that take part; it broadcasts to the shape of `a`."),
    "window": ("window", "Cells of a window along all dimensions of space, or along each."),
    "x": ("x", "The array."),
    "x.given": ("x", "The array, or what `asarray` takes."),
    "x.images": ("x", "Input, shape (batch, channels, space...)."),
    "x.real": ("x", "Real numbers."),
}

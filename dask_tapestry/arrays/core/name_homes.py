"""Where names are: the module or chapter of each public name, what answers for NumPy's.

`python docs/name_homes.py` writes this module. So a function is found by importing what it needs,
and no other chapter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

CHAPTERS: Final = {  # by home, under `dask_tapestry.arrays`
    "core": (
        "Array Effect asarray from_array from_dask_array from_delayed placeholder rechunk "
        "register_chunk_type rename result_type sequence_point to_dask_array"
    ),
    "elementwise": (
        "abs absolute acos acosh add allclose angle arccos arccosh arcsin arcsinh arctan arctan2 "
        "arctanh around array_equal array_equiv asin asinh astype atan atan2 atanh bitwise_and "
        "bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or "
        "bitwise_right_shift bitwise_xor busday_count busday_offset cbrt ceil clip conj conjugate "
        "copysign cos cosh datetime_as_string deg2rad degrees divide divmod equal exp exp2 expm1 "
        "fabs fix float_power floor floor_divide fmax fmin fmod frexp frompyfunc gcd greater "
        "greater_equal heaviside hypot i0 imag invert is_busday isclose iscomplex iscomplexobj "
        "isfinite isinf isnan isnat isneginf isnull isposinf isreal isrealobj lcm ldexp "
        "left_shift less less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and "
        "logical_not logical_or logical_xor maximum minimum mod modf multiply nan_to_num negative "
        "nextafter not_equal notnull polyval positive pow power rad2deg radians real reciprocal "
        "remainder right_shift rint round sign signbit sin sinc sinh spacing special sqrt square "
        "subtract tan tanh true_divide trunc vectorize where"
    ),
    "constants": (
        "ArgumentError ArgumentTypeError AxisError ComputeError ConstraintError DTypeError "
        "DeviceError DeviceMemoryError False_ IndexProjection IndexingError LinAlgError "
        "MemoryLimitError PlanError Resources ScalarType ShapeError SignatureError StoreError "
        "StoreNotFoundError TapestryError TraceError True_ UnsupportedError ValueRangeError "
        "ZAffineMap ZPoint ZRange ZVector base_repr binary_repr bool bool_ busdaycalendar byte "
        "bytes_ cdouble character clongdouble complex128 complex64 complexfloating config csingle "
        "datetime64 datetime_data double dtype e errors errstate euler_gamma flexible float16 "
        "float32 float64 floating format_float_positional format_float_scientific generic "
        "get_printoptions geterr half index_exp inexact inf int16 int32 int64 int8 int_ intc "
        "integer intp isscalar iterable long longdouble longlong mintypecode nan ndarray "
        "ndenumerate ndindex newaxis number object_ pi printoptions s_ set_printoptions seterr "
        "short signedinteger single str_ timedelta64 typecodes typename ubyte uint uint16 uint32 "
        "uint64 uint8 uintc uintp ulong ulonglong unsignedinteger ushort void"
    ),
    "creation.bracket_grids": "mgrid ogrid",
    "creation.bracket_joins": "c_ ix_ r_",
    "creation.copies": "array asanyarray ascontiguousarray asfortranarray copy",
    "creation.filled": "empty full ones zeros",
    "creation.filled_like": "empty_like full_like ones_like zeros_like",
    "creation.grids": "bounding_box fromfunction index_tensor indices meshgrid",
    "creation.matrices": "eye identity tri vander",
    "creation.ranges": "arange geomspace linspace logspace",
    "creation.windows": "bartlett blackman hamming hanning kaiser",
    "planning": "Frontier Plan compute load_plan persist plan resolve_shapes verify",
    "shape.atleast": "atleast_1d atleast_2d atleast_3d",
    "shape.broadcasting": "broadcast_arrays broadcast_shapes broadcast_to",
    "shape.reshaping": "expand_dims ravel reshape squeeze",
    "shape.shape_queries": "ndim shape size",
    "shape.transposing": "matrix_transpose moveaxis permute_dims rollaxis swapaxes transpose",
    "masks": "argwhere compress extract flatnonzero nonzero",
    "indexing.choices": "choose select",
    "indexing.flat_index": "ravel_multi_index unravel_index",
    "indexing.piecewise": "piecewise",
    "indexing.take": "put_along_axis take take_along_axis",
    "indexing.triangles": (
        "diag_indices diag_indices_from mask_indices tril_indices tril_indices_from triu_indices "
        "triu_indices_from"
    ),
    "indexing.written_cells": "copyto fill_diagonal place put putmask",
    "statistics.averages": "mean std var",
    "statistics.bincount": "bincount",
    "statistics.coarsening": "coarsen",
    "statistics.convolving": "convolve correlate",
    "statistics.covariances": "corrcoef cov",
    "statistics.cumulative": "cumulative_prod cumulative_sum",
    "statistics.differences": "diff ediff1d",
    "statistics.extremes": "amax amin argmax argmin max min ptp",
    "statistics.forward_fill": "push",
    "statistics.gradients": "gradient",
    "statistics.histograms": "histogram histogram2d histogram_bin_edges histogramdd",
    "statistics.integrals": "trapezoid unwrap",
    "statistics.medians": "median nanmedian",
    "statistics.moments": "average moment",
    "statistics.nan_averages": "nanmean nanstd nanvar",
    "statistics.nan_reductions": "nanargmax nanargmin nanmax nanmin nanprod nansum",
    "statistics.quantiles": "nanpercentile nanquantile percentile quantile",
    "statistics.reductions": "all any count_nonzero prod sum",
    "statistics.scans": "cummax cummin cumprod cumsum logcumsumexp nancumprod nancumsum",
    "manipulation.diagonals": "diag diagflat diagonal tril triu",
    "manipulation.insert_delete": "delete insert",
    "manipulation.joining": "append block concat concatenate",
    "manipulation.packed_bits": "packbits unpackbits",
    "manipulation.padding": "pad",
    "manipulation.repeating": "repeat resize tile",
    "manipulation.roll_flip": "flip fliplr flipud roll rot90",
    "manipulation.splitting": "array_split dsplit hsplit split unstack vsplit",
    "manipulation.stacking": "column_stack dstack hstack interleave stack vstack",
    "manipulation.trimming": "trim_zeros",
    "sorting.complex_order": "sort_complex",
    "sorting.partition": "argpartition partition",
    "sorting.search": "digitize interp isin searchsorted",
    "sorting.sets": "intersect1d setdiff1d setxor1d union1d",
    "sorting.sort": "argsort argtopk lexsort sort topk",
    "sorting.unique": "unique unique_all unique_counts unique_inverse unique_values",
    "array_api": (
        "__array_namespace_info__ can_cast finfo from_dlpack iinfo isdtype issubdtype promote_types"
    ),
    "storage.files": "from_npy from_npy_stack to_hdf5 to_npy_stack",
    "storage.icechunk_arrays": "to_icechunk",
    "storage.npy_files": "save",
    "storage.numpy_files": (
        "frombuffer fromfile fromiter fromstring genfromtxt load loadtxt savetxt savez "
        "savez_compressed"
    ),
    "storage.stores": "store",
    "storage.zarr_arrays": "from_zarr to_zarr",
    "linalg": (
        "cross dot einsum einsum_path inner kron linalg matmul matvec outer sparse_matmul "
        "tensordot trace vdot vecdot vecmat"
    ),
    "polynomials.coefficients": "poly poly1d polyadd polyder polydiv polyint polymul polysub roots",
    "polynomials.fits": "polyfit",
    "grouping": "groupby_reduce",
    "overlap.map_overlap": "map_overlap",
    "user_functions.along_axis": "apply_along_axis apply_over_axes",
    "user_functions.block_operators": "BlockFunction block_operator",
    "user_functions.blockwise": "blockwise",
    "user_functions.check_operator": "OperatorReport check_operator",
    "user_functions.gufuncs": "apply_gufunc as_gufunc gufunc",
    "user_functions.map_blocks": "map_blocks",
    "user_functions.pin": "pin",
    "user_functions.reduce_over": "Monoid reduce_over scan_over",
    "user_functions.reduction": "reduction",
    "user_functions.rule_decorators": "apply mutator rule",
    "patterns.thread_parts": "extract_slice parallel_insert_slice perform_concurrently subview",
    "calibration": "calibrate",
    "loops": "iterate",
    "jobs": "check_cluster",
    "datasets": "Datasets datasets",
    "progress": "ProgressBar progress",
    "compatibility": "reshape_blockwise shuffle unify_chunks",
}
ANSWERS: Final = {  # by home, under `dask_tapestry.arrays`
    "array_api.data_types": "numpy.can_cast",
    "creation.bracket_joins": "numpy.ix_",
    "creation.copies": (
        "numpy.array numpy.asanyarray numpy.ascontiguousarray numpy.asfortranarray numpy.copy"
    ),
    "creation.filled_like": "numpy.empty_like numpy.full_like numpy.ones_like numpy.zeros_like",
    "creation.grids": "numpy.meshgrid",
    "creation.matrices": "numpy.vander",
    "creation.ranges": "numpy.geomspace numpy.linspace numpy.logspace",
    "fft.frequencies": "numpy.fft.fftshift numpy.fft.ifftshift",
    "fft.one_axis": (
        "numpy.fft.fft numpy.fft.hfft numpy.fft.ifft numpy.fft.ihfft numpy.fft.irfft numpy.fft.rfft"
    ),
    "fft.several_axes": "numpy.fft.fftn numpy.fft.ifftn numpy.fft.irfftn numpy.fft.rfftn",
    "fft.two_axes": "numpy.fft.fft2 numpy.fft.ifft2 numpy.fft.irfft2 numpy.fft.rfft2",
    "indexing.choices": "numpy.choose numpy.select",
    "indexing.flat_index": "numpy.ravel_multi_index numpy.unravel_index",
    "indexing.piecewise": "numpy.piecewise",
    "indexing.take": "numpy.put_along_axis numpy.take numpy.take_along_axis",
    "indexing.triangles": "numpy.diag_indices_from numpy.tril_indices_from numpy.triu_indices_from",
    "indexing.written_cells": (
        "numpy.copyto numpy.fill_diagonal numpy.place numpy.put numpy.putmask"
    ),
    "linalg.array_api": (
        "numpy.linalg.cross numpy.linalg.diagonal numpy.linalg.matmul "
        "numpy.linalg.matrix_transpose numpy.linalg.outer numpy.linalg.tensordot "
        "numpy.linalg.trace numpy.linalg.vecdot"
    ),
    "linalg.cross_trace": "numpy.cross numpy.trace",
    "linalg.eigenvalues": (
        "numpy.linalg.eig numpy.linalg.eigh numpy.linalg.eigvals numpy.linalg.eigvalsh"
    ),
    "linalg.einsum": "numpy.einsum numpy.einsum_path",
    "linalg.factorizations": (
        "numpy.linalg.cholesky numpy.linalg.qr numpy.linalg.svd numpy.linalg.svdvals"
    ),
    "linalg.matrix_chains": "numpy.linalg.matrix_power numpy.linalg.multi_dot",
    "linalg.norms": "numpy.linalg.matrix_norm numpy.linalg.norm numpy.linalg.vector_norm",
    "linalg.products": "matmul numpy.dot numpy.inner numpy.kron numpy.outer numpy.tensordot",
    "linalg.singular_values": (
        "numpy.linalg.cond numpy.linalg.lstsq numpy.linalg.matrix_rank numpy.linalg.pinv"
    ),
    "linalg.solving": (
        "numpy.linalg.det numpy.linalg.inv numpy.linalg.slogdet numpy.linalg.solve "
        "numpy.linalg.tensorinv numpy.linalg.tensorsolve"
    ),
    "linalg.vector_products": "matvec numpy.vdot vecdot vecmat",
    "manipulation.diagonals": "numpy.diag numpy.diagflat numpy.diagonal numpy.tril numpy.triu",
    "manipulation.insert_delete": "numpy.delete numpy.insert",
    "manipulation.joining": "numpy.append numpy.block numpy.concatenate",
    "manipulation.packed_bits": "numpy.packbits numpy.unpackbits",
    "manipulation.padding": "numpy.pad",
    "manipulation.repeating": "numpy.repeat numpy.resize numpy.tile",
    "manipulation.roll_flip": "numpy.flip numpy.fliplr numpy.flipud numpy.roll numpy.rot90",
    "manipulation.splitting": (
        "numpy.array_split numpy.dsplit numpy.hsplit numpy.split numpy.unstack numpy.vsplit"
    ),
    "manipulation.stacking": (
        "numpy.column_stack numpy.dstack numpy.hstack numpy.stack numpy.vstack"
    ),
    "manipulation.trimming": "numpy.trim_zeros",
    "masks.boolean_mask": (
        "numpy.argwhere numpy.compress numpy.extract numpy.flatnonzero numpy.nonzero"
    ),
    "overlap.sliding": "numpy.lib.stride_tricks.sliding_window_view",
    "polynomials.coefficients": (
        "numpy.poly numpy.polyadd numpy.polyder numpy.polydiv numpy.polyint numpy.polymul "
        "numpy.polysub numpy.roots"
    ),
    "polynomials.fits": "numpy.polyfit",
    "public_names": (
        "absolute.at add.at add.reduceat arccos.at arccosh.at arcsin.at arcsinh.at arctan.at "
        "arctan2.at arctan2.reduceat arctanh.at bitwise_and.at bitwise_and.reduceat "
        "bitwise_count.at bitwise_or.at bitwise_or.reduceat bitwise_xor.at bitwise_xor.reduceat "
        "cbrt.at ceil.at conjugate.at copysign.at copysign.reduceat cos.at cosh.at deg2rad.at "
        "degrees.at divide.at divide.reduceat equal.at equal.reduceat exp.at exp2.at expm1.at "
        "fabs.at float_power.at float_power.reduceat floor.at floor_divide.at "
        "floor_divide.reduceat fmax.at fmax.reduceat fmin.at fmin.reduceat fmod.at fmod.reduceat "
        "gcd.at gcd.reduceat greater.at greater.reduceat greater_equal.at greater_equal.reduceat "
        "gufunc heaviside.at heaviside.reduceat hypot.at hypot.reduceat invert.at isfinite.at "
        "isinf.at isnan.at isnat.at lcm.at lcm.reduceat ldexp.at ldexp.reduceat left_shift.at "
        "left_shift.reduceat less.at less.reduceat less_equal.at less_equal.reduceat log.at "
        "log10.at log1p.at log2.at logaddexp.at logaddexp.reduceat logaddexp2.at "
        "logaddexp2.reduceat logical_and.at logical_and.reduceat logical_not.at logical_or.at "
        "logical_or.reduceat logical_xor.at logical_xor.reduceat maximum.at maximum.reduceat "
        "minimum.at minimum.reduceat multiply.at multiply.reduceat negative.at nextafter.at "
        "nextafter.reduceat not_equal.at not_equal.reduceat positive.at power.at power.reduceat "
        "rad2deg.at radians.at reciprocal.at remainder.at remainder.reduceat right_shift.at "
        "right_shift.reduceat rint.at sign.at signbit.at sin.at sinh.at spacing.at sqrt.at "
        "square.at subtract.at subtract.reduceat tan.at tanh.at trunc.at"
    ),
    "shape.atleast": "numpy.atleast_1d numpy.atleast_2d numpy.atleast_3d",
    "shape.broadcasting": "numpy.broadcast_arrays numpy.broadcast_to",
    "shape.reshaping": (
        "numpy.expand_dims numpy.ndim numpy.ravel numpy.reshape numpy.shape numpy.size "
        "numpy.squeeze"
    ),
    "shape.transposing": (
        "numpy.matrix_transpose numpy.moveaxis numpy.rollaxis numpy.swapaxes numpy.transpose"
    ),
    "sorting.complex_order": "numpy.sort_complex",
    "sorting.partition": "numpy.argpartition numpy.partition",
    "sorting.search": "numpy.digitize numpy.interp numpy.isin numpy.searchsorted",
    "sorting.sets": "numpy.intersect1d numpy.setdiff1d numpy.setxor1d numpy.union1d",
    "sorting.sort": "numpy.argsort numpy.lexsort numpy.sort",
    "sorting.unique": (
        "numpy.unique numpy.unique_all numpy.unique_counts numpy.unique_inverse numpy.unique_values"
    ),
    "statistics.averages": "numpy.mean numpy.std numpy.var",
    "statistics.bincount": "numpy.bincount",
    "statistics.convolving": "numpy.convolve numpy.correlate",
    "statistics.covariances": "numpy.corrcoef numpy.cov",
    "statistics.cumulative": "numpy.cumulative_prod numpy.cumulative_sum",
    "statistics.differences": "numpy.diff numpy.ediff1d",
    "statistics.extremes": (
        "numpy.amax numpy.amin numpy.argmax numpy.argmin numpy.max numpy.min numpy.ptp"
    ),
    "statistics.gradients": "numpy.gradient",
    "statistics.histograms": (
        "numpy.histogram numpy.histogram2d numpy.histogram_bin_edges numpy.histogramdd"
    ),
    "statistics.integrals": "numpy.trapezoid numpy.unwrap",
    "statistics.medians": "numpy.median numpy.nanmedian",
    "statistics.moments": "numpy.average",
    "statistics.nan_averages": "numpy.nanmean numpy.nanstd numpy.nanvar",
    "statistics.nan_reductions": (
        "numpy.nanargmax numpy.nanargmin numpy.nanmax numpy.nanmin numpy.nanprod numpy.nansum"
    ),
    "statistics.quantiles": "numpy.nanpercentile numpy.nanquantile numpy.percentile numpy.quantile",
    "statistics.reductions": "numpy.all numpy.any numpy.count_nonzero numpy.prod numpy.sum",
    "statistics.scans": (
        "add.accumulate bitwise_and.accumulate bitwise_or.accumulate bitwise_xor.accumulate "
        "fmax.accumulate fmin.accumulate gcd.accumulate lcm.accumulate logaddexp.accumulate "
        "logaddexp2.accumulate logical_and.accumulate logical_or.accumulate "
        "logical_xor.accumulate maximum.accumulate minimum.accumulate multiply.accumulate "
        "numpy.cumprod numpy.cumsum numpy.nancumprod numpy.nancumsum"
    ),
    "storage.npy_files": "numpy.save",
    "storage.numpy_files": "numpy.savetxt numpy.savez numpy.savez_compressed",
    "strings.forms_of_texts": (
        "numpy.strings.capitalize numpy.strings.lower numpy.strings.lstrip numpy.strings.rstrip "
        "numpy.strings.strip numpy.strings.swapcase numpy.strings.title numpy.strings.translate "
        "numpy.strings.upper"
    ),
    "strings.lists_of_texts": (
        "numpy.strings._join numpy.strings._rsplit numpy.strings._split numpy.strings._splitlines "
        "numpy.strings.partition numpy.strings.rpartition"
    ),
    "strings.parts_of_texts": (
        "numpy.strings.count numpy.strings.endswith numpy.strings.find numpy.strings.index "
        "numpy.strings.rfind numpy.strings.rindex numpy.strings.startswith"
    ),
    "strings.widths_of_texts": (
        "numpy.strings.center numpy.strings.decode numpy.strings.encode numpy.strings.expandtabs "
        "numpy.strings.ljust numpy.strings.mod numpy.strings.multiply numpy.strings.replace "
        "numpy.strings.rjust numpy.strings.zfill"
    ),
    "user_functions.along_axis": "numpy.apply_along_axis numpy.apply_over_axes",
}


def by_name(homes: Mapping[str, str]) -> dict[str, str]:
    """The home of each name.

    Examples
    --------
    >>> by_name({"sorting": "sort argsort", "fft": "rfft"})
    {'sort': 'sorting', 'argsort': 'sorting', 'rfft': 'fft'}
    """
    return {name: home for home, names in homes.items() for name in names.split()}


PUBLIC_HOMES: Final = by_name(CHAPTERS)
NUMPY_HOMES: Final = by_name(ANSWERS)

"""Why tests of dask.array fail with our arrays: patterns of names and errors, and the reason.

The first pattern that fits counts. Reasons that begin with ``Lacking`` are work to do; the others
are differences that are meant, which `docs/coming-from-dask.md` tells. Those in `INSIDE` look at
Dask's inner workings, not at what an array does.
"""

from __future__ import annotations

from typing import Final

NAMES: Final = "Names within a graph are those of a plan's steps, and few operations share Dask's"
GRAPHS: Final = "Dask's own graphs, layers and tasks: ours are planned, and fewer"
MODULES: Final = "Functions within Dask's modules, and its tables of functions, are Dask's"
PLUGIN: Final = "A plugin of pytest is not installed"
UNKNOWN: Final = "Shapes and chunks are always known here"
CHUNKS: Final = "Nominal chunks are chosen otherwise where nobody said any"
ANYWHERE: Final = "What Dask refuses, or warns of, for its chunks works here for any chunks"
SAME: Final = "A new array object comes back: arrays change in place apart from one another"
TEXTS: Final = "Another text or kind of an error, another docstring or repr"
OBJECTS: Final = "Cells have a fixed dtype, and a masked array is two arrays"
OURS: Final = "Functions give our arrays, also of NumPy's alone"
NUMPYS: Final = "Where Dask's functions differ from NumPy's of the name, ours are NumPy's"
DECLARED: Final = "What a function of blocks returns has the shape that was declared"
WRITES: Final = "A lazy write is not an array, and a plan says which tasks write, in this process"
LACKING: Final = "Lacking: "

INSIDE: Final = frozenset({NAMES, GRAPHS, MODULES, PLUGIN})

REASONS: Final[dict[str, str]] = {
    r"isinstance\(Significance": "Statistical tests give lazy arrays, not Delayed values",
    r"fixture": PLUGIN,
    r"test_concatenate3|test_api\b|dask\.array came out|test_is_valid_(array_chunk|chunk_type)": (
        MODULES
    ),
    r"test_stack_unknown|test_boolean_mask_with_unknown": UNKNOWN,
    r"test_array_broadcasting": GRAPHS,
    r"with a mask|masked array|missing: ma\.|test_masked|'MaskedArray'": OBJECTS,
    r"test_sparse|[sS]parse": LACKING + "blocks of sparse arrays",
    r"test_docs": TEXTS,
    r"mean_func_does_not_warn": "Slices without numbers are told, but where `dt.xarray` computes",
    r"test_out_shape_mismatch": NUMPYS,
    r"test_RandomState_only|test_scipy_fftpack|test_solve_assume_a": ANYWHERE,
    r"test_cholesky\[": NUMPYS,
    r"object_red|_object|_obj|np\.matrix|numpy\.matrix|test_frompyfunc": OBJECTS,
    r"missing: overlap|missing: optimize": MODULES,
    r"missing: \w+": LACKING + "functions of Dask's",
    r"chunk_structure_independence|signature says": DECLARED,
    r"test_map_overlap_multiarray_different_depths|test_apply_gufunc_axis_03": DECLARED,
    r"test_(unary|binary)_ufunc|test_complex|test_angle|test_ufunc_outer": OURS,
    r"test_eye|test_reductions_[12]D|test_array_reduction_out|test_array_ufunc_out": NUMPYS,
    r"test_ravel_multi_index_delayed|test_repeat|test_slice_with_floats": ANYWHERE,
    r"test_setitem_errs|test_cov_[fa]weights|test_where_incorrect|test_svg": TEXTS,
    r"test_arr_like|tapestry-|few_dimensions_small|shared_keys|test_blockview": NAMES,
    r"from_array_(getitem|ndarray_getitem)|with_numpy_arrays|large_inputs": GRAPHS,
    r"\|S0": "Text of no characters takes a byte of a cell",
    r"docstring|Regex pattern|repr|assert '": TEXTS,
    r"test_roll": "`roll` broadcasts shifts and axes, as NumPy's",
    r"svd_flip|svd_supported|svd_incompatible_dim|no_chunks_svd|test_tsqr": NUMPYS,
    r"nan,|isnan|unknown|compute_chunk_sizes|no_chunks|uncertain|np\.False_": UNKNOWN,
    r"no setter": GRAPHS,
    r"same_keys|\.name|_name|startswith|token|name": NAMES,
    r"dt\.Array<.* is dt\.Array<|is not": SAME,
    r"HighLevelGraph|StepLayer|run_block|layers|fus|optimi|len\(\[\]\)|graph|tasks|inline": GRAPHS,
    r"DID NOT (RAISE|WARN)": ANYWHERE,
    r"'Effect'|<store|CounterLock|test_store_(compute|locks|multi)": WRITES,
    r"assert \(\(|assert \(|assert \d+ [<>=!]=? \d+|len\(\(|chunk": CHUNKS,
    r"store|Store|IndexingError: a region": LACKING + "regions of `store` in lists",
    r"np\.(int|float|bool)\w*\(|numpy\.bool": "Values without dimensions are NumPy scalars",
    r"IndexingError": TEXTS,
    r"Delayed|delayed": LACKING + "Delayed values as arguments",
    r"cumprod|cumreduction_axis": "Running products in parts overflow where others do not",
    r"from_array_copies": "Arrays in memory are not copied: `dt.array` does",
    r"[Nn]ormed|assume_a": "Arguments that NumPy and Dask have removed",
    r"svd|qr\b|qr\[": NUMPYS,
}

"""Why tests of NumPy fail with our functions: patterns of names and errors, and the reason.

The first pattern that fits counts. Reasons that begin with ``Lacking`` are work to do; the others
are differences that are meant, which `docs/coming-from-dask.md` tells.
"""

from __future__ import annotations

from typing import Final

OBJECTS: Final = "Lacking: Python objects and texts of any length"
WARNINGS: Final = "Lacking: warnings that no compute tells, as of sorted cells and of complex casts"
STRUCTURED: Final = "Lacking: forms of structured, void and character cells"
VALUES: Final = "A result is a value: no views, orders in memory or reference counts to ask for"
PLAIN: Final = (
    "Results are plain arrays: subclasses of NumPy's and protocols of their own are not kept"
)
ORDER: Final = "Cells beside the chosen ones lie in another order"
TEXTS: Final = "Another text or kind of an error"
NATIVE: Final = "Cells are in this machine's byte order"

REASONS: Final[dict[str, str]] = {
    r"has no (reduce|accumulate)|nonreorderable": (
        "What depends on the order of cells, as `subtract.reduce`, is not folded"
    ),
    r"test_s_": "Arguments that NumPy deprecates are taken without a word",
    r"test_where_warns": "Cells that `where=` leaves out are zero",
    r"ACTUAL: dtype\('complex": "Eigenvalues are complex: a dtype cannot depend on the data",
    r"TestMethods::test_partition(_iterative)? ": ORDER,
    r"byteswapped|test_cast_safety\[|newbyteorder|dtype_instances|out_and_dtype|non_native": NATIVE,
    r"test_signature_errors|no_loop_for_op|addition_string_types|keepdims_argument": TEXTS,
    r"ellipsis_errors|single_arg|out_and_s_interaction": TEXTS,
    r"test_huge_integers": "Two integers of Python's beside each other are Python objects",
    r"NoneType is not an array": "None is a cell only where `dtype=object` asks for it",
    r"Override is not an array": PLAIN,
    r"TestSpecialMethods|TestBinop|array_wrap|out_wrap|0_size|OutClass|outer_bad": PLAIN,
    r"TestKeepdims|__array_namespace__": PLAIN,
    r"nonzero_(side|exc)": OBJECTS,
    r"Python objects|StringDType|object|Decimal|'O'|has no attribute 'shape'": OBJECTS,
    r"DID NOT WARN|did not raise fpe|list index|test_warnings|tol_warn|_empty |ddof_too_big": (
        WARNINGS
    ),
    r"subclass|subok|_subok|MySubclass|Subclass|PhysicalQ|return_type|ShouldDispatch|array_like": (
        PLAIN
    ),
    r"masked|insertion_ma": "Masked arrays are those of `dt.ma`",
    r"_like|order|view|share|writeable|owndata|leak|Real::|Imag::|reshape_copy|astype|Rollaxis": (
        VALUES
    ),
    r"TestDiff::test_n |layout|refcount|mem_overlap|TestMethods::test_copy": VALUES,
    r"test_broadcast ::|3args_errors|contigu": VALUES,
    r"logaddexp|dot_errstate|test_sum ::": (
        "Folds run over a tree: their last bits and warnings may be others"
    ),
    r"Median::test_allnans": "What goes wrong is told once a compute, not once a slice",
    r"test_out_dtype_error": TEXTS,
    r"too_many_bins": "A plan that does not fit is refused before anything is allocated",
    r"einsum_0d_out": "`einsum` refuses an `out` that its casting does not allow, on any path",
    r"test_isin_": "Arguments that say how to compute have no effect: the plan chooses",
    r"test_path_type_input": "The path of an `einsum` is chosen by another count of operations",
    r"TestLstsq": "`lstsq` gives residuals of one shape, whatever the rank; another kind of error",
    r"has no at|frompyfunc": "Lacking: ufuncs of several results, or with an identity of their own",
    r"dtype_times|subarray|test_zeros ::": "Lacking: dtypes of an unnamed unit, or of arrays",
    r"test_result_types": "A `long long` is an `int64`",
    r"test_exotic": "None as an argument of `where` says that there is none, as in Dask",
    r"bins='": "`bins='stone'`, which tries many histograms, is refused",
    r"MemoryLimitError": "A plan that does not fit is refused before anything is allocated",
    r"Regex pattern|does not match|in '`|not 'single": TEXTS,
    r"TestCov::|TestPercentile::test_(api|scalar_q)|_cast_check|ellipsis_err": TEXTS,
    r"require_range|invalid_sorter|ldexp_overflow|lexsort_invalid|squeeze_axis|bins_errors": TEXTS,
    r"void|itemsize|structured|character_assignment": STRUCTURED,
}

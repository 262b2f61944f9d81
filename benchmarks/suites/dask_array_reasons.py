"""Why tests of dask.array fail with our arrays: patterns of names and errors, and the reason.

The first pattern that fits counts. Reasons that begin with ``Lacking`` are work to do; the others
are differences that are meant, which `docs/coming-from-dask.md` tells.
"""

from __future__ import annotations

from typing import Final

NAMES: Final = "Names within a graph are those of a plan's steps, and few operations share Dask's"
GRAPHS: Final = "Dask's own graphs, layers and tasks: ours are planned, and fewer"
UNKNOWN: Final = "Shapes and chunks are always known here"
CHUNKS: Final = "Nominal chunks are chosen otherwise where nobody said any"
ANYWHERE: Final = "What Dask refuses, or warns of, for its chunks works here for any chunks"
ARRAYS: Final = "Arrays are made by functions, not by `Array(graph, name, chunks)`"
SAME: Final = "A new array object comes back: arrays change in place apart from one another"
TEXTS: Final = "Another text of an error, a docstring or a repr"
OBJECTS: Final = "Cells have a fixed dtype: no arrays of Python objects"
LACKING: Final = "Lacking: "

REASONS: Final[dict[str, str]] = {
    r"isinstance\(Significance": "Statistical tests give lazy arrays, not Delayed values",
    r"MaskedArray|with a mask|masked array|missing: ma\.|test_masked": (
        LACKING + "masked blocks in an array that has no mask of its own"
    ),
    r"dask\.array came out": "Functions within Dask's modules make Dask's arrays",
    r"test_sparse|sparse": LACKING + "blocks of sparse arrays",
    r"missing: stats|test_stats": LACKING + "statistics of SciPy's",
    r"test_random": LACKING + "a lazy `p`, chunks of random vectors",
    r"test_cholesky\[": "`cholesky` is NumPy's: the lower triangle, unless asked otherwise",
    r"missing: linalg": LACKING + "factorisations of Dask's names",
    r"Python objects|object_red|_object|_obj": OBJECTS,
    r"missing: overlap": "Helpers within Dask's overlap module",
    r"missing: \w+": LACKING + "functions of Dask's",
    r"chunk_structure_independence": "A function of a reduction has to reduce",
    r"mocker|fixture": "A plugin of pytest is not installed",
    r"test_(unary|binary)_ufunc|test_complex|test_angle": (
        "Functions give our arrays, also of NumPy's alone"
    ),
    r"test_arr_like|tapestry-": NAMES,
    r"docstring|Regex pattern|repr|assert '": TEXTS,
    r"test_roll": "`roll` broadcasts shifts and axes, as NumPy's",
    r"nan,|isnan|unknown|compute_chunk_sizes|no_chunks|uncertain|np\.False_": UNKNOWN,
    r"Array\.__init__|no setter": ARRAYS,
    r"same_keys|\.name|_name|startswith|token|name": NAMES,
    r"dt\.Array<.* is dt\.Array<|is not": SAME,
    r"HighLevelGraph|StepLayer|run_block|layers|fus|optimi|len\(\[\]\)|graph|tasks|inline": GRAPHS,
    r"DID NOT (RAISE|WARN)": ANYWHERE,
    r"assert \(\(|assert \(|assert \d+ [<>=!]=? \d+|len\(\(|chunk": CHUNKS,
    r"store|Effect|Store": LACKING + "forms of `store` that read back, and targets without shape",
    r"np\.(int|float|bool)\w*\(|numpy\.bool": "Values without dimensions are NumPy scalars",
    r"IndexingError": LACKING + "forms of `vindex`, blocks in lists, regions in lists",
    r"Delayed|delayed": LACKING + "Delayed values as arguments",
    r"cumprod": "Running products in parts overflow where one after the other does not",
    r"from_array_copies": "Arrays in memory are not copied: `dt.array` does",
    r"[Nn]ormed|assume_a": "Arguments that NumPy and Dask have removed",
    r"svd|qr\b|qr\[": "Factorisations are NumPy's: whole matrices unless asked otherwise",
}

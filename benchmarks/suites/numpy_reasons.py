"""Why tests of NumPy fail with our functions: patterns of names and errors, and the reason.

The first pattern that fits counts. Reasons that begin with ``Lacking`` are work to do; the others
are differences that are meant, which `docs/coming-from-dask.md` tells.
"""

from __future__ import annotations

from typing import Final

REASONS: Final[dict[str, str]] = {
    r"Python objects|StringDType|object": "Lacking: Python objects and texts of any length",
    r"DID NOT WARN|did not raise fpe|list index|test_warnings|tol_warn|_empty |ddof_too_big": (
        "Lacking: warnings that no compute tells, as of sorted cells and of complex casts"
    ),
    r"subclass|subok|_subok|MySubclass|Subclass|PhysicalQ|return_type|ShouldDispatch|array_like": (
        "Results are plain arrays: subclasses of NumPy's and protocols of their own are not kept"
    ),
    r"masked": "Masked arrays are those of `dt.ma`",
    r"_like|order|view|share|writeable|owndata|leak|Real::|Imag::|reshape_copy|astype|Rollaxis": (
        "A result is a value: no views, orders in memory or reference counts to ask for"
    ),
    r"bins='": "Lacking: numbers of bins that estimators choose from the data",
    r"MemoryLimitError": "A plan that does not fit is refused before anything is allocated",
    r"Regex pattern|does not match|in '`|not 'single": "Another text of an error",
    r"void|itemsize|structured": "Lacking: forms of structured and void cells",
}

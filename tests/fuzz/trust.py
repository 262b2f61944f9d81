"""Which steps are defined for the values at hand, and how far their results may be from NumPy's."""

from __future__ import annotations

import re

import numpy as np

from tests.fuzz.steps import Step
from tests.fuzz.values import ROUNDING, Value, is_whole

MOST_CELLS = 2000
PRODUCTS = tuple(
    "matmul outer dot tensordot vdot einsum inner vecdot vecmat matvec kron cross".split()
)
FUSED = tuple(  # those of complex numbers have bits in NumPy that depend on machine and layout
    "multiply square divide reciprocal absolute abs true_divide mul truediv cross sign".split()
)
FACTORS = ("prod", "nanprod", "cumprod", "nancumprod", "cumulative_prod", "multiply.")
POWERS, LARGE = ("pow", "float_power", "power"), re.compile(r"\d{3}")
LOOSE = re.compile(  # products that BLAS makes, and functions of the user's own
    r"matmul|dot|einsum|linalg|inner|matvec|vecmat|vecdot|nn\.(linear|conv|attention)| @ |cov"
    r"|corrcoef|own |normal\(\["
)
DTYPE = re.compile(r"dtype='(\w+)'")
ZERO_SIGNS = re.compile(r"div|reciprocal|arctan2|copysign|signbit| / |power|angle")
AVERAGES = re.compile(r"mean|average|anom|var|std")
TO_WHOLE = re.compile(r"sum\(.*, [iu]\d\)")
TALL = re.compile(  # of many cells there are too many results, or NumPy takes long
    r"outer|kron|tensordot|einsum|vander|meshgrid|ix_|pinv|svd|linalg|matmul|dot|corr|cov|convolve"
    r"|own |vec|@|block_diag|diagflat|diag\(|toeplitz|inner|apply_|frompyfunc|piecewise|poly"
    r"|indices|eye|tri\(|expand|repeat|tile|isin|setdiff|prod"
)
ORDERED = re.compile(r"sort|histogram|unique|union|intersect|median|quantile|percentile|partition")
CALLED = re.compile(r"^(x\.|(at|into)\(xp, ')")  # what stands before the name
TO_NUMBERS = re.compile(r"searchsorted\(1|(setdiff1d|isin)\(x, \[0")
PLACED = ("unique_inverse", "unique_all")
COMPARED = ("isin(", "searchsorted", "setdiff1d", "intersect1d", "union1d", "setxor1d")


def trusted(step: Step, operands: list[Value], result: np.ndarray) -> bool:
    """Whether the result's bits must be NumPy's."""
    exact = all(v.exact for v in operands)
    if LOOSE.search(step.text) and result.dtype.kind in "fc" and (result == 0).any():
        return False  # whether such a zero has a sign depends on what it was added to
    cells = [result, *[v.theirs for v in operands]]
    if any(x.dtype.kind == "c" for x in cells) and _name(step).startswith(FUSED):
        return exact and all(map(is_whole, cells))
    if step.trust == "rounded":
        return result.dtype.kind not in "fc"
    if step.trust == "fold":
        return exact and all(is_whole(v.theirs) for v in operands) and is_whole(result)
    return exact


def is_loose(step: Step) -> bool:
    """Whether the last bits depend on the shapes of blocks."""
    return bool(LOOSE.search(step.text))


def rounding(step: Step, operands: list[Value], result: np.ndarray) -> float:
    """How far ours may be from NumPy's: as the coarsest value on the way to it."""
    if trusted(step, operands, result):
        return 0.0
    kinds = [result, *[v.theirs for v in operands]]
    own = [ROUNDING.get(x.dtype.str[1:], 1e-9) for x in kinds]
    return max([*own, *[v.rounding for v in operands]])


def may_run(step: Step, operands: list[Value]) -> bool:
    """Whether the operands are known well enough for it, and NumPy defines what it does."""
    if not operands:
        return True
    if any(v.theirs.size > MOST_CELLS for v in operands):
        if TALL.search(step.text):
            return False
        halves = any(v.theirs.dtype == np.float16 for v in operands)
        if halves and ORDERED.search(step.text):
            return False  # NumPy 2.4 does not sort them on machines with AVX-512
    products = _name(step).removeprefix("linalg.").startswith(PRODUCTS) or " @ " in step.text
    if any(v.theirs.dtype.kind in "mM" for v in operands) and products:
        return False  # NumPy's products of times disagree among themselves; ours refuse them all
    if _name(step).startswith(PRODUCTS) and not all(_is_finite(v.theirs) for v in operands):
        return False  # BLAS takes zero times infinity for zero here and there
    if any(v.theirs.dtype.kind == "c" for v in operands):
        if _name(step).startswith(FACTORS) and not all(_is_finite(v.theirs) for v in operands):
            return False  # depends on the order
        if _name(step).startswith(POWERS) and LARGE.search(step.text):
            return False  # of rounding nothing else is left
    if _name(step).startswith(PLACED) and not all(_is_finite(v.theirs) for v in operands):
        return False  # NaNs differ from one another, and NumPy's sort gives them any order
    if _name(step).startswith(COMPARED) and not _are_comparable(*[v.theirs for v in operands]):
        return False
    if _name(step).startswith("bincount") and _largest(operands[0].theirs) > MOST_CELLS:
        return False  # whether so many counts fit, and which error says so, depends on the machine
    kind = operands[0].theirs.dtype.kind
    if _name(step).startswith(("linalg", "gradient", "average")) and kind in "bmM":
        return False  # NumPy takes times for numbers there, or halves them; ours refuses them
    if _name(step).startswith(("copysign", "signbit")) and any(map(_has_nan, operands)):
        return False  # the sign of what is no number depends on the machine
    if _name(step).startswith(("average", "partition", "cov")) and not operands[0].theirs.size:
        return False  # weights that sum to zero give NaN; NumPy takes any place, forgets the dtype
    if _name(step).startswith(("histogram", "digitize", "interp")) and kind in "mM":
        return False  # NumPy finds some order of these and numbers; ours refuses them
    if kind in "mM" and (TO_NUMBERS.search(step.text) or "equal_nan=False" in step.text):
        return False  # NumPy compares few times and numbers, and joins NaT, or not
    if _name(step).startswith("take(") and "mode=" in step.text and not operands[0].theirs.size:
        return False  # of no rows NumPy takes cells there are none of
    if takes_for_ever(step, operands[0].theirs):
        return False
    if _name(step).startswith("histogram") and kind == "c":
        return False  # NumPy discards imaginary parts on the way
    if _name(step).startswith(("median", "quantile")) and not operands[0].theirs.size:
        return kind not in "bmM"  # of two errors NumPy raises the other
    if step.trust == "assign" and not (operands[0].theirs.size and operands[1].theirs.size):
        return False  # NumPy lets some shapes pass where nothing is assigned
    if step.trust == "assign" and operands[0].theirs.dtype.kind in "iub":
        return operands[1].theirs.dtype.kind in "biu"  # floats out of range mean anything
    if kind in "fc" and TO_WHOLE.match(step.text):
        return False  # as are floats that are taken for whole numbers first
    if "masked" in step.text and not operands[0].theirs.size:
        return False  # what is folded of nothing depends on whether NumPy kept a mask of nothing
    joined = "masked" in step.text and re.search(" [+*] ", step.text)
    if joined and not operands[0].theirs.ndim:
        return False  # a hidden cell is NumPy's one constant, whatever its dtype was
    if "ma.median" in step.text and kind in "mM" and np.isnat(operands[0].theirs).any():
        return False  # NumPy takes a NaT for the last of times there, for missing elsewhere
    if step.text.startswith(("around(x, -", "round(x, -")) and _is_near_the_end(operands[0].theirs):
        return False  # tens beyond the range are floats that mean anything
    if "ma." in step.text and ".ptp(" in step.text and kind == "M":
        return False  # NumPy fills the differences of dates with a date
    if "doubled" in step.text and kind == "M":
        return False  # a function that fails when it is asked for its dtype has an error of ours
    if _name(step).startswith("select") and kind == "u" and ", 2]" in step.text:
        return False  # NumPy makes an int64 of a choice that is a Python integer
    if "over_axes" in step.text and not operands[0].theirs.ndim:
        return False  # NumPy takes a cell for an array of one there
    single = operands[0].theirs.dtype.char in "efF"
    if "masked" in step.text and AVERAGES.search(step.text) and (single or kind in "mM"):
        return False  # as does the dtype of a mean of singles; of hidden times NumPy has none
    is_masked = "masked" in step.text or "ma.array" in step.text
    if is_masked and AVERAGES.search(step.text) and not operands[0].theirs.ndim:
        return "axis=None" in step.text  # NumPy has a first axis of a cell only where it is hidden
    if AVERAGES.search(step.text) and _reach(operands[0].theirs) > 2**53:
        return False  # which digits of a sum are lost depends on the order
    if "nanmedian" in step.text and kind == "M":
        return False  # means of dates are refused; NumPy makes none where all are missing
    named = DTYPE.search(step.text)
    to_integers = named is not None and np.dtype(named[1]).kind in "iu" and kind in "fc"
    if step.trust == "cast" or "casting='unsafe'" in step.text or to_integers:
        return all(
            v.exact and (v.theirs.dtype.kind not in "fc" or bool(np.all(np.abs(v.theirs) < 100)))
            for v in operands
        )
    if ZERO_SIGNS.search(step.text) and any(map(_has_rounded_zeros, operands)):
        return False  # the sign of such a zero depends on the order of a sum
    dtype = np.dtype(named[1]) if named else operands[0].theirs.dtype
    if "prod" in step.text and _overflows_on_the_way(operands[0].theirs, dtype):
        return False  # too much times nothing is no number, nothing times it is none
    jumps = "ma.masked_" in step.text or ".view('" in step.text or _name(step).startswith("sign(")
    if jumps or step.trust in ("jump", "rounded"):
        return all(v.exact for v in operands)
    return True


def takes_for_ever(step: Step, x: np.ndarray) -> bool:
    """Whether NumPy goes around once for each extent that a place is beyond, of none for ever."""
    return "mode='wrap'" in step.text and (not x.size or _reach(x) > MOST_CELLS)


def _name(step: Step) -> str:
    """What is called first, of a method too, and where a ufunc writes in place."""
    return CALLED.sub("", step.text)


def _are_comparable(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether NumPy compares cells of both: times depend on sizes, large integers lose digits."""
    if x.dtype.kind in "mM" or y.dtype.kind in "mM":
        return x.dtype.kind == y.dtype.kind
    wide = [v for v in (x, y) if v.dtype.kind in "iu" and v.size]
    exact = all(np.abs(v.astype(float)).max() < 2**53 for v in wide)
    return exact or np.result_type(x, y).kind not in "fc"


def _has_nan(value: Value) -> bool:
    return value.theirs.dtype.kind == "f" and bool(np.isnan(value.theirs).any())


def _has_rounded_zeros(value: Value) -> bool:
    return not value.exact and value.theirs.dtype.kind in "fc" and bool((value.theirs == 0).any())


def _overflows_on_the_way(x: np.ndarray, dtype: np.dtype) -> bool:
    """Whether some cells have a product beyond the range of a dtype."""
    if dtype.kind not in "fc" or x.dtype.kind not in "biufc":
        return False
    sizes = np.abs(x.astype(np.complex128))
    large = sizes[(sizes > 1) & np.isfinite(sizes)]
    return bool(np.log2(large).sum() >= np.finfo(dtype).maxexp)


def _is_near_the_end(x: np.ndarray) -> bool:
    """Whether an integer may leave its range when it is rounded to tens."""
    if x.dtype.kind not in "iu" or not x.size:
        return False
    limits = np.iinfo(x.dtype)
    return bool((x > limits.max - 10).any() or (x < min(limits.min + 10, 0)).any())


def _largest(x: np.ndarray) -> int:
    return int(x.max()) if x.size and x.dtype.kind in "biu" else 0


def _reach(x: np.ndarray) -> float:
    """How far integers are from zero."""
    return np.abs(x.astype(float)).max() if x.size and x.dtype.kind in "iu" else 0


def _is_finite(x: np.ndarray) -> bool:
    return x.dtype.kind not in "fc" or bool(np.isfinite(x).all())


def overflows(step: Step, operands: list[Value], result: np.ndarray) -> bool:
    if result.dtype.kind not in "fc":
        return False
    if _name(step).startswith(FACTORS):  # too much times nothing is no number
        return not np.isfinite(result).all()
    inputs = [v.theirs for v in operands if v.theirs.dtype.kind in "biufc"]
    return not np.isfinite(result).all() and all(np.isfinite(x).all() for x in inputs)

"""Results of statistical tests, and the source of their p-values."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.amounts import is_one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.planning import compute
from dask_tapestry.errors import DTypeError, UnsupportedError
from dask_tapestry.imports import lazy_import
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.cell_function import called_on_cells
from dask_tapestry.operators.views.broadcast import broadcast

REAL: Final = np.dtype(np.float64)


class Significance(NamedTuple):
    """A test's statistic and its p-value.

    {Attributes} statistic, pvalue: Arrays; after `compute`, NumPy's.
    """

    statistic: Any
    pvalue: Any

    def compute(self, **options: Any) -> Significance:
        """The statistic and the p-value, computed together.

        {Parameters} **options: Those of `dask_tapestry.compute`.
        {Returns} Significance: With NumPy arrays, or numbers.
        """
        statistic, pvalue = compute(self.statistic, self.pvalue, **options)
        return Significance(statistic, pvalue)


@dataclass(frozen=True)
class Special:
    """A function of `scipy.special`, by its name; a worker imports SciPy when it calls it."""

    name: str

    def __call__(self, *blocks: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        function = getattr(lazy_import("scipy.special"), self.name)
        return np.asarray(function(*blocks), REAL)


def special(name: str, *operands: Any) -> Array:
    """A function of `scipy.special` of arrays and numbers, which broadcast.

    {Raises} ImportError: If there is no SciPy here.
    """
    try:
        lazy_import("scipy.special")
    except ImportError as error:
        raise ImportError(
            "p-values of this test need SciPy: pip install dask_tapestry[stats]; skewtest, "
            "kurtosistest, normaltest, skew, kurtosis and moment need none"
        ) from error
    cells = [asarray(operand).astype(REAL).node for operand in operands]
    shape = broadcast_shape([x.type.shape for x in cells])
    return Array(called_on_cells(Special(name), REAL, [broadcast(x, shape) for x in cells]))


def sample(a: Any, axis: int | None, nan_policy: str = "propagate") -> tuple[Array, int, int]:
    """The cells of a sample as floats, the axis along which they lie, and how many there are.

    {Raises}
        NotImplementedError: For another `nan_policy` than ``"propagate"``.
        {DTypeError.real}
    """
    if not is_one_of(nan_policy, ("propagate",)):
        raise UnsupportedError(
            f"nan_policy={nan_policy!r}: NaN propagates here; take the others with x[~dt.isnan(x)]"
        )
    x = asarray(a)
    if x.dtype.kind not in "biuf":
        raise DTypeError(f"samples are real numbers, not {x.dtype}")
    if x.dtype.kind != "f":
        x = x.astype(REAL)
    if axis is None:
        x, axis = x.reshape(-1), 0
    number = normalize_axis(axis, x.ndim)
    return x, number, x.shape[number]

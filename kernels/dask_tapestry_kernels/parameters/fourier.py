"""Fourier transforms by name: NumPy's, whose dtypes and cells all devices have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

Block = np.ndarray[Any, Any]
TRANSFORMS: Final[dict[str, Callable[..., Block]]] = {
    "fft": np.fft.fft,
    "ifft": np.fft.ifft,
    "rfft": np.fft.rfft,
    "irfft": np.fft.irfft,
}

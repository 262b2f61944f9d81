"""Variates, which take a varying number of random words: distributions, and their dtypes."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

REAL, COUNT = np.dtype(np.float64), np.dtype(np.int64)


class Draw(NamedTuple):
    """The dtypes of a distribution's parameters, and of its cells."""

    parameters: tuple[np.dtype[Any], ...]
    dtype: np.dtype[Any]


DRAWS: Final = MappingProxyType(
    {
        "gamma": Draw((REAL,), REAL),
        "log_gamma": Draw((REAL,), REAL),
        "beta": Draw((REAL, REAL), REAL),
        "chisquare": Draw((REAL,), REAL),
        "noncentral_chisquare": Draw((REAL, REAL), REAL),
        "f": Draw((REAL, REAL), REAL),
        "noncentral_f": Draw((REAL, REAL, REAL), REAL),
        "standard_t": Draw((REAL,), REAL),
        "wald": Draw((REAL, REAL), REAL),
        "vonmises": Draw((REAL, REAL), REAL),
        "poisson": Draw((REAL,), COUNT),
        "binomial": Draw((COUNT, REAL), COUNT),
        "negative_binomial": Draw((REAL, REAL), COUNT),
        "hypergeometric": Draw((COUNT, COUNT, COUNT), COUNT),
        "logseries": Draw((REAL,), COUNT),
        "zipf": Draw((REAL,), COUNT),
    }
)
ROW_DRAWS: Final = MappingProxyType(
    {
        "multinomial": Draw((COUNT, REAL), COUNT),
        "multivariate_hypergeometric": Draw((COUNT, COUNT), COUNT),
    }
)

"""SciPy's distribution functions; without SciPy, those of a few degrees of freedom."""

import sys
from types import ModuleType

import numpy as np
import pytest


def t_below(freedom, t):
    """Student's t distribution with two degrees of freedom."""
    assert np.all(freedom == 2)
    return 0.5 + t / (2 * np.sqrt(2 + t * t))


def chi_square_above(freedom, x):
    assert np.all(freedom == 2)
    return np.exp(-x / 2)


def f_above(first, second, x):
    assert np.all(first == 2)
    return (1 + 2 * x / second) ** (-second / 2)


@pytest.fixture
def special(monkeypatch):
    try:
        import scipy.special  # noqa: F401
    except ImportError:
        made = ModuleType("scipy.special")
        made.stdtr, made.chdtrc, made.fdtrc = t_below, chi_square_above, f_above
        monkeypatch.setitem(sys.modules, "scipy", ModuleType("scipy"))
        monkeypatch.setitem(sys.modules, "scipy.special", made)

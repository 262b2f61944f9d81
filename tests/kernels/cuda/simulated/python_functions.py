"""`compiled_functions` in Python: what the simulator runs in place of compiled functions."""

import numpy as np


def jit(**options):
    """A decorator that leaves a function as it is."""
    del options
    return inlined


def inlined(function):
    return function


def keep_apart():
    """Nothing: no function is inlined."""


def words(count):
    """() -> `count` int64 that hold anything."""
    return lambda: np.full(count, 0x5A5A5A5A5A5A5A5A)

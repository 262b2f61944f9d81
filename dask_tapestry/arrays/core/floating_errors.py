"""Errors of floating point of a compute, as `numpy.errstate` wants them, once each.

The state of the thread that computes decides, not that of the one that built the array: so it does
in NumPy, where both are one.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from dask_tapestry.lower.heard import Asking, Heard
from dask_tapestry.teg.node import users_level
from dask_tapestry_kernels.cpu.floating_point import KINDS, SAYS

NUMBERS: Final = {"divide": 1, "over": 2, "under": 4, "invalid": 8}  # for `errstate(call=...)`


class ErrorsTold:
    """Inside a ``with`` block, computes tell what went wrong when it ends."""

    def __enter__(self) -> Heard:
        self.modes = np.geterr()
        kinds = [kind for kind, mode in self.modes.items() if mode != "ignore"]
        self._asking = Asking(frozenset(kinds))
        return self._asking.__enter__()

    def __exit__(self, error: object, *details: object) -> None:
        self._asking.__exit__()
        texts = self._asking.heard.texts
        if error is None and texts:
            for text in sorted(texts, key=_in_order):
                _tell(text, self.modes)


def _kind(text: str) -> str | None:
    found = (kind for kind, words in KINDS.items() if text.startswith(f"{words}{SAYS}"))
    return next(found, None)


def _in_order(text: str) -> tuple[int, str]:
    """NumPy's order of errors; what it warns of whatever the state comes before."""
    kind = _kind(text)
    return (0 if kind is None else NUMBERS[kind]), text


def _tell(text: str, modes: Mapping[str, Any]) -> None:
    kind = _kind(text)
    mode = "warn" if kind is None else modes[kind]
    if mode == "warn":
        warnings.warn(text, RuntimeWarning, stacklevel=users_level())
    elif mode == "raise":
        raise FloatingPointError(text)
    elif mode == "print":
        print(f"Warning: {text}", file=sys.stderr)
    elif kind is not None and mode in ("call", "log"):
        called: Any = np.geterrcall()
        if called is None:
            raise NameError(f"errstate({kind}={mode!r}) has nothing to call")
        if mode == "call":
            called(KINDS[kind], NUMBERS[kind])
        else:
            called.write(f"Warning: {text}\n")

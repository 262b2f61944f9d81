"""Reports errors of floating point as `numpy.errstate` wants them, each once."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.floating_point import CASTS, KINDS, NESTED, SAYS, tell

NUMBERS: Final = {"divide": 1, "over": 2, "under": 4, "invalid": 8}  # for `errstate(call=...)`
NOT_THE_USERS: Final = frozenset({"dask", "dask_tapestry", "distributed", "xarray"})


class ErrorState:
    """The state of `numpy.errstate` in the thread that makes this.

    Attributes
    ----------
    modes
        How each error is treated, by NumPy's names.
    asked
        The errors that somebody wants to hear of.
    raised
        Those that are raised.
    """

    def __init__(self) -> None:
        self.modes: Mapping[str, Any] = np.geterr()
        self.asked, self.raised, calls = _error_modes(tuple(self.modes.items()))
        self._called: Any = np.geterrcall() if calls else None

    def tell(self, texts: Iterable[str], warn: Callable[[str], None]) -> None:
        """Say each text; `warn` gives a warning."""
        for text in sorted(texts, key=_in_order):
            self._tell(text, warn)

    def _tell(self, text: str, warn: Callable[[str], None]) -> None:
        kind = kind_of(text)
        mode = "warn" if kind is None else self.modes[kind]
        if mode == "warn":
            warn(text)
        elif mode == "raise":
            raise FloatingPointError(text)
        elif mode == "print":
            print(f"Warning: {text}", file=sys.stderr)
        elif kind is not None and mode in ("call", "log"):
            if self._called is None:
                raise NameError(f"errstate({kind}={mode!r}) has nothing to call")
            if mode == "call":
                self._called(KINDS[kind], NUMBERS[kind])
            else:
                self._called.write(f"Warning: {text}\n")


class CurrentLine:
    """The user's line that runs now, for warnings that are given later or by other threads."""

    def __init__(self) -> None:
        frame = sys._getframe(1)
        while frame.f_back is not None and _package(frame.f_globals) in NOT_THE_USERS:
            frame = frame.f_back
        self._place = frame.f_code.co_filename, frame.f_lineno
        self._given = frame.f_globals.setdefault("__warningregistry__", {})

    def warn(self, text: str) -> None:
        """Give a warning of that line."""
        warnings.warn_explicit(text, category_of(text), *self._place, registry=self._given)


@lru_cache(maxsize=256)
def _error_modes(modes: tuple[tuple[str, str], ...]) -> tuple[frozenset[str], frozenset[str], bool]:
    """The errors that are asked for, those that are raised, and whether something is called."""
    asked = frozenset(kind for kind, mode in modes if mode != "ignore")
    raised = frozenset(kind for kind, mode in modes if mode == "raise")
    return asked, raised, any(mode in ("call", "log") for _, mode in modes)


def kind_of(text: str) -> str | None:
    """NumPy's name of an error; None of what NumPy warns of whatever the state."""
    found = (kind for kind, words in KINDS.items() if text.startswith(f"{words}{SAYS}"))
    return next(found, None)


def category_of(text: str) -> type[Warning]:
    """The category of a warning: NumPy's, or the user's own of what is declared."""
    return UserWarning if CASTS in text or NESTED in text else RuntimeWarning


def tell_of_nesting() -> None:
    """Say that an array is computed now, if this thread computes a block."""
    tell(
        f"{NESTED}, again in each call: what is the same for all blocks is computed once if it is "
        "an argument of that function"
    )


def _in_order(text: str) -> tuple[int, str]:
    """NumPy's order of errors; what it warns of whatever the state comes before."""
    kind = kind_of(text)
    return (0 if kind is None else NUMBERS[kind]), text


def _package(names: dict[str, Any]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]

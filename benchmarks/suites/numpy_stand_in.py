"""Modules that stand in for NumPy's in its own tests: our functions under its names.

A public function of NumPy's that we have is served wherever a module of NumPy's shows it. Arrays
that a test gives it become ours first, results are computed and come back as NumPy's, and what the
function wrote to its arguments (``out=``) is written to the test's arrays. All else is NumPy's.
"""

from __future__ import annotations

import functools
import importlib
import re
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, ClassVar, Final

import numpy as np

import dask_tapestry as dt
from benchmarks.suites.stand_in import served

NAME: Final = "tapestry_as_numpy"
# Modules whose public functions are ours where we have the name.
PUBLIC: Final = ("", "fft", "linalg", "lib.stride_tricks")
# What makes a test's operands, or tells of an object in memory: a value that went through us is
# another object, so that nothing about it could be asked.
CONVERSIONS: Final = frozenset(
    {
        "array",
        "asanyarray",
        "asarray",
        "ascontiguousarray",
        "asfortranarray",
        "copy",
        "from_dlpack",
        "save",
    }
)
# Functions of which NumPy gives arrays also where there are no dimensions; others give scalars.
ARRAYS: Final = frozenset(
    "atleast_1d broadcast_arrays broadcast_to diagonal empty empty_like expand_dims full full_like "
    "linspace meshgrid moveaxis ones ones_like permute_dims ravel real imag reshape "
    "squeeze swapaxes transpose zeros zeros_like".split()
)
BOOLS: Final = frozenset({"allclose", "array_equal", "array_equiv"})  # Python's in NumPy
METHODS: Final = frozenset({"reduce", "accumulate", "reduceat", "outer", "at"})


class Served:
    """One of our functions in the place of NumPy's of the name, which has all other attributes.

    NumPy's is called until `active` is set: what a file makes as it is imported is no test.
    """

    active: ClassVar[bool] = False

    def __init__(self, name: str, theirs: Any, ours: Any) -> None:
        functools.update_wrapper(self, theirs, updated=())
        self.name, self.theirs, self.ours = name, theirs, ours

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not Served.active:
            return self.theirs(*args, **kwargs)
        served.add(self.name)
        if "sig" in kwargs and "signature" not in kwargs:
            kwargs["signature"] = kwargs.pop("sig")  # as NumPy's dispatch does
        given = _Given(self.name in ARRAYS or kwargs.get("out") is ...)
        result = self.ours(*map(given.ours, args), **{k: given.ours(v) for k, v in kwargs.items()})
        given.write_back()
        result = given.theirs(result)
        return bool(result) if self.name in BOOLS else result

    def __getattr__(self, attribute: str) -> Any:
        theirs = getattr(self.theirs, attribute)
        if attribute in METHODS and hasattr(self.ours, attribute):
            return Served(f"{self.name}.{attribute}", theirs, getattr(self.ours, attribute))
        return theirs

    @property
    def __class__(self) -> type[Any]:
        """The class of NumPy's: tests look for ufuncs."""
        return type(self.theirs)

    def __eq__(self, other: object) -> bool:
        return self.theirs is (other.theirs if isinstance(other, Served) else other)

    def __hash__(self) -> int:
        return hash(self.theirs)

    def __repr__(self) -> str:
        return repr(self.theirs)

    def __reduce__(self) -> tuple[Any, ...]:
        return _same, (self.theirs,)


def _same(value: Any) -> Any:
    return value


class _Given:
    """The arguments of one call, and the arrays of ours that stand for them."""

    def __init__(self, arrays: bool) -> None:
        self.arrays = arrays  # whether results without dimensions are arrays
        self.pairs: list[tuple[Any, dt.Array, Any]] = []

    def ours(self, value: Any) -> Any:
        """An argument as ours: arrays that the test made, also within lists and dictionaries."""
        if isinstance(value, Served):
            return value.theirs
        if type(value) is np.ndarray:
            return self._array(value)
        if type(value) in (list, tuple):
            return type(value)(map(self.ours, value))
        if type(value) is dict:
            return {key: self.ours(one) for key, one in value.items()}
        return value

    def _array(self, value: Any) -> dt.Array:
        for theirs, ours, _ in self.pairs:
            if theirs is value:
                return ours
        ours = dt.asarray(value)
        self.pairs.append((value, ours, ours._node))
        return ours

    def write_back(self) -> None:
        """Write what changed in place to the test's arrays."""
        for theirs, ours, before in self.pairs:
            if ours._node is not before:
                theirs[...] = ours.compute(scheduler="sync")

    def theirs(self, value: Any) -> Any:
        """A result as NumPy's: the test's own array where that is what came out."""
        if isinstance(value, dt.Array):
            return self._computed(value)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*map(self.theirs, value))
        if type(value) in (list, tuple):
            return type(value)(map(self.theirs, value))
        return value

    def _computed(self, value: dt.Array) -> Any:
        for theirs, ours, before in self.pairs:
            if ours is value and ours._node is not before:
                return theirs
        result = value.compute(scheduler="sync")
        if value.dtype.hasobject and not value.ndim:  # an object, which tells neither
            return np.asarray(result, value.dtype) if self.arrays else result
        if result.shape or value.dtype.kind not in "SU":  # scalars of texts are as long as they are
            assert result.dtype == value.dtype, f"{value.dtype} was declared"
        assert np.shape(result) == value.shape, f"{value.shape} was declared"
        return np.asarray(result, value.dtype) if self.arrays else result


@functools.cache
def _table() -> dict[int, Served]:
    """Our functions by the identity of NumPy's."""
    made: dict[int, Served] = {}
    for path in PUBLIC:
        module, own = importlib.import_module(f"numpy.{path}".rstrip(".")), _ours(path)
        # Of several names of one function, the function's own is asked for first.
        names = getattr(module, "__all__", dir(module))
        for name in sorted(names, key=lambda n: n != getattr(getattr(module, n), "__name__", n)):
            theirs, ours = getattr(module, name), getattr(own, name, None)
            functions = callable(theirs) and callable(ours) and not isinstance(theirs, type)
            if functions and ours is not theirs and name not in CONVERSIONS:
                made.setdefault(id(theirs), Served(f"{path}.{name}".lstrip("."), theirs, ours))
    return made


def _ours(path: str) -> Any:
    return functools.reduce(getattr, path.split("."), dt) if path else dt


def found(path: str, name: str) -> Any:
    """What `name` of the module ``numpy.<path>`` is in the stand-in."""
    theirs = getattr(importlib.import_module(f"numpy.{path}".rstrip(".")), name)
    if isinstance(theirs, ModuleType) and theirs.__name__.startswith("numpy."):
        return importlib.import_module(f"{NAME}.{theirs.__name__.removeprefix('numpy.')}")
    return _table().get(id(theirs), theirs)


class _Finder(MetaPathFinder, Loader):
    """Makes the modules of the stand-in as they are imported."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        inside = fullname == NAME or fullname.startswith(f"{NAME}.")
        return ModuleSpec(fullname, self, is_package=True) if inside else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        path = module.__name__.removeprefix(NAME).removeprefix(".")
        theirs = importlib.import_module(f"numpy.{path}".rstrip("."))
        values = {name: _table().get(id(v), v) for name, v in list(vars(theirs).items())}
        for name, value in values.items():
            if not name.startswith("__") and not isinstance(value, ModuleType):
                setattr(module, name, value)
        module.__getattr__ = functools.partial(found, path)  # type: ignore[method-assign]
        module.__all__ = getattr(theirs, "__all__", [])  # type: ignore[attr-defined]


def install() -> None:
    """Let ``import tapestry_as_numpy`` find the stand-in."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def translated(source: str) -> str:
    """A test file's text with the stand-in in place of NumPy."""
    text = re.sub(r"^(\s*)import numpy$", rf"\1import {NAME} as numpy", source, flags=re.M)
    text = re.sub(r"^(\s*)import numpy as", rf"\1import {NAME} as", text, flags=re.M)
    # What NumPy says of its tests, and checks with, is NumPy's.
    kept = r"(?!\.testing|\.(?:_core|lib|linalg|ma)\.tests)"
    text = re.sub(rf"^(\s*)import numpy{kept}\.", rf"\1import {NAME}.", text, flags=re.M)
    return re.sub(rf"^(\s*)from numpy{kept}(\.| import)", rf"\1from {NAME}\2", text, flags=re.M)

"""Digests of a source and the modules that it needs within this package, found by reading them.

Object code inlines functions of the modules that its source imports, and of those that these
import. A kernel is compiled anew when one of them changes, and not when another one does.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

import dask_tapestry_kernels

NAME: Final = dask_tapestry_kernels.__name__
PACKAGE: Final = Path(next(iter(dask_tapestry_kernels.__path__)))
IMPORT: Final = re.compile(rf"^\s*from ({NAME}[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


class Module(NamedTuple):
    """A digest of a module's text, and the modules of this package that it imports."""

    digest: bytes
    imports: frozenset[str]


def digest_of(source: str, compiler: str) -> str:
    """A digest of the modules that the code of a source depends on, its compiler's among them."""
    return _digest(imported(source) | {compiler})


def imported(text: str) -> frozenset[str]:
    """The modules of this package from which a text imports names.

    Examples
    --------
    >>> sorted(imported("from dask_tapestry_kernels.elementary import erf, powers"))
    ['dask_tapestry_kernels.elementary.erf', 'dask_tapestry_kernels.elementary.powers']
    >>> sorted(imported("from dask_tapestry_kernels.elementary.erf import erf"))
    ['dask_tapestry_kernels.elementary.erf']
    """
    found = set()
    for module, names in IMPORT.findall(text):
        for name in re.findall(r"\w+", re.sub(r"#.*| as \w+", "", names)):
            part = f"{module}.{name}"
            found.add(part if _file(part).exists() else module)
    return frozenset(found)


@cache
def _digest(modules: frozenset[str]) -> str:
    digest = blake2b()
    for name in sorted(closure(modules)):
        digest.update(name.encode() + _module(name).digest)
    return digest.hexdigest()


def closure(modules: frozenset[str]) -> frozenset[str]:
    """These modules, those that they import, and so on."""
    seen: set[str] = set()
    waiting = set(modules)
    while waiting:
        seen |= waiting
        waiting = {name for module in waiting for name in _module(module).imports} - seen
    return frozenset(seen)


@cache
def _module(name: str) -> Module:
    file = _file(name)
    text = file.read_text() if file.exists() else ""  # a source may name what is not there
    return Module(blake2b(text.encode()).digest(), imported(text))


def _file(module: str) -> Path:
    """Where a module is; of a package its `__init__`."""
    place = PACKAGE.joinpath(*module.split(".")[1:])
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")

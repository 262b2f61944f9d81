"""Names of functions, classes and modules by their code.

A function of the user is its code, its defaults, what it has closed over, and the globals that its
code names; of a module of the user those of its attributes that the code takes. What lies in a
library is known by its name and the library's version.
"""

from __future__ import annotations

import builtins
import dis
import sys
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, Final

OURS: Final = ("dask_tapestry", "dask_tapestry_kernels")
PLACES: Final = ("/site-packages/", "/dist-packages/")  # where libraries are installed
ABSENT: Final = "absent"
OF_CLASSES: Final = frozenset(  # members that say nothing of what a class does, or are not the same
    "__abstractmethods__ __annotate__ __annotate_func__ __annotations__ __annotations_cache__ "
    "__dataclass_fields__ __dataclass_params__ __dict__ __doc__ __firstlineno__ __module__ "
    "__qualname__ __slots__ __static_attributes__ __weakref__ _abc_impl".split()
)
OF_MEMBERS: Final = ("member_descriptor", "getset_descriptor")  # slots


@lru_cache(maxsize=512)
def library_version(module: str) -> str | None:
    """Version of the library that a module is of; None if it is the user's.

    Examples
    --------
    >>> library_version("numpy.linalg") is None, library_version("__main__") is None
    (False, True)
    """
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names:
        return f"python {sys.version_info[0]}.{sys.version_info[1]}"
    known = sys.modules.get(top)
    path = str(getattr(known, "__file__", None) or "")
    installed = top in OURS or any(place in Path(path).as_posix() for place in PLACES)
    if top == "__main__" or not installed:
        return None
    version = getattr(known, "__version__", None)
    try:
        return f"{top} {version if isinstance(version, str) else metadata.version(top)}"
    except metadata.PackageNotFoundError:
        return f"{top} of no version"


def function_parts(function: FunctionType) -> tuple[Any, ...]:
    """What a function is made of: values that tell it from others."""
    name = (function.__module__ or "", function.__qualname__)
    version = library_version(name[0])
    closed = [_content(cell) for cell in function.__closure__ or ()]
    own = (code_parts(function.__code__), function.__defaults__, function.__kwdefaults__, closed)
    if version is not None:
        return (*name, version, *(own if "<" in name[1] else ()))
    used = {} if function.__globals__ is None else dict(_globals(function))
    return (function.__name__, *own, used)


def code_parts(code: CodeType) -> tuple[Any, ...]:
    """What code does, wherever it is written."""
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    constants = [code_parts(one) if isinstance(one, CodeType) else one for one in code.co_consts]
    return (sys.version_info[:2], code.co_code, code.co_exceptiontable, names, counts, constants)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return ABSENT


def _globals(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """The globals that a function's code names, and attributes of modules among them."""
    for chain in sorted(set(_chains(function.__code__))):
        first, *attributes = chain
        if first not in function.__globals__:
            if not hasattr(builtins, first):
                yield first, ABSENT
            continue
        value, name = function.__globals__[first], first
        for attribute in attributes:
            if not isinstance(value, ModuleType) or library_version(value.__name__) is not None:
                break
            value, name = getattr(value, attribute, ABSENT), f"{name}.{attribute}"
        yield name, value


def _chains(code: CodeType) -> Iterator[tuple[str, ...]]:
    """Names of globals that code reads, each with the attributes that it takes of them."""
    chain: tuple[str, ...] = ()
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and chain:
            chain = (*chain, str(instruction.argval))
        elif instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            if chain:
                yield chain
            chain = (str(instruction.argval),)
        elif chain and instruction.opname not in ("CACHE", "EXTENDED_ARG"):
            yield chain
            chain = ()
    if chain:
        yield chain
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _chains(constant)


def class_parts(cls: type) -> tuple[Any, ...]:
    """What a class is made of: its name, or its bases and members where it is the user's."""
    version = library_version(cls.__module__)
    if version is not None:
        return (cls.__module__, cls.__qualname__, version)
    members = {
        name: _unwrapped(value)
        for name, value in sorted(vars(cls).items())
        if name not in OF_CLASSES and type(value).__name__ not in OF_MEMBERS
    }
    return (cls.__name__, cls.__bases__, members)


def _unwrapped(member: Any) -> Any:
    if isinstance(member, staticmethod | classmethod):
        return type(member).__name__, member.__func__
    if isinstance(member, property):
        return "property", member.fget, member.fset, member.fdel
    return member


def module_parts(module: ModuleType) -> tuple[Any, ...]:
    """The version of a library's module, and a digest of the text of one of the user's."""
    version = library_version(module.__name__)
    if version is None:
        try:
            text = Path(str(module.__file__)).read_bytes()
        except (OSError, AttributeError):
            text = b""
        version = blake2b(text, digest_size=16).hexdigest()
    return (module.__name__, version)

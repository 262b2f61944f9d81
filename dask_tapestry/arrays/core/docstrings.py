"""Docstrings in short: the source names sections and shared entries, who reads sees them whole.

A section begins with its name in braces. A single entry follows it; of several each has a line of
its own, a name and a text. Those of `shared_parameters` are named in braces::

    {Parameters}
        x: Hermitian matrices, of which one triangle is looked at where that is enough, and a line
            that is too short for all of it.
        {axis, keepdims}
    {Returns} Array: Without the axis.
    {See Also} sum, mean

The text that `help` shows, and that pages and doctests are made of, is NumPy's style: headings are
underlined, texts are indented below their names, and ``{Examples}`` imports the library. Each
chapter writes out the docstrings of its modules when it is imported.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from textwrap import wrap
from types import FunctionType
from typing import Any, Final

from dask_tapestry.arrays.core.shared_parameters import ENTRIES

SECTIONS: Final = "Parameters|Returns|Yields|Raises|See Also|Attributes|Examples"
SHORT: Final = re.compile(rf"^( *)\{{({SECTIONS})\}}(?: (.*))?$", re.MULTILINE)
ENTRY: Final = re.compile(r"(.*?[^ ]): (.*)")
OPENING: Final = ">>> import dask_tapestry as dt"
WIDTH: Final = 96  # of lines of shared texts, which stand below a method's indent of 4


def written_out(docstring: str) -> str:
    """Return a docstring with all that it has in short.

    {Raises} KeyError: If it names a shared entry that does not exist.

    Examples
    --------
    >>> written_out("{Returns} Array: Of no dimensions.").split(chr(10))
    ['Returns', '-------', 'Array', '    Of no dimensions.']
    """
    text, *parts = SHORT.split(docstring)
    for at in range(0, len(parts), 4):
        indent, section, alone, body = parts[at : at + 4]
        if text and not text.endswith("\n\n"):
            text += "\n"
        text += f"{indent}{section}\n{indent}{'-' * len(section)}\n{indent}"
        if section == "Examples":
            text += OPENING + body
        elif alone is not None:
            lines = [alone] if section == "See Also" else _entries(alone)
            text += f"\n{indent}".join(lines) + body
        else:
            listed, blank, behind = body.partition("\n\n")
            end = "\n" if listed.endswith("\n") else ""
            text += _listed(section, indent, listed.splitlines()[1:]) + end + blank + behind
    return text


def _listed(section: str, indent: str, lines: list[str]) -> str:
    """The entries of a section, a line each, which are indented; some go on in further lines."""
    start, whole = len(indent) + 4, list[str]()
    for line in lines:
        body = line[start:]
        whole += [body] if section == "See Also" or body[:1] in ("", " ") else _entries(body)
    return f"\n{indent}".join(whole)


def _entries(body: str) -> list[str]:
    """The lines of an entry, or of several that are shared."""
    if body[0] == "{":
        pairs = [ENTRIES[key] for key in body[1:-1].split(", ")]
        return [line for name, text in pairs for line in (name, *_wrapped(text))]
    parts = ENTRY.match(body)
    return [body] if parts is None else [parts.group(1), f"    {parts.group(2)}"]


def _wrapped(text: str) -> list[str]:
    """The lines of a shared text, below its name."""
    if len(text) <= WIDTH - 4:  # as most are: nothing to look for
        return [f"    {text}"]
    return wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ")


def write_out(name: str) -> None:
    """Write out the docstrings of a module, or of all modules of a chapter that are imported."""
    for home in _modules_of(name):
        for value in list(vars(sys.modules[home]).values()):
            if getattr(value, "__module__", None) == home:
                _write(value)
                if isinstance(value, type):
                    _write(*vars(value).values())


def _modules_of(name: str) -> Iterator[str]:
    """Names of a module and of those in it, which are imported after it."""
    inner = f"{name}."
    for home in reversed(list(sys.modules)):
        if home == name:
            break
        if home.startswith(inner):
            yield home
    yield name


def _write(*values: Any) -> None:
    for value in values:
        one = getattr(value, "__func__", value)  # of what is bound, of a class or a static method
        if isinstance(one, FunctionType | property | type):
            text = one.__doc__
            if text and "{" in text:
                one.__doc__ = written_out(text)

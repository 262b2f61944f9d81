"""Docstrings in short: what is written out is NumPy's style, and nothing is left in short."""

import importlib
import inspect
import pkgutil
import sys
from types import ModuleType

import pytest

import dask_tapestry as dt
from dask_tapestry import arrays
from dask_tapestry.arrays.core.docstrings import SHORT, write_out, written_out

CHAPTERS = [name for _, name, _ in pkgutil.iter_modules(arrays.__path__)]

SOURCE = """Fold.

    {Parameters}
        a : array_like: Numbers: of any kind; or a text that is too long for a line, so that it
            goes on in another one.
        {axis, keepdims.searched}
        *more
    {Returns} Array: Of what
        is left.
    {See Also}
        sum : of one.
        max

    Notes
    -----
    As they are.

    {Raises} KeyError: Never.

    {Examples}
    >>> dt.sum({"a": 1})

    >>> 2
    """
WHOLE = """Fold.

    Parameters
    ----------
    a : array_like
        Numbers: of any kind; or a text that is too long for a line, so that it
        goes on in another one.
    axis
        Axis or axes to reduce; None reduces all.
    keepdims
        Keep the searched axis, or all for None, with length 1.
    *more

    Returns
    -------
    Array
        Of what
        is left.

    See Also
    --------
    sum : of one.
    max

    Notes
    -----
    As they are.

    Raises
    ------
    KeyError
        Never.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.sum({"a": 1})

    >>> 2
    """


def test_all_that_is_in_short_is_written_out():
    assert written_out(SOURCE) == WHOLE
    assert written_out(inspect.cleandoc(SOURCE)) == inspect.cleandoc(WHOLE)


def test_what_is_whole_stays_as_it_is():
    assert written_out(WHOLE) is WHOLE
    assert written_out("No {sections}, and no {Examples} in a line.") == (
        "No {sections}, and no {Examples} in a line."
    )


def test_a_shared_entry_that_does_not_exist():
    with pytest.raises(KeyError, match="nobody"):
        written_out("{Parameters} {nobody}")


def test_functions_classes_and_methods_of_a_module_are_written_out(monkeypatch):
    class Own:
        """{Attributes} x: One."""

        @property
        def one(self):
            """{Returns} int: One."""

        @classmethod
        def two(cls):
            """{Returns} int: Two."""

    def three():
        """{Returns} int: Three."""

    other = ModuleType("own.other")
    Own.__module__ = three.__module__ = other.__name__
    vars(other).update(Own=Own, three=three, four=written_out, five=5)
    monkeypatch.setitem(sys.modules, "own", ModuleType("own"))
    monkeypatch.setitem(sys.modules, other.__name__, other)
    write_out("own")
    assert Own.__doc__ == "Attributes\n----------\nx\n    One."
    assert Own.one.__doc__ == "Returns\n-------\nint\n    One."
    assert Own.two.__doc__ == "Returns\n-------\nint\n    Two."
    assert three.__doc__ == "Returns\n-------\nint\n    Three."


def members(module):
    """What a module defines, and the members of its classes."""
    for value in vars(module).values():
        if getattr(value, "__module__", None) == module.__name__:
            yield value
            if isinstance(value, type):
                yield from vars(value).values()


def test_nothing_is_left_in_short():
    for chapter in CHAPTERS:
        importlib.import_module(f"dask_tapestry.arrays.{chapter}")
    modules = [m for name, m in sys.modules.items() if name.startswith("dask_tapestry.arrays.")]
    values = [getattr(v, "__func__", v) for module in modules for v in members(module)]
    left = [v for v in values if SHORT.search(getattr(v, "__doc__", None) or "")]
    assert len(values) > 2000
    assert not left


def test_methods_of_arrays_say_all_that_functions_do():
    for name in ("sum", "argmax", "plan", "rechunk", "astype"):
        assert "Parameters\n    ----------\n" in getattr(dt.Array, name).__doc__
    assert dt.Array.sum.__doc__ == dt.sum.__doc__


def test_shared_texts_that_are_long_go_on_below():
    lines = written_out("Map.\n\n    {Parameters}\n        {dtype.learnt, axis}\n    ").splitlines()
    assert lines[4] == "    dtype"
    assert all(line[:8].isspace() and line[8] != " " for line in lines[5:7])
    assert lines[7:9] == ["    axis", "        Axis or axes to reduce; None reduces all."]
    assert max(map(len, lines)) <= 100

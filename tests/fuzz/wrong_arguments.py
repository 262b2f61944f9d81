"""Calls of public names in which one argument is of a wrong kind.

A phrase that means something is filled, and then one argument of one call in it is replaced, or a
further one is given by name, as the function's signature has it: by texts that are no names,
numbers that are no counts, ragged lists and objects that are nothing. What is raised is to be an
error of this library, and what NumPy refuses is to be refused, but for `allowed`.
"""

from __future__ import annotations

import ast
import inspect
import re
import traceback
import warnings
from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

import dask_tapestry as dt
from dask_tapestry.errors import TapestryError
from tests.fuzz import inputs
from tests.fuzz.phrases import SPACE, Phrase, fill

WRONG = (
    "-1", "-7", "99", "1.5", "-0.5", "np.nan", "np.inf", "3j", "True", "None", "'linaer'", "''",
    "b'x'", "()", "[]", "{}", "[[1], [2, 3]]", "[None]", "['a', 'b']", "(1.5, 2)", "object()",
    "np.array(['a'])", "np.array([1.5, 2.5])", "np.array(object())", "[-1, 7]", "len", "slice(2)",
    "np.ones((2, 3, 4))", "2**70", "'f4'", "np.float64",
)  # fmt: skip
OF_PYTHON = (  # what Python says of a call that does not fit a signature
    "got an unexpected keyword argument", "missing", "takes", "got multiple values",
    "got some positional-only",
)  # fmt: skip


OWN = {  # what is right for arguments that NumPy's functions have not, beside None
    "allow_unknown_chunksizes": {"True"},
    "automatic_rechunk": {"True"},
    "chunks": {"99", "2 ** 70", "-1", "[-1, 7]", "{}", "()", "[]", "[None]", "''"},
    "correction": {"2 ** 70", "True", "-1", "-7", "99", "1.5", "-0.5"},
    "descending": {"True"},
    "dims": {"[None]", "()", "[]", "['a', 'b']", "np.array(['a'])"},
    "dtype": {"'f4'", "np.float64"},
    "limit": {"99", "1.5", "2 ** 70"},
    "lower": {"True"},
    "merge_chunks": {"True"},
    "meta": {"np.float64", "np.array(object())", "np.array(['a'])", "np.ones((2, 3, 4))"}
    | {"np.array([1.5, 2.5])"},
    "name": {"True", "''", "'f4'", "'linaer'"},
    "split_every": {"99", "{}"},
}
UNKNOWN = r"unexpected keyword argument '(\w+)'|'(\w+)' is an invalid keyword"
STUMBLES = (  # NumPy asks attributes of what we convert, or unpacks what has no dimensions
    "has no attribute", "needs an argument", "takes exactly 1 argument", "not enough values",
    "descriptor ", "should be a NumPy array or scalar", "Cannot interpret '<attribute",
    "getset_descriptor", "too many indices for array", "index 0 is out of bounds for axis 0",
    "too large to convert to C", "takes no keyword arguments", "Unable to avoid",
    "output array is read-only", "ufunc 'invert' not supported",
)  # fmt: skip
ALLOWED = (  # further ones by the wrong argument, and by what NumPy says of it
    ("None", "", "None is what is not given, of every parameter"),
    (r"\[.*\]", "integer", "lists are axes, shapes and lengths, as tuples are"),
    (r"\[.*\]", "not 'NoneType'|resolved dtypes", "a list for where= is cast, as NumPy's sum does"),
    ("True", "an integer is required", "True is a length, as in most functions of NumPy"),
    (r"\{\}|\(\)|\[\]", "type", "a dtype without fields"),
    ("np.float64|object\\(\\)|np.array\\(object\\(\\)\\)|2 \\*\\* 70|len", "",
     "a Python object is a cell, with which no ufunc that is needed here computes in NumPy"),
)  # fmt: skip


class Call(NamedTuple):
    """A call with a wrong argument: its text, that argument, and what it is called of."""

    text: str
    wrong: str
    xs: Sequence[np.ndarray]

    def run(self, xp: Any) -> Any:
        """The value with NumPy or this library as ``xp``; an error is raised."""
        values = [dt.asarray(v) if xp is dt else v for v in self.xs]
        names = dict(zip("xyz", values, strict=False)) | {"xp": xp, "dt": dt}
        return eval(self.text, SPACE | names)


def wrong_call(random: Random, phrase: Phrase, xs: Sequence[np.ndarray]) -> Call | None:
    """A phrase with one argument that is wrong; None where it calls nothing."""
    if phrase.inputs:
        xs = [*getattr(inputs, phrase.inputs)(random)] * 2
    tree = ast.parse(fill(random, phrase.text, xs, {}), mode="eval")
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_public(node)]
    if not calls:
        return None
    call = random.choice(calls)
    wrong = ast.parse(random.choice(WRONG), mode="eval").body
    told = ast.unparse(wrong)
    given, further = len(call.args) + len(call.keywords), _further(call, xs)
    at = random.randrange(given + len(further)) if given + len(further) else None
    if at is None:
        return None
    if at < len(call.args):
        call.args[at] = wrong
    elif at < given:
        call.keywords[at - len(call.args)].value = wrong
    else:
        call.keywords.append(ast.keyword(further[at - given], wrong))
    return Call(ast.unparse(tree), told, xs)


def _is_public(call: ast.Call) -> bool:
    """Whether a call is of an attribute of `xp`, `dt`, or an array."""
    root: Any = call.func
    while isinstance(root, ast.Attribute | ast.Call | ast.Subscript):
        root = root.func if isinstance(root, ast.Call) else root.value
    return isinstance(call.func, ast.Attribute) and getattr(root, "id", "") in ("xp", "dt", "x")


def _further(call: ast.Call, xs: Sequence[np.ndarray]) -> list[str]:
    """The parameters of what is called that have no argument."""
    values = dict(zip("xyz", map(dt.asarray, xs), strict=False))
    try:
        function = eval(ast.unparse(call.func), SPACE | values | {"xp": dt, "dt": dt})
        parameters = inspect.signature(function).parameters.values()
    except Exception:
        return []
    named = {keyword.arg for keyword in call.keywords}
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    rest = list(parameters)[len(call.args) :]
    return [p.name for p in rest if p.kind in kinds and p.name not in named]


def escapes(error: BaseException) -> bool:
    """Whether an error is not the library's, Python's of a call that fits no signature, the
    phrase's own, that of a function which the phrase gives, or of cells that are plain objects.
    """
    if isinstance(error, TapestryError):
        return False
    if traceback.extract_tb(error.__traceback__)[-1].filename == "<string>":
        return False
    fits = isinstance(error, TypeError) and any(text in str(error) for text in OF_PYTHON)
    called = isinstance(error, TypeError) and "expected at most" in str(error)
    objects = isinstance(error, TypeError) and re.search("operand type.*'object'", str(error))
    return not (fits or called or objects)


def allowed(call: Call, error: BaseException) -> bool:
    """Whether what NumPy refuses with an error is deliberately right here."""
    text = str(error)
    if unknown := re.search(UNKNOWN, text):
        return call.wrong == "None" or call.wrong in OWN.get(unknown[1] or unknown[2], ())
    if any(stumble in text for stumble in STUMBLES):
        return True
    return any(
        re.fullmatch(wrong, call.wrong) and re.search(said, text) for wrong, said, _ in ALLOWED
    )


def outcome(call: Call, same: bool) -> str | None:
    """What is wrong with how a call ends; None where nothing is.

    Parameters
    ----------
    call
        The call.
    same
        Whether NumPy runs the same text, so that it is asked too.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = computed(call.run(dt))
        except Exception as error:
            return f"{call.text}: {error!r}" if escapes(error) else None
        if not same or "dt." in call.text:
            return None
        try:
            call.run(np)
        except Exception as error:
            refused = f"{call.text}: is {value!r:.60}; NumPy refuses it: {error!r}"
            return None if allowed(call, error) else refused
    return None


def computed(value: Any) -> Any:
    """The values of all arrays in nested tuples and lists."""
    if isinstance(value, tuple | list):
        return [computed(one) for one in value]
    return value.compute(scheduler="sync") if hasattr(value, "compute") else value

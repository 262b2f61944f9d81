"""Calls of public names in which one argument is of a wrong kind.

A phrase that means something is filled, and then one argument of one call in it is replaced, or a
further one is given by name, as the function's signature has it: by texts that are no names,
numbers that are no counts, ragged lists and objects that are nothing. What is raised is to be an
error of this library.
"""

from __future__ import annotations

import ast
import inspect
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


class Call(NamedTuple):
    """A call with a wrong argument: its text, and what it is called of."""

    text: str
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
    return Call(ast.unparse(tree), xs)


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
    """Whether an error is not the library's, nor Python's of a call that fits no signature."""
    if isinstance(error, TapestryError):
        return False
    return not (isinstance(error, TypeError) and any(text in str(error) for text in OF_PYTHON))

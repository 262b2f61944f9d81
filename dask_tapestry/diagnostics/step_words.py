"""Names of steps: the functions that the user called there, and the line of the code.

All that names steps to users names them so: explanations, pages, progress, groups of tasks. Views,
fields of joint reductions and joins are left out, unless a step does nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Final, NamedTuple, Protocol

from dask_tapestry.diagnostics.tuning import STEP_WORDS, WORD_LETTERS
from dask_tapestry.teg import Source
from dask_tapestry.teg.operator import Operator
from dask_tapestry.teg.users_line import words_at

HIDDEN: Final = frozenset("view field output rename placement nominalchunks pin".split())
SILENT: Final = frozenset(("cast", "constant", "coordinate"))  # parts of formulas
CELL: Final = re.compile(r"ipykernel_\d+$")  # folder of what a notebook's cells are written to
PLAIN: Final = {"getitem": "slice", "reduce": "reduce", "jointreductions": "reductions"}


class Worded(Protocol):
    """What has words: an instruction of a program, or a node."""

    @property
    def operator(self) -> Operator:
        """What is applied."""

    @property
    def line(self) -> str | None:
        """The user's line that made it, as a `UsersLine` if it is known."""


class Words(NamedTuple):
    """What a step is called.

    Attributes
    ----------
    functions
        Functions that the user called, each once, in the order in which they are computed.
    lines
        ``file:line`` of the user's code, each once, with whole paths.
    """

    functions: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """``mean, std``."""
        shown = ", ".join(self.functions[:STEP_WORDS])
        more = len(self.functions) - STEP_WORDS
        return f"{shown}, … {more} more" if more > 0 else shown

    @property
    def at(self) -> str:
        """``job.py:6, 9``: the lines by their files' names; "" where code has no file."""
        return lines_text(self.lines)

    @property
    def label(self) -> str:
        """``mean, std · job.py:6``."""
        return f"{self.text} · {self.at}" if self.at else self.text


def step_words(instructions: Iterable[Worded], last: Worded) -> Words:
    """Words of a step: of its program's instructions, in order, and the node that it computes.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.ones((1000, 10))
    >>> *_, step = dt.plan(x.std(axis=0) + 1).core.steps.values()
    >>> step_words(step.program.instructions, step.node).text
    'ones, std, add'
    """
    known = [*instructions] or [last]
    told = [one for one in known if not _hidden(one.operator)] or [last]
    functions = dict.fromkeys(word for one in told for word in words_of(one))
    lines = dict.fromkeys(str(one.line) for one in told if one.line)
    return Words(tuple(functions), tuple(lines))


def words_of(described: Worded) -> Iterator[str]:
    """The functions of one operator, as its user calls them."""
    operator = described.operator
    if operator.label != operator.name:  # a function of the user's
        yield _shortened(operator.label)
        return
    words = words_at(described.line)
    if words and not isinstance(operator, Source):
        yield from (PLAIN.get(word, word) for word in words)
        return
    formulas = formula_words(operator)
    yield from formulas or (PLAIN.get(operator.name, operator.name),)


def formula_words(operator: Operator) -> tuple[str, ...]:
    """The ufuncs that a formula is made of, each once; () for what is no formula."""
    expression = getattr(operator, "expression", None) if operator.is_formula else None
    steps = () if expression is None else expression.steps
    names = [s.function.partition(".")[0] for s in steps if s.function not in SILENT]
    return tuple(dict.fromkeys(names)) or (("astype",) if steps else ())


def lines_text(lines: Iterable[str]) -> str:
    """Lines by their files' names, those of one file together.

    Code that has no file, as what is typed, has no line; a notebook's is in a cell.

    Examples
    --------
    >>> lines_text(["/home/ada/job.py:6", "/home/ada/job.py:9", "<stdin>:1"])
    'job.py:6, 9'
    """
    of_file: dict[str, list[str]] = {}
    for line in lines:
        file, _, number = line.rpartition(":")
        if not file or file.startswith("<"):
            continue
        path = PurePath(file)
        name = "cell" if CELL.search(str(path.parent)) else path.name
        numbers = of_file.setdefault(_shortened(name), [])
        if number not in numbers:
            numbers.append(number)
    return "; ".join(f"{name}:{', '.join(_number_list(found))}" for name, found in of_file.items())


def _number_list(numbers: list[str]) -> list[str]:
    return numbers if len(numbers) <= STEP_WORDS else [*numbers[: STEP_WORDS - 1], "…"]


def _hidden(operator: Operator) -> bool:
    return operator.is_view or operator.name in HIDDEN


def _shortened(text: str) -> str:
    return text if len(text) <= WORD_LETTERS else f"{text[: WORD_LETTERS - 1]}…"

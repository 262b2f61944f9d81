"""A plan's summary as JSON, written and read: a file that anybody may have changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

from dask_tapestry.diagnostics.plan_summary import (
    BlockSummary,
    NodeSummary,
    PlanSummary,
    SignatureSummary,
    StepSummary,
)
from dask_tapestry.diagnostics.step_words import Words
from dask_tapestry.diagnostics.tuning import (
    READ_DIMENSIONS,
    READ_FILE_LETTERS,
    READ_NUMBER,
    READ_TEXT_LETTERS,
)
from dask_tapestry.errors import PlanError
from dask_tapestry.json_form import Form, FormError, listed, record, refuse, sequence, whole
from dask_tapestry.json_form import text as any_text


def as_json(plan: PlanSummary) -> dict[str, Any]:
    """The plan as JSON's values."""
    found: dict[str, Any] = _written(plan)
    return found


def from_json(value: Any, at: str = "told") -> PlanSummary:
    """The plan that `as_json` has written.

    Raises
    ------
    FormError
        Where a value has not its form.
    """
    summary = PLAN(value, at)
    count = len(summary.steps)
    for number, step in enumerate(summary.steps):
        for x in step.inputs:
            if isinstance(x, int) and not 1 <= x <= count:
                raise FormError(f"{at}.steps[{number}] reads step {x} of {count}")
        most = len(step.inputs)
        for place, node in enumerate(step.inside):
            if any(x >= most + place for x in node.inputs):
                raise FormError(f"{at}.steps[{number}].inside[{place}] reads a later node")
    for number, node in enumerate(summary.nodes):
        if any(x >= number for x in (*node.inputs, *node.after)):
            raise FormError(f"{at}.nodes[{number}] reads a later node")
    if any(x >= len(summary.nodes) for x in summary.roots):
        raise FormError(f"{at}.roots has a node that is not there")
    checked: PlanSummary = summary
    return checked


def read_told(text: str, name: str) -> PlanSummary:
    """What a plan file tells of its plan.

    Raises
    ------
    PlanError
        If it is not a plan, is damaged, or was written before plan files told their graph.
    """
    if len(text) > READ_FILE_LETTERS:
        raise PlanError(
            f"{name} is not a plan: it has {len(text):,} letters, of {READ_FILE_LETTERS:,} at most"
        )
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PlanError(f"{name} is not a plan: {error}") from None
    if not isinstance(content, dict) or content.get("kind") != "dask_tapestry plan":
        raise PlanError(f"{name} is not a plan")
    if content.get("told") is None:
        raise PlanError(
            f"{name} is a plan of version {str(content.get('version'))[:20]}, without its graph: "
            "give the arrays that it was made for, or save it anew"
        )
    try:
        return from_json(content["told"])
    except FormError as error:
        raise PlanError(f"{name} is damaged: {error}") from None


def _written(value: Any) -> Any:
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        if names is None:
            return [_written(one) for one in value]
        return {name: _written(one) for name, one in zip(names, value, strict=True)}
    if isinstance(value, Mapping):
        return {name: float(one) for name, one in value.items()}
    return str(value) if isinstance(value, str) else value


def _text(value: Any, at: str) -> str:
    found: str = any_text(value, at)
    if len(found) > READ_TEXT_LETTERS:
        raise FormError(f"{at} has {len(found):,} letters, of {READ_TEXT_LETTERS:,} at most")
    return found


def _number(value: Any, at: str) -> float:
    fits = isinstance(value, float) or (type(value) is int and abs(value) <= READ_NUMBER)
    if not fits or not isfinite(value):
        refuse(value, at, "a number")
    return float(value)


def _flag(value: Any, at: str) -> bool:
    return value if isinstance(value, bool) else refuse(value, at, "true or false")


def _amounts(value: Any, at: str) -> dict[str, float]:
    if not isinstance(value, dict):
        refuse(value, at, "an object")
    return {
        _text(name, at): _number(one, f"{at}.{name[:READ_TEXT_LETTERS]}")
        for name, one in value.items()
    }


def _input(value: Any, at: str) -> int | str:
    return _text(value, at) if isinstance(value, str) else int(whole(1)(value, at))


def _tuple_of(form: Form, most: int | None = None) -> Form:
    """A list as a tuple."""

    def check(value: Any, at: str) -> tuple[Any, ...]:
        found = listed(form)(value, at)
        if most is not None and len(found) > most:
            raise FormError(f"{at} has {len(found)} values, of {most} at most")
        return tuple(found)

    return check


def _row(*forms: Form) -> Form:
    """A list of fixed length as a tuple."""
    return lambda value, at: tuple(sequence(*forms)(value, at))


def _kinds(value: Any, at: str) -> tuple[Any, ...]:
    """Seconds of each resource; files from before links were one of them have no seconds of it."""
    found = _tuple_of(_number, 5)(value, at)
    if len(found) < 4:
        refuse(value, at, "4 or 5 numbers")
    return found if len(found) == 5 else (*found, 0.0)


def _named_tuple_of(kind: Any, **forms: Form) -> Form:
    """An object as the named tuple of its fields."""
    return lambda value, at: kind(**record(**forms)(value, at))


COUNT: Final = whole(most=READ_NUMBER)
WORDS: Final = _named_tuple_of(Words, functions=_tuple_of(_text), lines=_tuple_of(_text))
NODE: Final = _named_tuple_of(
    NodeSummary,
    name=_text,
    parameters=_text,
    type=_text,
    line=_text,
    words=_tuple_of(_text),
    inputs=_tuple_of(whole()),
    after=_tuple_of(whole()),
)
SIGNATURE: Final = _named_tuple_of(
    SignatureSummary,
    operator=whole(),
    dims=_tuple_of(_row(_text, COUNT, _text), 4 * READ_DIMENSIONS),
    tensors=_tuple_of(_row(_text, _tuple_of(_text, READ_DIMENSIONS))),
    marginal=_tuple_of(
        _tuple_of(_tuple_of(whole(-READ_NUMBER, READ_NUMBER), READ_DIMENSIONS), 4 * READ_DIMENSIONS)
    ),
)
BLOCK: Final = _named_tuple_of(
    BlockSummary,
    block=_tuple_of(COUNT, READ_DIMENSIONS),
    writes=_text,
    reads=_tuple_of(_row(_text, _text)),
)
STEP: Final = _named_tuple_of(
    StepSummary,
    digest=_text,
    words=WORDS,
    chain=_text,
    label=_text,
    type=_text,
    dims=_tuple_of(_row(COUNT, COUNT, COUNT, COUNT, _tuple_of(COUNT)), READ_DIMENSIONS),
    grid=_text,
    blocks=COUNT,
    slices=COUNT,
    edges=whole(-1, READ_NUMBER),
    tasks=COUNT,
    parts=COUNT,
    decided=_text,
    place=_text,
    alone=_flag,
    counted=_flag,
    again=_tuple_of(_text),
    second=_text,
    seconds=_number,
    kinds=_kinds,
    read=_number,
    moved=_number,
    written=_number,
    work=_number,
    inputs=_tuple_of(_input),
    begin=_number,
    end=_number,
    inside=_tuple_of(NODE),
    signatures=_tuple_of(SIGNATURE),
    examples=_tuple_of(BLOCK),
)
COST: Final = (
    "tasks seconds bytes_read bytes_moved bytes_written peak_worker_bytes".split()
)  # without which nothing is explained


def _cost(value: Any, at: str) -> dict[str, float]:
    found = _amounts(value, at)
    for name in COST:
        if name not in found:
            raise FormError(f"{at} has no {name!r}")
    return found


PLAN: Final = _named_tuple_of(
    PlanSummary,
    resources=_text,
    rates=_text,
    cost=_cost,
    steps=_tuple_of(STEP),
    results=_row(COUNT, COUNT, _number),
    memory=_tuple_of(_row(_number, _number)),
    memory_bytes=_number,
    points=_tuple_of(_amounts),
    chosen=_amounts,
    nodes=_tuple_of(NODE),
    roots=_tuple_of(whole()),
)

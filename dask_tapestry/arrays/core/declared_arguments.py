"""Arguments checked before a function is called, by what the function declares of its parameters.

A parameter that is annotated ``bool`` takes what NumPy takes there: whatever has one truth value.
Where NumPy has no such parameter, it takes True and False. Annotations of other kinds are in
`BY_KIND`, and in `BY_NAME` names that mean the same in every function that has them. Lazy arrays
are left to the function: to look at one is to compute it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import signature, unwrap
from operator import index
from re import compile
from typing import Any, Final, TypeVar, cast

from dask_tapestry.amounts import function as callable_argument
from dask_tapestry.amounts import optional, reading, truth, whole_number
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.errors import ArgumentTypeError

Check = Callable[[str, Any], object]
Function = TypeVar("Function", bound=Callable[..., Any])


def truth_value(name: str, given: Any) -> None:
    """Refuse what has no truth value, such as an array of several cells; and texts.

    Examples
    --------
    >>> truth_value("density", [])
    """
    if isinstance(given, str | bytes):
        raise ArgumentTypeError(f"{name} must be True or False, not {given!r}")
    with reading(name):
        bool(given)


def parts_merged(name: str, given: Any) -> None:
    """Refuse what Dask's ``split_every=`` does not take: an integer, or one for each axis.

    Examples
    --------
    >>> parts_merged("split_every", {0: 4})
    """
    if given is None or given is False:
        return
    for number in given.values() if isinstance(given, Mapping) else (given,):
        whole_number(name, number)


def array_or_none(name: str, given: Any) -> None:
    """Refuse what is not an array of some library, in which cells might be held."""
    if given is not None and (isinstance(given, type) or not hasattr(given, "shape")):
        raise ArgumentTypeError(f"{name} must be an array, not {given!r}")


def _integer(name: str, given: Any) -> None:
    if type(given) is not int and not hasattr(given, "__dask_graph__"):
        with reading(name):
            index(given)


def _number(name: str, given: Any) -> None:
    if isinstance(given, str | bytes):
        raise ArgumentTypeError(f"{name} must be a number, not {given!r}")
    if not hasattr(given, "__dask_graph__"):
        with reading(name):
            float(given)


def _text(name: str, given: Any) -> None:
    if not isinstance(given, str):
        raise ArgumentTypeError(f"{name} must be a text, not {given!r}")


def _several(name: str, given: Any) -> None:
    if not isinstance(given, Iterable):
        raise ArgumentTypeError(f"{name} must be a sequence, not {given!r}")


def _mapping(name: str, given: Any) -> None:
    if not isinstance(given, Mapping):
        raise ArgumentTypeError(f"{name} must be a dictionary, not {given!r}")


BY_KIND: Final[Mapping[str, Check]] = {  # by annotations up to a bracket, without "| None"
    "Callable": callable_argument,
    "Iterable": _several,
    "Mapping": _mapping,
    "Sequence": _several,
    "float": _number,
    "int": _integer,
    "str": _text,
}
ONE_KIND: Final = compile(r"\w+|\w+\[[^]]*(\[[^]]*\][^]]*)?\]")  # not several with bars between
BY_NAME: Final[Mapping[str, Check]] = {
    "like": array_or_none,
    "split_every": parts_merged,
    "subok": _integer,
}


class DeclaredArguments:
    """The checks of a function's arguments, by name and by place.

    {Parameters}
        function: Of which annotations are read, below all that wraps it.
        numpys: The function of NumPy that it stands for, if any.
    {Attributes} first: The first place of an argument that is checked; larger than any if none is.
    """

    __slots__ = ("checks", "first", "places")

    def __init__(self, function: Callable[..., Any], numpys: Callable[..., Any] | None) -> None:
        inner: Any = unwrap(function)
        kinds = inner.__annotations__
        theirs = _parameters(numpys) if "bool" in "".join(map(str, kinds.values())) else None
        self.checks = {
            name: check
            for name, kind in kinds.items()
            if (check := _check_of(name, kind, theirs)) is not None
        }
        by_place = inner.__code__.co_varnames[: inner.__code__.co_argcount]
        self.places = [(at, name) for at, name in enumerate(by_place) if name in self.checks]
        self.first = self.places[0][0] if self.places else 1 << 30

    def refuse_wrong(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Raise ArgumentError or ArgumentTypeError for the first argument that is wrong."""
        for name, given in kwargs.items():
            if (check := self.checks.get(name)) is not None:
                check(name, given)
        for at, name in self.places:
            if at >= len(args):
                return
            self.checks[name](name, args[at])


def _parameters(numpys: Callable[..., Any] | None) -> frozenset[str] | None:
    """The names of the parameters of a function of NumPy's; None where it does not tell."""
    try:
        return frozenset(() if numpys is None else signature(numpys).parameters)
    except ValueError:
        return None


def _check_of(name: str, kind: object, theirs: frozenset[str] | None) -> Check | None:
    """The check of a parameter; `theirs` are those that NumPy's function has too."""
    if name in BY_NAME:
        return BY_NAME[name]
    if kind in ("bool", "bool | None"):
        if theirs is None or name in theirs:
            return truth_value
        return truth if kind == "bool" else optional(truth)
    alone = str(kind).removesuffix(" | None")
    if not ONE_KIND.fullmatch(alone):
        return None
    check = BY_KIND.get(alone.partition("[")[0])
    return None if check is None else optional(check)


def checked(function: Function) -> Function:
    """Let a function of ours, which stands for none of NumPy's, refuse wrong arguments.

    Examples
    --------
    >>> @checked
    ... def kept(x, keep: "bool" = True):
    ...     return x if keep else None
    >>> kept(3, True)
    3
    """
    return checked_as(None)(function)


def checked_as(numpys: Callable[..., Any] | None) -> Callable[[Function], Function]:
    """Let a function refuse wrong arguments, as the function of NumPy's that is given would."""

    def decorate(function: Function) -> Function:
        declared = DeclaredArguments(function, numpys)
        if not declared.checks:
            return names_axes(function)
        first, refuse_wrong = declared.first, declared.refuse_wrong

        @wraps(function)
        def checking(*args: Any, **kwargs: Any) -> Any:
            if kwargs or len(args) > first:
                refuse_wrong(args, kwargs)
            return function(*args, **kwargs)

        return names_axes(cast(Function, checking))

    return decorate

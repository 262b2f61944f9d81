"""Amounts and choices as users write them, checked: numbers, bytes, times, and names.

Each check is given the argument's name, which its error says first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import ContextDecorator
from difflib import get_close_matches
from math import inf, isfinite
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any, Final

from dask.utils import parse_bytes, parse_timedelta

from dask_tapestry.basic_errors import ArgumentError, ArgumentTypeError, TapestryError

DEVICE: Final = re.compile(r"cpu|cuda(:\d{1,3})?")
MOST: Final = 2**63 - 1  # of whole numbers: the largest that a machine counts to


class reading(ContextDecorator):  # noqa: N801  # it reads as a statement
    """Inside a ``with`` block, an argument is converted by Python or NumPy, whose errors are ours.

    So it is in a function that is decorated by it, which converts the argument.

    Examples
    --------
    >>> try:
    ...     with reading("scale"):
    ...         float("wide")
    ... except ArgumentError as error:
    ...     print(error)
    scale: could not convert string to float: 'wide'
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, TapestryError):
            return
        if isinstance(error, TypeError):
            raise ArgumentTypeError(f"{self.name}: {error}") from error
        if isinstance(error, ValueError | OverflowError):
            raise ArgumentError(f"{self.name}: {error}") from error


def integer(given: Any) -> int:
    """The integer `given`, also of NumPy's.

    Examples
    --------
    >>> integer(3)
    3
    """
    try:
        return index(given)
    except TypeError as error:  # whose text has the type
        raise ArgumentTypeError(str(error)) from None


def listed(given: Any, what: str) -> tuple[Any, ...]:
    """The values `given`, of which the error says `what` they are to be.

    Examples
    --------
    >>> listed([1, 2], "axes")
    (1, 2)
    """
    try:
        return tuple(given)
    except TypeError:
        raise ArgumentTypeError(f"a sequence of {what} is needed, not {given!r}") from None


def is_several(given: Any) -> bool:
    """Whether `given` is a sequence, which an array without dimensions is not.

    Examples
    --------
    >>> is_several([3]), is_several(3)
    (True, False)
    """
    return isinstance(given, Iterable) and getattr(given, "ndim", 1) != 0


def integers(given: Any, what: str) -> tuple[int, ...]:
    """The integers `given` in a sequence, of which the error says `what` they are to be.

    Texts and dictionaries are none, however empty, and truth values are no integers.

    Examples
    --------
    >>> integers([1, 2], "axes")
    (1, 2)
    """
    if isinstance(given, str | bytes | Mapping):
        raise ArgumentTypeError(f"a sequence of {what} is needed, not {given!r}")
    values = listed(given, what)
    if any(isinstance(value, bool) for value in values):
        raise ArgumentTypeError(f"a sequence of {what} is needed, which no truth values are")
    return tuple(map(integer, values))


def real(name: str, given: Any) -> float:
    """The float `given` for the parameter `name`."""
    with reading(name):
        return float(given)


def function(name: str, given: Any) -> Any:
    """The function `given` for the parameter `name`."""
    if not callable(given):
        raise ArgumentTypeError(f"{name} must be a function, not {given!r}")
    return given


def is_one_of(given: Any, choices: Collection[str | None]) -> bool:
    """Whether `given` is one of some texts, or None; an array is none, whatever its cells are."""
    return (given is None or isinstance(given, str)) and given in choices


def folder_or_url(name: str, given: Any) -> str:
    """A folder, or a URL, as text.

    Examples
    --------
    >>> folder_or_url("temporary-store", "s3://bucket/scratch")
    's3://bucket/scratch'
    """
    if not isinstance(given, str | PathLike) or not str(given).strip():
        raise ArgumentTypeError(f"{name} must be a folder or a URL, not {given!r}")
    return str(given)


def whole_number(name: str, value: Any, least: int = 1) -> int:
    """The whole number `value` for the parameter `name`, an integer from `least` on.

    Examples
    --------
    >>> whole_number("workers", 4)
    4
    """
    requirement = f"{name} must be a whole number of at least {least}"
    try:
        number = least - 1 if isinstance(value, bool) else index(value)
    except TypeError:
        raise ArgumentTypeError(f"{requirement}, not {value!r}") from None
    if isinstance(value, bool):
        raise ArgumentTypeError(f"{requirement}, not {value!r}")
    if not least <= number <= MOST:
        raise ArgumentError(f"{requirement}, not {_short_number_text(value)}")
    return number


def optional(check: Callable[[str, Any], object]) -> Callable[[str, Any], object]:
    """`check` of a parameter that may be None."""

    def checked(name: str, given: Any) -> object:
        return None if given is None else check(name, given)

    return checked


def is_numpy_bool(given: Any) -> bool:
    """Whether `given` is a truth value of NumPy's, which this module does without."""
    return type(given).__module__ == "numpy" and type(given).__name__ in ("bool", "bool_")


def truth(name: str, given: Any) -> bool:
    """The truth `given` for the parameter `name`: a bool, or 0 or 1 as environments write it."""
    if not (isinstance(given, int) and given in (0, 1)) and not is_numpy_bool(given):
        raise ArgumentTypeError(f"{name} must be True or False, not {given!r}")
    return bool(given)


def bytes_of(name: str, given: Any, least: int = 1) -> int:
    """The bytes `given` for the parameter `name`, a number or text as in ``64 GiB``.

    Examples
    --------
    >>> bytes_of("memory", "2 GiB")
    2147483648
    """
    return int(_amount(name, given, "bytes", "64 GiB", _bytes, least))


def bytes_a_second(name: str, given: Any) -> int:
    """The rate `given` for the parameter `name`, as in ``25 GB/s``.

    Examples
    --------
    >>> bytes_a_second("bandwidth", "25 GB/s")
    25000000000
    """
    return int(_amount(name, given, "bytes a second", "25 GB/s", _rate, 1))


def seconds(name: str, given: Any) -> float:
    """The time `given` for the parameter `name`.

    Examples
    --------
    >>> seconds("latency", "250 ms")
    0.25
    """
    return _amount(name, given, "seconds", "200 us", _time, 0)


def walltime(name: str, value: Any) -> float:
    """The seconds of a time limit, also as batch systems write it: ``days-hours:minutes:seconds``.

    Examples
    --------
    >>> walltime("walltime", "1-02:30:00"), walltime("walltime", "30:00")
    (95400.0, 1800.0)
    """
    if not isinstance(value, str) or ":" not in value:
        total = seconds(name, value)
    else:
        days, _, clock = value.rpartition("-")
        parts = [days or "0", *clock.split(":")]
        if len(parts) > 4 or not all(part.isdecimal() for part in parts):
            raise ArgumentError(f'{name} must be a time such as "1 h" or "01:00:00", not {value!r}')
        number = [int(part) for part in (parts[0], *["0"] * (4 - len(parts)), *parts[1:])]
        total = float(((24 * number[0] + number[1]) * 60 + number[2]) * 60 + number[3])
    if total <= 0:
        raise ArgumentError(f"{name} must be above 0, not {value!r}")
    return total


def positive(name: str, value: Any) -> float:
    """The number above 0 that is `value` for the parameter `name`."""
    requirement = f"{name} must be a positive number"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentTypeError(f"{requirement}, not {value!r}")
    if not 0 < value < inf:
        raise ArgumentError(f"{requirement}, not {_short_number_text(value)}")
    return value


def amounts_by_name(amounts: Mapping[str, float]) -> dict[str, float]:
    """The amounts of resources that users have named, sorted by name."""
    if not isinstance(amounts, Mapping):
        raise ArgumentTypeError(f"limits must be a dictionary of numbers by name, not {amounts!r}")
    for name, amount in amounts.items():
        if not isinstance(name, str):
            raise ArgumentTypeError(
                f"limits are given by the names of resources; {name!r} is not a string"
            )
        positive(f"the limit of {name!r}", amount)
    return dict(sorted(amounts.items()))


def device_name(name: str, value: Any) -> str:
    """Check the name of a device: ``"cpu"``, ``"cuda"``, or one of several, as ``"cuda:1"``.

    Raises
    ------
    ArgumentError
        For any other.

    Examples
    --------
    >>> device_name("device", "cuda:1")
    'cuda:1'
    """
    if not isinstance(value, str) or not DEVICE.fullmatch(value):
        raise ArgumentError(
            'Device not understood. Only "cpu", "cuda" and "cuda:<number>" are allowed, but '
            f"received for {name}: {value!r}"
        )
    return str(value)


def one_of(name: str, value: Any, choices: Collection[str]) -> Any:
    """The choice `value` for the parameter `name`; the error suggests the one that looks like it.

    Examples
    --------
    >>> try:
    ...     one_of("method", "linaer", ["linear", "lower"])
    ... except ArgumentError as error:
    ...     print(error)
    method must be one of 'linear', 'lower', not 'linaer'; did you mean 'linear'?
    """
    if isinstance(value, str) and value in choices:
        return value
    listed = ", ".join(map(repr, choices))
    hint = suggestion(value, choices)
    raise ArgumentError(f"{name} must be one of {listed}, not {value!r}{hint}")


def path_of(name: str, given: Any) -> Path:
    """The path that is `given` for a parameter.

    Examples
    --------
    >>> try:
    ...     path_of("dirname", 3)
    ... except ArgumentTypeError as error:
    ...     print(error)
    dirname must be a path, not int
    """
    if not isinstance(given, str | PathLike):
        raise ArgumentTypeError(f"{name} must be a path, not {type(given).__name__}")
    return Path(given)


def suggestion(given: Any, names: Iterable[str]) -> str:
    """``; did you mean 'that'?`` of the name that looks most like `given`; empty if none does.

    Examples
    --------
    >>> suggestion("max_task", ["max_tasks", "rules"])
    "; did you mean 'max_tasks'?"
    """
    close = get_close_matches(given, list(names), 1, 0.7) if isinstance(given, str) else []
    return f"; did you mean {close[0]!r}?" if close else ""


def refuse_unknown(what: str, given: Iterable[str], known: Collection[str], then: str = "") -> None:
    """Refuse arguments that are not among those `known` of `what`; `then` ends the error's text.

    Examples
    --------
    >>> try:
    ...     refuse_unknown("to_zarr", ["chunk"], ["chunks", "shards"])
    ... except ArgumentTypeError as error:
    ...     print(error)
    to_zarr has no argument 'chunk'; did you mean 'chunks'?
    """
    unknown = sorted(set(map(str, given)) - set(known))
    if unknown:
        hints = [suggestion(name, known) for name in unknown]
        listed = f"argument{'s' * (len(unknown) > 1)} {', '.join(map(repr, unknown))}"
        hint = next(filter(None, hints), "")
        raise ArgumentTypeError(f"{what} has no {listed}{hint}{then}")


def _amount(
    name: str, value: Any, unit: str, example: str, read: Callable[[Any], float], least: int
) -> float:
    """A number or text that `read` understands, from `least` on."""
    requirement = f'{name} must be a number of {unit}, or text such as "{example}"'
    if not isinstance(value, str):
        with reading(name):
            value = getattr(value, "item", lambda: value)()  # of NumPy
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ArgumentTypeError(f"{requirement}, not {value!r}")
    try:
        number = read(value)
    except (ValueError, OverflowError, KeyError):  # Dask's, of texts and of what is not finite
        raise ArgumentError(f"{requirement}, not {value!r}") from None
    if not least <= number <= MOST or not isfinite(number):
        raise ArgumentError(f"{requirement}, of at least {least}, not {_short_number_text(value)}")
    return number


def _bytes(given: float | str) -> int:
    if isinstance(given, str) and not given.strip():
        raise ValueError  # Dask reads no unit as one byte
    return int(parse_bytes(given))


def _rate(given: float | str) -> int:
    return _bytes(given.removesuffix("/s") if isinstance(given, str) else given)


def _time(given: float | str) -> float:
    return float(parse_timedelta(given) if isinstance(given, str) and given.strip() else given)


def _short_number_text(given: Any) -> str:
    """A number as text, however many digits it has."""
    bits = given.bit_length() if isinstance(given, int) else 0
    return f"a number of {bits} bits" if bits > 128 else repr(given)

"""Forms of JSON that is read: one for each value, made of those of its parts.

Files that anybody may have changed are read through a form, and what follows relies on it. A form
is called with a value and the way to it, and returns the value or raises `FormError`.

Examples
--------
>>> point = record(name=text, at=listed(whole()))
>>> point({"name": "a", "at": [3, 4]}, "point")
{'name': 'a', 'at': [3, 4]}
>>> try:
...     point({"name": "a", "at": [3, "4"]}, "point")
... except FormError as error:
...     print(error)
point.at[1] is '4', not a whole number from 0 on
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

Form: TypeAlias = Callable[[Any, str], Any]
MOST = 2**63 - 1  # of whole numbers
SHOWN = 60  # letters of a wrong value


class FormError(ValueError):
    """A value has not its form; the text says which."""


def parsed(text: str | bytes) -> Any:
    """The value of a text that should be JSON.

    Raises
    ------
    FormError
        If it is none, or one inside another too often.
    """
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise FormError(f"it is not valid JSON: {error}") from None


def whole(least: int = 0, most: int = MOST) -> Form:
    """An integer between `least` and `most`."""

    def check(value: Any, at: str) -> int:
        if type(value) is not int or not least <= value <= most:
            end = "on" if most == MOST else f"to {most}"
            refuse(value, at, f"a whole number from {least} {end}")
        return value

    return check


def text(value: Any, at: str) -> str:
    """Text."""
    return value if isinstance(value, str) else refuse(value, at, "text")


def anything(value: Any, at: str) -> Any:
    """What is looked at by whom it is handed to."""
    del at
    return value


def optional(form: Form) -> Form:
    """Null, or what has `form`."""
    return lambda value, at: None if value is None else form(value, at)


def listed(form: Form, count: int | None = None) -> Form:
    """A list, of `count` values if that is given, each of which has `form`."""

    def check(value: Any, at: str) -> list[Any]:
        if not isinstance(value, list):
            refuse(value, at, "a list")
        if count is not None and len(value) != count:
            refuse(value, at, f"a list of {count}")
        return [form(one, f"{at}[{i}]") for i, one in enumerate(value)]

    return check


def sequence(*forms: Form) -> Form:
    """A list whose values have `forms`, in order."""

    def check(value: Any, at: str) -> list[Any]:
        if not isinstance(value, list) or len(value) != len(forms):
            refuse(value, at, f"a list of {len(forms)}")
        pairs = zip(forms, value, strict=True)
        return [form(one, f"{at}[{i}]") for i, (form, one) in enumerate(pairs)]

    return check


def record(**forms: Form) -> Form:
    """An object that has a value of each form by its name; others are left out."""

    def check(value: Any, at: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            refuse(value, at, "an object")
        missing = [name for name in forms if name not in value]
        if missing:
            raise FormError(f"{at} has no {missing[0]!r}")
        return {name: form(value[name], f"{at}.{name}") for name, form in forms.items()}

    return check


def refuse(value: Any, at: str, wanted: str) -> NoReturn:
    """Raise the error of a value that is not what is `wanted`."""
    shown = repr(value) if not isinstance(value, int) or abs(value) <= MOST else "a huge number"
    short = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"
    raise FormError(f"{at} is {short}, not {wanted}")

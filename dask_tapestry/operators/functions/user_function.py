"""UserFunction: a user's function, held by an operator."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property, partial
from hashlib import blake2b
from typing import Any
from uuid import uuid4

import cloudpickle
import numpy as np
from dask.tokenize import TokenizationError, tokenize

from dask_tapestry.errors import ArgumentTypeError
from dask_tapestry.imports import unpickle
from dask_tapestry.late_dataclass import dataclass


@dataclass(frozen=True)
class UserFunction:
    """A function with a text that identifies it; equal functions have equal texts.

    Functions of a script or notebook, and those within other functions, are pickled by value.

    Examples
    --------
    >>> UserFunction.of(abs)(-1), UserFunction.of(abs) == UserFunction.of(abs)
    (1, True)
    """

    name: str
    identity: str
    function: Callable[..., Any] = field(compare=False, repr=False)

    @classmethod
    def of(cls, function: Callable[..., Any], *args: Any, **kwargs: Any) -> UserFunction:
        """Hold `function`, called with `args` before its arguments and `kwargs` after them."""
        if not callable(function):
            raise ArgumentTypeError(f"a function is needed, got {type(function).__name__}")
        identity = identity_of((function, args, kwargs))
        bound = partial(function, *args, **kwargs) if args or kwargs else function
        return cls(name_of(function), identity, bound)

    @property
    def label(self) -> str:
        """The name in letters, digits and underscores, of which the first is a letter.

        Dask groups tasks by what their keys begin with, up to the first other sign.

        Examples
        --------
        >>> UserFunction.of(lambda x: x).label, UserFunction.of(abs).label
        ('lambda', 'abs')
        """
        found = re.sub(r"\W+", "_", self.name, flags=re.ASCII).strip("_").lstrip("_0123456789")
        return found or "function"

    @cached_property
    def local_only(self) -> str | None:
        """Why the function cannot be sent to other processes; None if it can.

        Examples
        --------
        >>> from threading import Lock
        >>> UserFunction.of(abs).local_only, UserFunction.of(Lock().acquire).local_only
        (None, "acquire cannot be sent to workers: cannot pickle '_thread.lock' object")
        """
        try:
            self.__reduce__()
        except ArgumentTypeError as error:
            return str(error)
        return None

    def bind(self, kwargs: Mapping[str, Any]) -> UserFunction:
        """The function with `kwargs` bound."""
        if not kwargs:
            return self
        text = f"{self.identity} {identity_of(dict(kwargs))}"
        identity = blake2b(text.encode(), digest_size=16).hexdigest()
        return UserFunction(self.name, identity, partial(self.function, **kwargs))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            payload = cloudpickle.dumps(self.function)
        except Exception as error:  # whatever the objects that it holds raise
            raise ArgumentTypeError(f"{self.name} cannot be sent to workers: {error}") from error
        return _load, (self.name, self.identity, payload)


def identity_of(value: Any) -> str:
    """Text that equal values share; a unique one for what cannot be compared by value."""
    try:
        return str(tokenize(_with_dtypes_told(value), ensure_deterministic=True))
    except TokenizationError:
        return uuid4().hex


def _with_dtypes_told(value: Any) -> Any:
    """The value with text for dtypes: Dask takes structured ones of one size for equal."""
    if isinstance(value, np.dtype):
        return "dtype", repr(value)
    if type(value) in (tuple, list):
        return type(value)(map(_with_dtypes_told, value))
    if type(value) is dict:
        return {key: _with_dtypes_told(one) for key, one in value.items()}
    return value


def name_of(function: Any) -> str:
    """The name that a function is known by."""
    inner = function
    while isinstance(inner, partial):
        inner = inner.func
    return str(getattr(inner, "__name__", type(inner).__name__))


def _load(name: str, identity: str, payload: bytes) -> UserFunction:
    return UserFunction(name, identity, unpickle(payload))

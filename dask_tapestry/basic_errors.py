"""The errors that integers raise too: their base, and those of arguments.

`errors` has them and all others; it needs NumPy, which `zspace` does without.
"""

from __future__ import annotations


class TapestryError(Exception):
    """Base of every error of this library.

    Raised only as one of its subclasses, each of which is also the builtin error that NumPy raises
    in the same place. Catch it to tell errors of this library from others.

    Examples
    --------
    >>> issubclass(ArgumentError, TapestryError) and issubclass(ArgumentError, ValueError)
    True
    """


class ArgumentError(TapestryError, ValueError):
    """An argument has a value that means nothing where it stands.

    Raised when an expression is built, for unknown modes and for arguments that exclude one
    another. The text says what is allowed.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.take(dt.ones(2), [0], mode="any")
    ... except dt.ArgumentError as error:
    ...     print(error)
    clipmode must be one of 'clip', 'raise', or 'wrap' (got 'any')
    """


class ArgumentTypeError(TapestryError, TypeError):
    """An argument is of a type that means nothing where it stands, or has a name that none has.

    Raised when an expression is built. The text names the argument and says what is allowed.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> try:
    ...     dt.Resources(workers="many")
    ... except dt.ArgumentTypeError as error:
    ...     print(error)
    workers must be a whole number of at least 1, not 'many'
    """

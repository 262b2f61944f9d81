"""Points and vectors of Z^n: where a cell is, and how far one is from another.

Source: Tapestry whitepaper, "ZSpace: Discrete Coordinate Space Objects" and
"Working in ZSpace".
"""

from __future__ import annotations

from operator import add, le, lt, neg, sub
from typing import NoReturn, Self, SupportsIndex, final, overload

from dask_tapestry.basic_errors import ArgumentTypeError
from dask_tapestry.zspace.axes import same_ndim
from dask_tapestry.zspace.integers import Ints, exact_int, exact_ints


class _Coordinates(tuple[int, ...]):
    """What points and vectors share. Equality, hash and ``<`` are those of the plain tuple."""

    __slots__ = ()

    def __new__(cls, coordinates: Ints) -> Self:
        return super().__new__(cls, exact_ints(coordinates, cls.__name__))

    @property
    def ndim(self) -> int:
        """The number of dimensions.

        Examples
        --------
        >>> ZPoint((4, 2)).ndim
        2
        """
        return len(self)

    def le(self, other: Ints) -> bool:
        """Whether every coordinate is at most that of `other` (``<=`` is the tuple order).

        Raises
        ------
        ValueError
            If the dimensions differ.

        Examples
        --------
        >>> ZPoint((0, 5)).le((1, 5)), ZPoint((0, 5)).le((1, 4))
        (True, False)
        """
        return all(map(le, self, self._matching(other)))

    def lt(self, other: Ints) -> bool:
        """Whether every coordinate is below that of `other` (``<`` is the tuple order).

        Raises
        ------
        ValueError
            If the dimensions differ.

        Examples
        --------
        >>> ZPoint((0, 5)).lt((1, 6)), ZPoint((0, 5)).lt((1, 5))
        (True, False)
        """
        return all(map(lt, self, self._matching(other)))

    def _matching(self, other: Ints) -> tuple[int, ...]:
        coordinates = exact_ints(other, "other")
        same_ndim(len(coordinates), len(self), "other")
        return coordinates

    def __repr__(self) -> str:
        """Return the constructor call."""
        return f"{type(self).__name__}({super().__repr__()})"

    def _refuse(self, sign: str, other: object) -> NoReturn:
        # Returning NotImplemented would let tuple's own concatenation or repetition answer.
        raise ArgumentTypeError(
            f"{type(self).__name__} {sign} {type(other).__name__} is not defined"
        )

    def __radd__(self, other: object) -> NoReturn:
        """Refuse ``(1, 2) + vector``, which would concatenate."""
        self._refuse("added to", other)


@final
class ZVector(_Coordinates):
    """An integer displacement; also the shape of a tensor.

    An immutable tuple of ``int``, equal to the plain tuple of its coordinates.

    Parameters
    ----------
    coordinates
        Any iterable of integers, of any size. Floats and bools raise ``TypeError``.

    Examples
    --------
    >>> ZVector((1, 2)) + ZVector((10, 0))
    ZVector((11, 2))
    >>> -ZVector((1, 2)) * 3
    ZVector((-3, -6))
    """

    __slots__ = ()

    @classmethod
    def zero(cls, ndim: SupportsIndex) -> ZVector:
        """Return the vector that moves nothing.

        Examples
        --------
        >>> ZVector.zero(2)
        ZVector((0, 0))
        """
        return cls((0,) * exact_int(ndim, "ndim"))

    def __add__(self, other: ZVector) -> ZVector:  # type: ignore[override]
        """Return the sum of two vectors."""
        if not isinstance(other, ZVector):
            self._refuse("+", other)
        return ZVector(tuple(map(add, self, self._matching(other))))

    def __sub__(self, other: ZVector) -> ZVector:
        """Return the difference of two vectors."""
        if not isinstance(other, ZVector):
            self._refuse("-", other)
        return ZVector(tuple(map(sub, self, self._matching(other))))

    def __neg__(self) -> ZVector:
        """Return the vector back."""
        return ZVector(tuple(map(neg, self)))

    def __mul__(self, factor: SupportsIndex) -> ZVector:
        """Return the vector `factor` times as long."""
        times = exact_int(factor, "factor")
        return ZVector(tuple([times * c for c in self]))

    def __rmul__(self, factor: SupportsIndex) -> ZVector:
        """Return the vector `factor` times as long."""
        return self * factor


@final
class ZPoint(_Coordinates):
    """An integer position; the coordinates of a cell of a tensor.

    An immutable tuple of ``int``, equal to the plain tuple of its coordinates.

    Parameters
    ----------
    coordinates
        Any iterable of integers, of any size. Floats and bools raise ``TypeError``.

    Examples
    --------
    >>> ZPoint((4, 2)) + ZVector((-1, 1))
    ZPoint((3, 3))
    >>> ZPoint((4, 2)) - ZPoint((1, 1))
    ZVector((3, 1))
    """

    __slots__ = ()

    @classmethod
    def origin(cls, ndim: SupportsIndex) -> ZPoint:
        """Return the point all of whose coordinates are 0.

        Examples
        --------
        >>> ZPoint.origin(2)
        ZPoint((0, 0))
        """
        return cls((0,) * exact_int(ndim, "ndim"))

    def __add__(self, other: ZVector) -> ZPoint:  # type: ignore[override]
        """Return the point moved by a vector."""
        if not isinstance(other, ZVector):
            self._refuse("+", other)
        return ZPoint(tuple(map(add, self, self._matching(other))))

    @overload
    def __sub__(self, other: ZPoint) -> ZVector: ...
    @overload
    def __sub__(self, other: ZVector) -> ZPoint: ...
    def __sub__(self, other: ZPoint | ZVector) -> ZPoint | ZVector:
        """Return the vector from a point to this one, or this point moved back by a vector."""
        if not isinstance(other, ZPoint | ZVector):
            self._refuse("-", other)
        difference = tuple(map(sub, self, self._matching(other)))
        return ZVector(difference) if isinstance(other, ZPoint) else ZPoint(difference)

    def __mul__(self, other: object) -> NoReturn:
        """Refuse to multiply a position, or to repeat it as a tuple would."""
        self._refuse("*", other)

    def __rmul__(self, other: object) -> NoReturn:
        """Refuse to multiply a position, or to repeat it as a tuple would."""
        self._refuse("times", other)

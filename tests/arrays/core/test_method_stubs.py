import inspect
import operator

import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core import method_stubs


def declared_class():
    """The class as type checkers see it, with Array for Self."""
    source = inspect.getsource(method_stubs).replace("if TYPE_CHECKING:", "if True:")
    scope = {"__name__": method_stubs.__name__}
    exec(source.replace("Literal, Self", "Literal"), scope | {"Self": dt.Array}, scope)
    return scope["ArrayMethods"], scope | {"Self": dt.Array}


DECLARED, SCOPE = declared_class()
NAMES = {name for name in [*vars(DECLARED), *DECLARED.__annotations__] if name[:2] != "__"}
OPERATORS = {name for name in vars(DECLARED) if hasattr(operator, name) or name[:3] == "__r"}


def arguments(function, **scope):
    """Each argument but the array: name, kind, default and type; and the type of the result."""
    signature = inspect.signature(function, eval_str=True, **scope)
    found = list(signature.parameters.values())
    several = found[0].kind is inspect.Parameter.VAR_POSITIONAL  # the array is one of them
    return found if several else found[1:], signature.return_annotation


def test_all_that_is_declared_is_there():
    assert {name for name in NAMES | OPERATORS if not hasattr(dt.Array, name)} == set()


def test_all_that_is_attached_is_declared():
    attached = {
        name
        for name, member in {n: getattr(dt.Array, n) for n in vars(dt.Array).copy()}.items()
        if getattr(inspect.unwrap(member), "__module__", "") != dt.Array.__module__
        and inspect.isfunction(member)
        and not name.startswith("_")
    }
    assert attached <= NAMES


@pytest.mark.parametrize(
    "name", sorted(n for n in NAMES if inspect.isfunction(vars(DECLARED).get(n)))
)
def test_a_method_is_declared_as_it_is(name):
    declared, result = arguments(vars(DECLARED)[name], globals=SCOPE)
    function = inspect.unwrap(getattr(dt.Array, name))
    own, own_result = arguments(function, globals=SCOPE | function.__globals__)
    assert result == own_result
    for stub, real in zip(declared, own, strict=True):
        assert (stub.name, stub.kind, stub.annotation) == (real.name, real.kind, real.annotation)
        assert stub.default in (real.default, ...)

import warnings

import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner import cache
from dask_tapestry.planner.cache import plan_of
from dask_tapestry.planner.open_forms import OpenForm
from dask_tapestry.rules.open_constants import open_formulas, with_open_constants
from dask_tapestry.rules.tuning import OPEN_CELLS
from dask_tapestry.teg import Graph
from dask_tapestry.teg.node import topological
from dask_tapestry_kernels import compilation
from tests.comparisons import same_bits

CELLS = {
    "floats": np.array([-np.inf, -2.5, -0.0, 0.0, 0.1, 1.0, 3e300, np.nan, 7.7]),
    "float32": np.linspace(-3, 3, 9, dtype="f4"),
    "integers": np.arange(-4, 5),
    "bytes": np.arange(9, dtype="u1"),
    "complex": np.linspace(-1, 1, 9) * (1 + 2j),
}
CONSTANTS = (2.5, 0.1, -0.0, 0, 1, 3, np.inf, np.nan, 1e-310, 1 + 1j)
FUNCTIONS = (
    "add subtract multiply divide floor_divide remainder power float_power arctan2 hypot "
    "logaddexp maximum fmin copysign nextafter greater equal ldexp logical_and bitwise_xor"
).split()


def opened(*arrays):
    roots = [x.node for x in arrays]
    order = topological(roots)
    formulas = open_formulas(order)
    made = with_open_constants(roots, order, {}, formulas)
    return list(map(dt.Array, made)) if formulas else None


def told(x):
    """The value of an array, or the error, and what was warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = x.compute()
        except Exception as error:
            value = type(error)
    return value, sorted(str(one.message) for one in caught)


@pytest.mark.few(10)  # as unlike as so many can be
@pytest.mark.parametrize("cells", CELLS.values(), ids=CELLS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_warnings_are_those_of_the_constants(name, cells):
    x, tried = dt.asarray(cells), 0
    for constant in CONSTANTS:
        for operands in ((x, constant), (constant, x)):
            try:
                y = getattr(dt, name)(*operands)
            except (TypeError, ValueError, OverflowError):
                continue  # no such loop
            made = opened(y)
            if made is None:  # a simple power, which has no constant
                continue
            tried += 1
            (value, said), (other, said_too) = told(made[0]), told(y)
            assert value is other or same_bits(value, other), (name, operands)
            assert said == said_too, (name, operands)
    assert tried or name in {"ldexp", "bitwise_xor"} or cells.dtype.kind == "c"


PROGRAMS = {
    "sum": lambda x, a, b: (x * a + b).sum(),
    "means": lambda x, a, b: (x / a - b).mean(axis=0),
    "deviation": lambda x, a, b: dt.exp(-x / a).std(axis=1) + b,
    "scan": lambda x, a, b: (x * a).cumsum(axis=1) - b,
    "chosen": lambda x, a, b: dt.where(x > a, x, b),
    "counted": lambda x, a, b: (x > a).sum(axis=0) + b,
    "clipped": lambda x, a, b: dt.sort(dt.clip(x, -abs(a), abs(a)) * b, axis=0),
    "product": lambda x, a, b: (x * a) @ (x.T + b),
    "neighbours": lambda x, a, b: x[1:] * a - x[:-1] * b,
    "no dimensions": lambda x, a, b: (x.max() - a) * b,
    "complex": lambda x, a, b: abs(x * (a + 1j) + b).sum(axis=0),
}


@pytest.mark.few(6)  # as unlike as so many can be
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("mode", ["off", "wait"])
def test_programs_have_the_bits_of_their_constants(program, mode):
    x = dt.asarray(np.random.default_rng(0).normal(size=(64, 60)))
    with compilation.mode(mode):
        for a, b in [(0.3, -7.1), (1.0, 0.0), (-2.5, 3)]:
            y = program(x, a, b)
            (made,) = opened(y)
            assert same_bits(made.compute(), y.compute())
            assert same_bits(made.compute(), made.compute(scheduler=dask.get))


def test_a_graph_has_an_array_for_each_constant():
    x = dt.asarray(np.arange(4.0))
    (made,) = opened(dt.where(x > 1.5, x * 2.5, 2.5))
    text = str(Graph([made.node]))
    assert text.count("memory() : float64[]") == 2  # 1.5, and 2.5 once
    assert "2.5" not in text


def test_what_is_not_opened():
    x = dt.asarray(np.arange(4.0))
    assert opened(x + x) is None
    assert opened(dt.ones(OPEN_CELLS + 1) * 2.5) is None
    assert opened(dt.asarray(np.array(["a", "b"])) == "a") is None
    with dt.config(algebra="fast"):
        assert opened(x * 2.5) is None
    assert opened(x * 2.5) is not None


def test_other_constants_are_planned_twice_and_then_found(monkeypatch):
    made = []
    monkeypatch.setattr(cache, "_planned", lambda *a, f=cache._planned: made.append("") or f(*a))
    x = np.linspace(0, 1, 37)
    for number in range(1, 9):
        y = (dt.asarray(x) - number / 7) / (number / 3)
        assert same_bits(y.compute(), (x - number / 7) / (number / 3))
    assert len(made) == 2
    for number in range(1, 9):  # these are one constant
        y = (dt.asarray(x) - number / 7) / (number / 7)
        assert same_bits(y.compute(), (x - number / 7) / (number / 7))
    assert len(made) == 4


def test_a_plan_for_other_constants_tells_of_its_own_graph():
    x = dt.asarray(np.linspace(0, 1, 41))
    for number in range(3):
        y = x * (number + 0.625)
        plan = plan_of([y.node])
        assert plan.written.roots == (y.node,)
        assert str(number + 0.625) in str(plan.written)


def test_same_constants_keep_a_plan_of_their_own():
    x = dt.asarray(np.linspace(0, 1, 43))
    first, again = (plan_of([(x * 1.375).node]) for _ in range(2))
    assert first.graph is again.graph
    assert "1.375" in str(first.graph)


def test_the_graph_with_inputs_is_made_once_for_all_constants(monkeypatch):
    made = []
    monkeypatch.setattr(
        OpenForm, "opened", lambda form, f=OpenForm.opened: made.append(form) or f(form)
    )
    x = np.linspace(0, 1, 47)
    for number in range(6):
        by, plus = number + 0.375, number / 3 + 0.1
        assert same_bits((dt.asarray(x) * by + plus).compute(), x * by + plus)
    assert len(made) == 1


def test_an_array_of_the_user_is_no_constant_though_it_holds_the_same():
    x = np.linspace(0, 1, 53)
    for by, plus in [(2.5, 2.5), (3.5, 3.5), (4.5, 0.25), (0.75, 4.5)]:
        y = dt.asarray(x) * by + dt.asarray([plus])  # known by its cells, as constants are
        assert same_bits(y.compute(), x * by + plus)
        z = dt.asarray(x) * by + dt.asarray(plus)
        assert same_bits(z.compute(), x * by + plus)

"""Comparisons of arrays that are functions of their coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy

from tests.comparisons.creation import creation
from tests.comparisons.selectors import selector
from tests.comparisons.table import Comparison, alike, each, mild, values

D, T = numpy.datetime64, numpy.timedelta64


def ranges() -> Iterator[Comparison]:
    given = (
        (numpy.uint8(5),),
        (numpy.float32(1), numpy.float32(3), numpy.float32(0.3)),
        (numpy.float16(4),),
        (True,),
        (3j,),
        (0, 3 + 3j, 1 + 1j),
        (2**63, 2**63 + 3),
        (D("2020-01-01"), D("2020-01-05")),
        (D("2020-01-05"), D("2020-01-01"), -2),
        (D("2020-01"), D("2020-05"), T(40, "D")),
        (D("2020-01-01"), 5),
        (D("2020-01-01"), T(3, "D"), T(12, "h")),
        (T(3, "m"), T(10, "h"), T(900, "s")),
        (T(5),),
        (3, T(5, "s")),
    )
    for bounds in given:
        yield creation(f"arange {bounds}", partial(_arange, bounds=bounds))
    dtypes = (
        ((2,), "?"),
        ((1, -1, -1), "?"),
        ((300,), "u1"),
        ((0, 5, 0.5), "i8"),
        ((4,), "m8[s]"),
        ((1, 5), "M8[D]"),
        (("2020", "2021"), "M8[M]"),
        ((3,), "c8"),
    )
    for bounds, dtype in dtypes:
        yield creation(f"arange {bounds} {dtype}", partial(_arange, bounds=bounds, dtype=dtype))


def _arange(np: Any, bounds: Any, dtype: Any = None) -> Any:
    return np.arange(*bounds, dtype=dtype)


def spaced(name: str, call: Callable[..., Any], ulp: int = 0) -> Comparison:
    return Comparison(name, call, partial(call, numpy), lambda: iter([()]), ulp)


def linspaces() -> Iterator[Comparison]:
    ends = (
        (0, 1),
        (5.5, -3.25),
        (1, 1),
        (numpy.float32(0), 0.7),
        (numpy.float16(1), numpy.float16(9)),
        (numpy.int8(-100), numpy.int8(100)),
        (0.0, 5e-324),
        (0, numpy.inf),
    )
    for start, stop in ends:
        for num, endpoint in ((0, True), (1, True), (7, True), (7, False)):
            yield spaced(
                f"linspace {start!r} {stop!r} {num} {endpoint}",
                lambda np, a=start, b=stop, n=num, e=endpoint: np.linspace(a, b, n, e),
            )
    for name in ("bartlett", "blackman", "hamming", "hanning"):
        yield spaced(name, lambda np, n=name: getattr(np, n)(12))._replace(ulp=None)
    yield spaced("kaiser", lambda np: np.kaiser(12, 2.5))._replace(ulp=None)
    yield spaced("linspace complex", lambda np: np.linspace(1j, 3 + 2j, 9), 2)
    yield spaced("linspace dtype", lambda np: np.linspace(-3, 4, 9, dtype=int))
    yield spaced("linspace step", lambda np: np.linspace(2, 3, 4, retstep=True)[0])


def spans(
    name: str, call: Callable[..., Any], kinds: Any = ("i4", "f4"), ulp: int = 0
) -> Comparison:
    return Comparison(
        name, call, partial(call, numpy), each(2, kinds, ((3,), (2, 1), ()), mild), ulp
    )


def numeric(name: str, call: Callable[..., Any], shapes: Any) -> Comparison:
    return alike(name, call, each(1, ("i1", "u8", "f4", "f8"), shapes))


def box_of(mask: Any) -> tuple[Any, Any]:
    places = numpy.argwhere(mask)
    if not len(places):
        return (numpy.full(mask.ndim, -1),) * 2
    return places.min(0), places.max(0)


def masks() -> Iterator[tuple[Any, ...]]:
    for dtype in ("?", "i1", "f8"):
        for shape in ((3, 4), (5,), (2, 3, 4), (0, 3), ()):
            x = values(shape, dtype)
            yield (x,)
            yield (x * numpy.zeros((), x.dtype) if dtype != "f8" else numpy.zeros(shape),)


def coordinates(x: Any) -> Any:
    return numpy.indices(x.shape)


SPACED = (
    *linspaces(),
    spans("linspace arrays", lambda np, a, b: np.linspace(a, b, 5)),
    spans("linspace axis", lambda np, a, b: np.linspace(a, b, 5, False, axis=-1)),
    spans("linspace tiny", lambda np, a, b: np.linspace(a * 0, b * 0, 5), ("f8",)),
    spaced("logspace", lambda np: np.logspace(-1, 2, 7), 2),
    spaced("logspace base", lambda np: np.logspace(0, 4, 5, base=2, dtype=int), 2),
    spans(
        "logspace arrays", lambda np, a, b: np.logspace(a, b, 4, base=[[2.0], [3.0]]), ("f8",), 2
    ),
    spaced("geomspace", lambda np: np.geomspace(1, 1000, 4), 2),
    spaced("geomspace negative", lambda np: np.geomspace(-2.0, -32, 5, False), 2),
    spaced("geomspace one", lambda np: np.geomspace(3, 9, 1), 2),
    spaced("geomspace dtype", lambda np: np.geomspace(1, 256, 9, dtype=int), 2),
    spans("geomspace arrays", lambda np, a, b: np.geomspace(a, b, 4, axis=-1), ("f8",), 2),
)
MATRICES = (
    creation("eye", lambda np: np.eye(3)),
    creation("eye wide", lambda np: np.eye(2, 5, 2, "i1")),
    creation("eye below", lambda np: np.eye(4, 3, -2, "?")),
    creation("eye outside", lambda np: np.eye(2, 3, 9, "c8")),
    creation("identity", lambda np: np.identity(3, "f4")),
    creation("tri", lambda np: np.tri(3, 5, 1)),
    creation("tri below", lambda np: np.tri(4, 2, -2, "i2")),
    creation("tri nothing", lambda np: np.tri(0, 2)),
    creation("tril_indices", lambda np: np.tril_indices(4, 1, 3)),
    creation("triu_indices", lambda np: np.triu_indices(4, -1)),
    numeric("vander", lambda np, x: np.vander(x, 4), ((3,), (0,))),
)
GRIDS = (
    creation("indices", lambda np: np.indices((2, 3))),
    creation("indices float", lambda np: np.indices((2, 3), "f4")),
    creation("indices sparse", lambda np: np.indices((2, 3), sparse=True)),
    creation("indices nothing", lambda np: np.indices((0, 3))),
    creation("indices rank", lambda np: np.indices(())),
    creation("fromfunction", lambda np: np.fromfunction(lambda i, j: i * 10 - j, (3, 2))),
    creation("fromfunction int", lambda np: np.fromfunction(lambda i: i == 2, (5,), dtype="i2")),
    selector("meshgrid", lambda np, *xs: tuple(np.meshgrid(*xs)), ((3,), (1,), (0,)), 3),
    selector("meshgrid ij", lambda np, x: tuple(np.meshgrid(x, x[1:], indexing="ij")), ((4,),)),
    selector("meshgrid sparse", lambda np, x: tuple(np.meshgrid(x, x[1:], sparse=True)), ((4,),)),
    Comparison(
        "index_tensor",
        lambda dt, x: dt.index_tensor(x),
        coordinates,
        each(1, ["f4"], ((2, 3), (4,), (), (0, 2))),
    ),
    Comparison(
        "index_tensor part",
        lambda dt, x: dt.index_tensor(x)[:, ::-1, 1:].transpose(2, 0, 1),
        lambda x: coordinates(x)[:, ::-1, 1:].transpose(2, 0, 1),
        each(1, ["f4"], ((2, 3),)),
    ),
    Comparison("bounding_box", lambda dt, x: dt.bounding_box(x), box_of, masks),
)
COPIES = (
    selector("array", lambda np, x: np.array(x, ndmin=4)),
    selector("copy", lambda np, x: np.copy(x)),
    selector("asanyarray", lambda np, x: np.asanyarray(x)),
    selector("ascontiguousarray", lambda np, x: np.ascontiguousarray(x), ((2, 3), ())),
    selector("asfortranarray", lambda np, x: np.asfortranarray(x), ((2, 3), ())),
)
COMPARISONS = (*ranges(), *SPACED, *MATRICES, *GRIDS, *COPIES)

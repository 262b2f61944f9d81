"""Steps of a pipeline: from a dataset to a dataset, whatever arrays it holds."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from xarray.groupers import BinGrouper, UniqueGrouper

Call = Callable[[xr.Dataset], xr.Dataset]
EXACT, ROUNDED, JUMP = "exact", "rounded", "jump"
FOLDS = ("sum", "mean", "min", "max", "count", "std", "var", "median", "prod", "any", "all")
ORDER_FREE = ("min", "max", "count", "any", "all", "first", "last")


class Step(NamedTuple):
    """A step as it is drawn.

    Attributes
    ----------
    text
        What it does.
    call
        Makes a dataset of one.
    trust
        Whether cells are the same bits, or rounded; a jump may make any difference of one that is
        within rounding.
    """

    text: str
    call: Call
    trust: str = EXACT


def _fold(name: str) -> str:
    return EXACT if name in ORDER_FREE else ROUNDED


def _numbers(data: xr.Dataset) -> xr.Dataset:
    return data.map(lambda v: v.astype("f8") if v.dtype.kind in "b" else v, keep_attrs=True)


def _dim(random: Random, data: xr.Dataset) -> str | None:
    dims = sorted(map(str, data.dims))
    return random.choice(dims) if dims else None


def reduced(random: Random, data: xr.Dataset) -> Step:
    name, dim = random.choice(FOLDS), _dim(random, data)
    options: dict[str, Any] = {"keep_attrs": random.choice([True, False, None])}
    if name in ("std", "var"):
        options["ddof"] = random.choice([0, 1])
    if name in ("sum", "prod", "mean", "min", "max") and random.random() < 0.3:
        options["skipna"] = random.choice([True, False])
    if name in ("sum", "prod") and random.random() < 0.3:
        options["min_count"] = random.randint(1, 4)
    return Step(
        f"{name}({dim}, {options})", lambda d: getattr(d, name)(dim, **options), _fold(name)
    )


def quantiles(random: Random, data: xr.Dataset) -> Step:
    dim, q = _dim(random, data), random.choice([0.5, [0.25, 0.75], 0.1])

    def call(d: xr.Dataset) -> xr.Dataset:
        whole = _numbers(d).chunk({dim: -1}) if _is_lazy(d) else _numbers(d)
        return whole.quantile(q, dim)

    return Step(f"quantile({q}, {dim})", call, ROUNDED)


def _is_lazy(data: xr.Dataset) -> bool:
    return any(v.chunks is not None for v in data.variables.values())


def groups(random: Random, data: xr.Dataset) -> Step:
    if random.random() < 0.1:
        edges, name = [0, random.random(), 2], random.choice(FOLDS[:9])
        return Step(
            f"groupby_bins(lazy area, {edges}).{name}()",
            lambda d: getattr(_over(d, "area").groupby_bins("area", edges), name)(),
            _fold(name),
        )
    by, grouped = _grouping(random)
    name, take = _of_groups(random, data)
    if random.random() < 0.6:
        return Step(f"{by}.{name}", lambda d: take(grouped(d)), _fold(name.split("(")[0]))
    key, name = random.choice(["phase", "time.month"]), random.choice([*FOLDS[:7], "first", "last"])

    def anomaly(d: xr.Dataset) -> xr.Dataset:
        own = _numbers(d).unify_chunks().groupby(key)  # which asks for common chunks
        return own - getattr(own, name)()

    return Step(f"anomaly of groupby({key}).{name}()", anomaly, _fold(name))


def _grouping(random: Random) -> tuple[str, Callable[[xr.Dataset], Any]]:
    """A way to group a dataset, as a text too."""
    edges = sorted(random.sample(range(-1, 30), 3))
    areas, by = [e / 13 for e in edges], random.choice(["2D", "5D", "MS", "W"])
    labels = random.sample(range(5), random.randint(1, 4))
    phase, bins = UniqueGrouper(), BinGrouper(edges)
    kinds: list[tuple[str, Callable[[xr.Dataset], Any]]] = [
        *[(f"groupby({k})", lambda d, k=k: d.groupby(k)) for k in ("phase", "time.month", "y")],
        ("groupby([phase, time.dayofweek])", lambda d: d.groupby(["phase", "time.dayofweek"])),
        (f"groupby_bins(x, {edges})", lambda d: d.groupby_bins("x", edges)),
        (
            f"groupby_bins(area, {areas})",
            lambda d: d.assign_coords(area=d["area"].compute()).groupby_bins("area", areas),
        ),
        (
            f"groupby_bins(lazy area, {areas})",
            lambda d: _over(d, "area").groupby_bins("area", areas),
        ),
        (f"groupby(phase, x={edges})", lambda d: d.groupby(phase=phase, x=bins)),
        (f"groupby(phase=labels {labels})", lambda d: d.groupby(phase=UniqueGrouper(labels))),
        (f"resample({by})", lambda d: d.resample(time=by)),
        ("groupby(where)", lambda d: d.groupby(d["phase"].where(d["phase"] > 0))),
    ]
    return random.choice(kinds)


def _over(data: xr.Dataset, name: str) -> xr.Dataset:
    """The variables over all of a coordinate's dimensions, of which cells may be missing."""
    dims = set(data[name].dims)
    return data[[n for n, v in data.data_vars.items() if dims <= set(v.dims)]].astype("f8")


def _of_groups(random: Random, data: xr.Dataset) -> tuple[str, Call]:
    """What is made of groups, along their own dimension, others too, or another alone."""
    name = random.choice((*FOLDS, "first", "last", "quantile", "cumsum", "cumprod", "reduce"))
    if name in ("first", "last"):
        skipna = random.choice([None, True, False])
        return f"{name}({skipna})", lambda g: getattr(g, name)(skipna)
    dim = random.choice([None, None, None, ..., _dim(random, data), [*map(str, data.dims)]])
    options: dict[str, Any] = {"keep_attrs": random.choice([True, False, None])}
    if name == "quantile":
        q = random.choice([0.5, [0.1, 0.7]])
        return f"quantile({q}, {dim})", lambda g: g.quantile(q, dim)
    if name == "reduce":
        function = random.choice([np.mean, np.nanmax, np.sum, np.ptp])
        return f"reduce({function}, {dim})", lambda g: g.reduce(function, dim, **options)
    if name in ("std", "var"):
        options["ddof"] = random.choice([0, 1])
    if name not in ("count", "any", "all") and random.random() < 0.3:
        options["skipna"] = random.choice([True, False])
    if name in ("sum", "prod") and random.random() < 0.3:
        options["min_count"] = random.randint(1, 4)
    return f"{name}({dim}, {options})", lambda g: getattr(g, name)(dim, **options)


def rolling(random: Random, data: xr.Dataset) -> Step:
    dim = _dim(random, data)
    width = random.randint(1, max(1, min(5, data.sizes[dim]))) if dim else 1
    options = {"center": random.random() < 0.5, "min_periods": random.choice([None, 1, width])}
    name = random.choice(["mean", "sum", "max", "min", "count", "std", "median"])
    text = f"rolling({dim}={width}, {options}).{name}()"
    return Step(
        text, lambda d: getattr(_numbers(d).rolling({dim: width}, **options), name)(), _fold(name)
    )


def windows(random: Random, data: xr.Dataset) -> Step:
    dim = _dim(random, data)
    width = random.randint(1, max(1, min(4, data.sizes[dim]))) if dim else 1
    weights = xr.DataArray(np.arange(1.0, width + 1) / width, dims="window")
    center, name = random.random() < 0.5, random.choice(["mean", "max", "weights", "weighted"])

    def call(d: xr.Dataset) -> xr.Dataset:
        seen = _numbers(d).rolling({dim: width}, center=center).construct("window")
        if name == "weights":
            return (seen * weights).sum("window")
        if name == "weighted":
            return seen.weighted(weights).mean("window")
        return getattr(seen, name)("window")

    return Step(f"rolling({dim}={width}).construct().{name}", call, _fold(name))


def weighted(random: Random, data: xr.Dataset) -> Step:
    dims = random.choice([["x"], ["y"], ["y", "x"]])
    name = random.choice(["mean", "sum", "std", "sum_of_weights"])
    return Step(
        f"weighted(area).{name}({dims})",
        lambda d: getattr(_numbers(d).weighted(d["area"].fillna(0)), name)(dims),
        ROUNDED,
    )


def coarsened(random: Random, data: xr.Dataset) -> Step:
    dim = _dim(random, data)
    width = random.randint(1, max(1, min(4, data.sizes[dim]))) if dim else 1
    name, boundary = random.choice(["mean", "max", "sum", "std"]), random.choice(["trim", "pad"])
    return Step(
        f"coarsen({dim}={width}, {boundary}).{name}()",
        lambda d: getattr(_numbers(d).coarsen({dim: width}, boundary=boundary), name)(),
        _fold(name),
    )


def stacked(random: Random, data: xr.Dataset) -> Step:
    if "place" in data.dims:
        return Step("unstack()", lambda d: d.unstack())
    if random.random() < 0.5:
        return Step("stack().unstack()", lambda d: d.stack(place=("y", "x")).unstack("place"))
    return Step("stack(place=(y, x))", lambda d: d.stack(place=("y", "x")))


def moved(random: Random, data: xr.Dataset) -> Step:
    dim, n = _dim(random, data), random.randint(-3, 3)
    kinds: list[tuple[str, Call]] = [
        (f"shift({dim}={n})", lambda d: d.shift({dim: n})),
        (f"roll({dim}={n})", lambda d: d.roll({dim: n}, roll_coords=n % 2 == 0)),
        (f"pad({dim}=(1, 2), wrap)", lambda d: d.pad({dim: (1, 2)}, mode="wrap")),
        (f"pad({dim}=(2, 0))", lambda d: d.pad({dim: (2, 0)})),
        (f"sortby({dim}, descending)", lambda d: d.sortby(dim, ascending=False)),
        (f"transpose(..., {dim})", lambda d: d.transpose(..., dim)),
        (f"concat twice along {dim}", lambda d: xr.concat([d, d], dim)),
        ("expand_dims(k=3)", lambda d: d.expand_dims(k=3)),
    ]
    return Step(*random.choice(kinds))


def differences(random: Random, data: xr.Dataset) -> Step:
    dim = _dim(random, data)
    kinds: list[tuple[str, Call]] = [
        (f"diff({dim})", lambda d: _numbers(d).diff(dim)),
        (f"cumsum({dim})", lambda d: d.cumsum(dim)),
        (f"differentiate({dim})", lambda d: _numbers(d).differentiate(dim)),
        (f"integrate({dim})", lambda d: _numbers(d).integrate(dim)),
        (f"polyfit({dim})", lambda d: _numbers(d).fillna(0).polyfit(dim, 1)),
    ]
    return Step(*random.choice(kinds), ROUNDED)


def interpolated(random: Random, data: xr.Dataset) -> Step:
    """Of float64: of float32 xarray declares float32 and makes float64."""
    where = sorted(random.uniform(-1, 12) for _ in range(random.randint(1, 5)))
    method = random.choice(["linear", "nearest"])
    return Step(
        f"interp(y={where}, {method})",
        lambda d: d.astype("f8").interp(y=where, method=method),
        ROUNDED,
    )


def picked(random: Random, data: xr.Dataset) -> Step:
    dim = _dim(random, data)
    n = data.sizes[dim] if dim else 1
    places = [random.randrange(-n, n) for _ in range(random.randint(1, 6))] if n else [0]
    start, step = random.randint(0, n), random.choice([1, 2, -1])
    pointwise = xr.DataArray([p % 2 for p in places], dims="points")
    kinds: list[tuple[str, Call]] = [
        (f"isel({dim}={places})", lambda d: d.isel({dim: places})),
        (f"isel({dim}={start}::{step})", lambda d: d.isel({dim: slice(start, None, step)})),
        (f"isel({dim}=-1)", lambda d: d.isel({dim: -1})),
        ("pointwise isel", lambda d: d.isel(y=pointwise, time=pointwise)),
        ("sel(y=3, nearest)", lambda d: d.sel(y=3, method="nearest")),
        ("sel(time=february)", lambda d: d.sel(time="2001-02")),
        ("reindex(x)", lambda d: d.reindex(x=[3, 0, 9, 1])),
        (f"thin({dim}=2)", lambda d: d.thin({dim: 2})),
    ]
    return Step(*random.choice(kinds))


def filled(random: Random, data: xr.Dataset) -> Step:
    limit = random.choice([0, 2.5, 7])
    kinds: list[tuple[str, Call, str]] = [
        (f"where(> {limit})", lambda d: d.where(d > limit), JUMP),
        (f"where(> {limit}, -1)", lambda d: d.where(d > limit, -1), JUMP),
        ("fillna(3)", lambda d: d.fillna(3), EXACT),
        ("isnull()", lambda d: d.isnull(), EXACT),
        (f"clip(0, {limit})", lambda d: _numbers(d).clip(0, limit), EXACT),
        ("round()", lambda d: _numbers(d).round(1), JUMP),
        ("astype(f4)", lambda d: d.astype("f4"), ROUNDED),
        ("* 2 + area", lambda d: d * 2 + d["area"], ROUNDED),
        ("where(drop=True)", lambda d: d.where(d["x"] < 3, drop=True), EXACT),
        ("assign", lambda d: d.assign(z=d["a"] * 2), EXACT),
        ("-", lambda d: -_numbers(d), EXACT),
        ("idxmax(time)", lambda d: _numbers(d).fillna(0).idxmax("time"), JUMP),
        ("argmin(time)", lambda d: _numbers(d).fillna(0).argmin("time"), JUMP),
        ("merge", lambda d: xr.merge([d, d.rename({n: f"{n}2" for n in d.data_vars})]), EXACT),
        ("to_array", lambda d: d.to_array("kind").to_dataset(name="a"), EXACT),
        ("dot", lambda d: d.assign(z=xr.dot(d["a"].fillna(0), d["area"], dim="x")), ROUNDED),
        ("assign_coords(chunked)", lambda d: d.assign_coords(c=d["a"] * 1), EXACT),
    ]
    return Step(*random.choice(kinds))


def _scaled(cells: np.ndarray, by: float = 2) -> np.ndarray:
    return cells * by


def _center(cells: np.ndarray) -> np.ndarray:
    return cells - cells[..., :1]


def applied(random: Random, data: xr.Dataset) -> Step:
    dim = _dim(random, data)
    whole = {"dask_gufunc_kwargs": {"allow_rechunk": True}}

    def core(d: xr.Dataset) -> xr.Dataset:
        return xr.apply_ufunc(
            _center, d[["a"]].astype("f8"), input_core_dims=[[dim]], output_core_dims=[[dim]],
            dask="parallelized", output_dtypes=[np.float64], keep_attrs=True, **whole,
        )  # fmt: skip

    def mapped(d: xr.Dataset) -> xr.Dataset:
        lazy = _numbers(d).unify_chunks()
        return lazy.map_blocks(lambda b: b * 3, template=lazy * 3)

    def made(d: xr.Dataset) -> xr.Dataset:
        lazy, levels = _numbers(d).unify_chunks(), xr.DataArray(np.arange(4.0), dims="level")
        return lazy.map_blocks(lambda b: b * levels, template=lazy * levels)

    kinds: list[tuple[str, Call]] = [
        (
            "apply_ufunc(parallelized)",
            lambda d: xr.apply_ufunc(_scaled, d, dask="parallelized", keep_attrs=True),
        ),
        (
            "apply_ufunc(allowed)",
            lambda d: xr.apply_ufunc(np.negative, _numbers(d), dask="allowed"),
        ),
        (f"apply_ufunc(core {dim})", core),
        ("map_blocks(template)", mapped),
        ("map_blocks(new dimension)", made),
        ("map_blocks()", lambda d: d.unify_chunks().map_blocks(lambda b: b + 1)),
    ]
    return Step(*random.choice(kinds), ROUNDED)


DRAWS = (
    reduced, reduced, quantiles, groups, groups, groups, rolling, windows, weighted,
    coarsened, stacked, moved, moved, differences, interpolated, picked, picked, filled, filled,
    applied,
)  # fmt: skip


def step(random: Random, data: xr.Dataset) -> Step:
    """A step for a dataset."""
    return random.choice(DRAWS)(random, data)

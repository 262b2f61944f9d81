"""Comparisons of variates: what their kernels make of the whole, and of NumPy's shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry_kernels.devices import kernels_of
from tests.comparisons.random import SEED, SHAPE, exponential, new, normal, row, seeded
from tests.comparisons.table import Comparison


def told(shape: tuple[int, ...]) -> dict[str, Any]:
    key = tuple(np.random.SeedSequence(SEED).generate_state(2, np.uint64).tolist())
    return {"key": key, "draw": (0, 0), "frame": shape, "places": tuple(map(range, shape))}


def whole(draw: str, *given: Any, shape: tuple[int, ...] = SHAPE) -> np.ndarray:
    """All cells at once; parameters are numbers, or arrays of the shape."""
    arrays = [np.asarray(g, float) for g in given if isinstance(g, np.ndarray)]
    numbers = [None if isinstance(g, np.ndarray) else g for g in given]
    return kernels_of("cpu")["variates"](None, *arrays, draw_of=draw, given=numbers, **told(shape))


def rows(draw: str, total: int, weights: list[Any]) -> np.ndarray:
    cells = np.broadcast_to(np.array(weights), (*SHAPE, len(weights)))
    part = slice(0, len(weights))
    return kernels_of("cpu")["variaterows"](
        None, cells, draw_of=draw, total=total, part=part, **told(SHAPE)
    )


def same(name: str, *given: Any, draw: str | None = None) -> Comparison:
    """A row of a function of the module, whose cells are those of a draw."""
    return row(
        name,
        lambda dt: getattr(seeded(dt), name)(*given, SHAPE),
        lambda: whole(draw or name, *given),
    )


def shares(alpha: list[float]) -> np.ndarray:
    sizes = np.broadcast_to(np.array(alpha), (*SHAPE, len(alpha)))
    logarithms = whole("log_gamma", sizes, shape=sizes.shape)
    powers = np.exp(logarithms - logarithms.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def covariance_factor(cov: list[list[float]]) -> np.ndarray:
    _, sizes, vectors = np.linalg.svd(np.array(cov, float))
    return np.sqrt(sizes)[:, None] * vectors


def trials(p: float) -> np.ndarray:
    return np.ceil(exponential() / -np.log1p(-p)).astype("i8")


MEANS = np.arange(24).reshape(SHAPE) * 1.5

COMPARISONS = (
    same("standard_gamma", 2.5, draw="gamma"),
    row(
        "gamma",
        lambda dt: seeded(dt).gamma(2.5, 3, SHAPE),
        lambda: whole("gamma", 2.5) * 3,
    ),
    row(
        "gamma arrays",
        lambda dt: new(dt).gamma(dt.asarray(MEANS) + 0, size=SHAPE),
        lambda: whole("gamma", MEANS),
    ),
    same("beta", 2.0, 3.0),
    same("chisquare", 3.0),
    same("noncentral_chisquare", 3.0, 2.0),
    same("f", 4.0, 7.0),
    same("noncentral_f", 4.0, 7.0, 2.0),
    same("standard_t", 4.0),
    same("wald", 2.0, 3.0),
    same("vonmises", 0.5, 2.0),
    same("poisson", 4.0),
    row(
        "poisson arrays",
        lambda dt: new(dt).poisson(dt.asarray(MEANS) + 0),
        lambda: whole("poisson", MEANS),
    ),
    same("binomial", 20, 0.25),
    same("negative_binomial", 5.0, 0.25),
    same("hypergeometric", 20, 30, 12),
    same("logseries", 0.5),
    same("zipf", 2.5),
    row("geometric", lambda dt: seeded(dt).geometric(0.25, SHAPE), lambda: trials(0.25)),
    row(
        "dirichlet",
        lambda dt: seeded(dt).dirichlet([2, 3, 5], SHAPE),
        lambda: shares([2, 3, 5]),
        ulp=16,
    ),
    row(
        "multinomial",
        lambda dt: seeded(dt).multinomial(9, [0.25, 0.5, 0.25], SHAPE),
        lambda: rows("multinomial", 9, [0.25, 0.5, 0.25]),
    ),
    row(
        "multivariate_normal",
        lambda dt: seeded(dt).multivariate_normal([1, 2], [[2, 1], [1, 2]], 6),
        lambda: normal((6, 2)) @ covariance_factor([[2, 1], [1, 2]]) + [1, 2],
        ulp=None,
    )._replace(one_value=False),
    row(
        "default_rng multivariate_hypergeometric",
        lambda dt: new(dt).multivariate_hypergeometric([5, 7, 9], 6, SHAPE),
        lambda: rows("multivariate_hypergeometric", 6, [5, 7, 9]),
    ),
)

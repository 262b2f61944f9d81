"""Phrases of random numbers: their value computed whole is what every sharding must give."""

from __future__ import annotations

from tests.fuzz.phrases import Phrase

ARGUMENTS = {
    "beta": "2.0, 3.0", "binomial": "9, 0.3", "chisquare": "2",
    "exponential": "{1|2.5}",
    "f": "3, 4", "gamma": "{0.5|2.0}, 2.0", "geometric": "0.3", "gumbel": "0, 2",
    "hypergeometric": "5, 6, 4", "laplace": "1, 2", "logistic": "1, 2", "lognormal": "0, 1",
    "logseries": "0.4", "negative_binomial": "3, 0.4", "noncentral_chisquare": "3, 1",
    "noncentral_f": "3, 4, 1", "normal": "{0|1.5}, {1|2}", "pareto": "3", "poisson": "{0.5|20}",
    "power": "2", "rayleigh": "1.5", "standard_cauchy": "", "standard_exponential": "",
    "standard_gamma": "{0.3|2}", "standard_normal": "", "standard_t": "4",
    "triangular": "0, 1, 3", "uniform": "{0|-1}, 2", "vonmises": "0, 2", "wald": "1, 2",
    "weibull": "1.5", "zipf": "2.5",
}  # fmt: skip
SIZE = "size={(6,)|(3, 4)|(2, 0)|()|(40,)}"
OTHERS = {
    "choice": "{5|xp.ravel(x)}, {4|(2, 3)}", "dirichlet": "[1.0, 2.0, 3.0], size=4",
    "multinomial": "9, [0.2, 0.3, 0.5], size={5|(2, 2)}",
    "multivariate_hypergeometric": "[3, 4, 5], 4, size=5",
    "multivariate_normal": "[0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]], size={5|(2, 3)}",
    "permutation": "{7|xp.atleast_1d(x)}",
}  # fmt: skip


def _ours(text: str) -> Phrase:
    return Phrase(text, "rounded", theirs="ours")


def _calls(made: str) -> dict[str, str]:
    calls = {
        name: f"{made}.{name}({', '.join([*([text] if text else []), SIZE])})"
        for name, text in ARGUMENTS.items()
    }
    return calls | {name: f"{made}.{name}({text})" for name, text in OTHERS.items()}


def _methods(kind: str, made: str, more: dict[str, str]) -> dict[str, tuple[Phrase, ...]]:
    calls = _calls(made) | {name: f"{made}.{text}" for name, text in more.items()}
    return {f"random.{kind}.{name}": (_ours(text),) for name, text in calls.items()}


GENERATOR = _methods(
    "Generator",
    "dt.random.default_rng({seed})",
    {
        "random": "random({(5,)|(3, 4)}, dtype={real})",
        "integers": "integers({0|-3}, {5|9}, size={(7,)|(2, 3)}, dtype={'i8'|'u1'|'i2'})",
    },
)
STATE = _methods(
    "RandomState",
    "dt.random.RandomState({seed})",
    {
        "rand": "rand(3, {n})", "randn": "randn(2, {n})", "random": "random((3, 4))",
        "random_sample": "random_sample((5,))", "randint": "randint(0, 9, size=(3, 4))",
        "random_integers": "random_integers(1, 6, size=5)", "tomaxint": "tomaxint(5)",
        "integers": "integers(2, 9, size=(4, 2))",
    },
)  # fmt: skip
ORDERS: dict[str, tuple[Phrase | str, ...]] = {
    "random.Generator.permuted": (
        Phrase("xp.sort(seeded({seed}).permuted(x, axis={WITHIN}), axis={WITHIN})", "jump", "",
               "np.sort(x, axis={WITHIN})"),
        _ours("dt.random.default_rng({seed}).permuted(x, axis={None|{within}})"),
    ),
    "random.Generator.shuffle": (
        Phrase("xp.sort(shuffled_by(seeded({seed}), x), axis=0)", "jump", "lanes",
               "np.sort(x, axis=0)[...]"),
    ),
    "random.Generator.bytes": (
        Phrase("dt.asarray(list(seeded({SEED}).bytes(5)))", "jump", "none",
               "np.array(list(seeded({SEED}).bytes(5)))"),
    ),
    "random.RandomState.permuted": (
        Phrase("xp.sort(dt.random.RandomState({seed}).permuted(x, axis={WITHIN}), axis={WITHIN})",
               "jump", "", "np.sort(x, axis={WITHIN})"),
    ),
    "random.RandomState.shuffle": (
        Phrase("xp.sort(shuffled_by(dt.random.RandomState({seed}), x), axis=0)", "jump", "lanes",
               "np.sort(x, axis=0)[...]"),
    ),
    "random.Generator.spawn": (_ours("dt.random.default_rng({seed}).spawn(2)[1].normal(size=5)"),),
    "random.default_rng": (_ours("dt.random.default_rng([{n}, 7]).random((3, 4))"),),
    "random.Generator.choice of weights": (
        _ours("seeded({seed}).choice(5, {4|(2, 3)}, p=[0.1, 0.2, 0.3, 0.4, 0.0])"),
        _ours("seeded({seed}).choice(9, 5, replace=False)"),
    ),
}  # fmt: skip
PHRASES: dict[str, tuple[Phrase | str, ...]] = {**GENERATOR, **STATE, **ORDERS}

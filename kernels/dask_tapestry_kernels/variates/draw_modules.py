"""Which module of `child` draws which distribution."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

FUNCTIONS: Final = {
    "real_draws": "gamma log_gamma beta chisquare noncentral_chisquare f noncentral_f standard_t "
    "wald vonmises",
    "count_draws": "poisson binomial",
    "rare_draws": "negative_binomial hypergeometric logseries zipf",
    "row_draws": "multinomial multivariate_hypergeometric",
}
MODULES: Final = MappingProxyType(
    {name: module for module, names in FUNCTIONS.items() for name in names.split()}
)

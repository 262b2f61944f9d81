"""Phrases of folds, scans, quantiles, histograms and tests of hypotheses."""

from __future__ import annotations

from tests.fuzz.phrases import Phrase

FOLD = "(x, axis={axes}, keepdims={bool})"
WHERE = "(x, axis={axes}, where=x {>|!=} {0|1})"


def _folds(trust: str, names: str, *more: str) -> dict[str, tuple[Phrase, ...]]:
    return {
        name: tuple(Phrase(f"xp.{name}{text}", trust) for text in (FOLD, *more))
        for name in names.split()
    }


def _quantiles(name: str, percent: bool) -> tuple[Phrase, ...]:
    q = "{0|10|50|99.5|100|[25, 75]}" if percent else "{{q}|[0.25, 0.75]}"
    weighted = "" if name.startswith("nan") else "xp."
    made = [
        Phrase(f"xp.{name}(x, {q}, axis={{axes}}, keepdims={{bool}})", "rounded"),
        Phrase(f"xp.{name}(x, {q}, axis={{axis}}, method={{method}})", "rounded", "lanes"),
    ]
    if weighted:
        text = f"xp.{name}(x, {q}, axis=0, weights=abs(y) + 1, method='inverted_cdf')"
        made.append(Phrase(text, "rounded", "lanes"))
    return tuple(made)


def _same_place(name: str) -> tuple[Phrase, ...]:
    return (Phrase(f"xp.{name}(x, axis={{axis}}, keepdims={{bool}})"),)


INITIAL = "(x, axis={axes}, initial={0|2|-1})"
TYPED = "(x, axis={axes}, dtype={dtype})"
HISTOGRAM = "bins={4|[-2, 0, 1.5, 3]|10}, range={None|(-3, 3)}"
ESTIMATED = "'{auto|doane|fd|rice|scott|sqrt|sturges}', {None|(-1, 3)|(0, 0)}"

FOLDS = {
    **_folds("fold", "sum prod", WHERE, INITIAL, TYPED),
    **_folds("fold", "nansum nanprod", WHERE, TYPED),
    **_folds("fold", "mean nanmean", WHERE, TYPED),
    **_folds("rounded", "var std nanvar nanstd", "(x, axis={axes}, ddof={0|1|2})", WHERE),
    **_folds("jump", "max min amax amin", INITIAL, "(x, axis={axes}, initial=1, where=x != 2)"),
    **_folds("jump", "nanmax nanmin all any", "(x, axis={axes})"),
    **_folds("jump", "count_nonzero ptp"),
    **_folds("rounded", "median nanmedian"),
    **{name: _same_place(name) for name in ("argmax", "argmin", "nanargmax", "nanargmin")},
    **{name: _quantiles(name, False) for name in ("quantile", "nanquantile")},
    **{name: _quantiles(name, True) for name in ("percentile", "nanpercentile")},
}
SCANS = {
    **{
        name: (Phrase(f"xp.{name}(x, axis={{axis}}, dtype={{None|{{dtype}}}})", "fold"),)
        for name in ("cumsum", "cumprod", "nancumsum", "nancumprod")
    },
    **{
        name: (Phrase(f"xp.{name}(x, axis={{axis}}, include_initial={{bool}})", "fold"),)
        for name in ("cumulative_sum", "cumulative_prod")
    },
    "cummax": (Phrase("dt.cummax(x, {AXIS})", theirs="cumulated('maximum', x, {AXIS})"),),
    "cummin": (Phrase("dt.cummin(x, {AXIS})", theirs="cumulated('minimum', x, {AXIS})"),),
    "logcumsumexp": (
        Phrase("dt.logcumsumexp(x, 0)", "rounded", "samples", "cumulated('logaddexp', x, 0)"),
    ),
    "diff": (Phrase("xp.diff(x, {0|1|2}, {place}, {prepend=x|append=x|prepend=0|append=1})"),),
    "ediff1d": (Phrase("xp.ediff1d(x, {None|1}, {None|[1]})"),),
    "trapezoid": (
        Phrase("xp.trapezoid(x, {None|x}, {1.0|0.5}, {place})", "rounded"),
        Phrase("xp.trapezoid(x, dx={2|0.25}, axis={place})", "rounded"),
    ),
    "unwrap": (Phrase("xp.unwrap(x, {None|4}, {place}, period={3|4|6.5})", "jump"),),
    "gradient": (
        Phrase("xp.gradient(x, {1|2.5}, axis={None|{place}}, edge_order={1|2})", "rounded"),
    ),
}
MOMENTS = {
    "average": (
        Phrase("xp.average(x, axis={axis}, keepdims={bool})", "rounded"),
        Phrase("xp.average(x, axis=0, weights=abs(y) + 1, returned={bool})", "rounded", "lanes"),
    ),
    "moment": (
        Phrase(
            "dt.moment(x, {K}, axis={AXIS})".replace("K", "N"),
            "rounded",
            "samples",
            "moment(x, {N}, {AXIS})",
        ),
    ),
    "cov": (
        Phrase("xp.cov(x, rowvar={bool}, bias={bool}, ddof={None|0|1})", "rounded", "samples"),
        Phrase("xp.cov(x, y)", "rounded", "samples"),
    ),
    "corrcoef": (Phrase("xp.corrcoef(x, rowvar={bool})", "rounded", "samples"),),
}
HISTOGRAMS = {
    "bincount": (
        Phrase("xp.bincount(x, minlength={0|5})", "jump", "counts"),
        Phrase("xp.bincount(x, weights=y)", "fold", "counts"),
    ),
    "histogram": (
        Phrase(f"xp.histogram(x, {HISTOGRAM}, density={{bool}})", "jump"),
        Phrase(f"xp.histogram(x, {HISTOGRAM}, weights=y)", "fold", "lanes"),
        Phrase(f"xp.histogram(x, {ESTIMATED})", "rounded", "samples"),
    ),
    "histogram_bin_edges": (
        Phrase(f"xp.histogram_bin_edges(x, {HISTOGRAM})", "rounded"),
        Phrase(f"xp.histogram_bin_edges(x, {ESTIMATED})", "rounded", "samples"),
    ),
    "histogram2d": (
        Phrase(
            "xp.histogram2d(x[:, 0], x[:, 1], bins={3|(2, 4)|[[-2, 0, 1], [0, 1, 2]]},"
            " range={None|[(-3, 3), (-3, 3)]}, weights={None|y}, density={bool})",
            "rounded",
            "points",
        ),
    ),
    "histogramdd": (
        Phrase("xp.histogramdd(x, {3|(2, 4)}, weights={None|y})", "rounded", "points"),
    ),
}


def _tests() -> dict[str, tuple[Phrase, ...]]:
    """Functions of SciPy's, beside our own value whole."""
    calls = {
        "chisquare": "(abs(x) + 1, axis={0|None|-1})",
        "power_divergence": "(abs(x) + 1, lambda_={None|'neyman'|2.0})",
        "f_oneway": "(xp.ravel(x), xp.ravel(y))",
        "ttest_1samp": "(x, 0.5, axis={0|-1})",
        "ttest_ind": "(x, y, axis={0|-1}, equal_var={bool})",
        "ttest_rel": "(x, y, axis={0|-1})",
        "kurtosis": "(x, axis={0|None|-1}, fisher={bool}, bias={bool})",
        "moment": "(x, {2|3}, axis={0|None|-1})",
        "skew": "(x, axis={0|None|-1}, bias={bool})",
        "kurtosistest": "(xp.ravel(x))",
        "normaltest": "(xp.ravel(x))",
        "skewtest": "(xp.ravel(x))",
    }
    return {
        f"stats.{name}": (Phrase(f"dt.stats.{name}{text}", "rounded", "samples", "ours"),)
        for name, text in calls.items()
    }


PHRASES: dict[str, tuple[Phrase | str, ...]] = {
    **FOLDS, **SCANS, **MOMENTS, **HISTOGRAMS, **_tests(),
}  # fmt: skip

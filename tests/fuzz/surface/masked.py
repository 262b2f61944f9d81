"""Phrases of masked arrays: what they hold where nothing is hidden, and their masks."""

from __future__ import annotations

from tests.fuzz.phrases import Phrase

MASK_OF = "np.ma.getmaskarray"  # NumPy has no mask where a comparison hides nothing


def _making() -> dict[str, tuple[Phrase | str, ...]]:
    named = "equal not_equal greater greater_equal less less_equal".split()
    return {
        **{f"ma.masked_{n}": (f"xp.ma.masked_{n}({{x|{{masked}}}}, {{0|1|y}})",) for n in named},
        "ma.masked_inside": ("xp.ma.masked_inside({x|{masked}}, {-1|0}, {1|2})",),
        "ma.masked_outside": ("xp.ma.masked_outside({x|{masked}}, {-1|0}, {1|2})",),
        "ma.masked_invalid": ("xp.ma.masked_invalid({x|{masked}})",),
        "ma.masked_values": ("xp.ma.masked_values(x, {0|1}, rtol={0.1|1e-5})",),
        "ma.masked_where": ("xp.ma.masked_where({x > 0|y == 1}, {x|{masked}})",),
        "ma.fix_invalid": ("xp.ma.fix_invalid({x|{masked}}, fill_value={0|3})",),
        "ma.masked_array": ("xp.ma.masked_array(x, {x == 1|y == 1|True|False})",),
        "ma.array": ("xp.ma.array({x|{masked}}, mask={x == 1|False|[True]})",),
        "ma.asarray": ("xp.ma.asarray({x|{masked}})",),
        "ma.asanyarray": ("xp.ma.asanyarray({x|{masked}})",),
        "ma.empty_like": (
            Phrase(
                "xp.ma.empty_like({MASKED}).mask", theirs=f"{MASK_OF}(np.ma.empty_like({{MASKED}}))"
            ),
        ),
        "ma.ones_like": ("xp.ma.ones_like({masked})",),
        "ma.zeros_like": ("xp.ma.zeros_like({masked})",),
    }


def _functions() -> dict[str, tuple[Phrase | str, ...]]:
    return {
        "ma.average": (Phrase("xp.ma.average({masked}, axis={axis})", "rounded"),),
        "ma.compressed": ("xp.ma.compressed({x|{masked}})",),
        "ma.count": ("xp.ma.count({x|{masked}}, axis={axis}, keepdims=True)",),
        "ma.dot": (Phrase("xp.ma.dot(xp.ma.masked_equal(x, {1|2}), {y.T|x.T})", "fold", "pair"),),
        "ma.median": (Phrase("xp.ma.median({masked}, axis={axis})", "rounded"),),
        "ma.filled": ("xp.ma.filled({x|{masked}}, {0|1})",),
        "ma.getdata": (Phrase("xp.ma.getdata({x|xp.ma.masked_equal(x, 1)})", "same"),),
        "ma.getmask": ("xp.ma.getmask(xp.ma.masked_array(x, x == 1))",),
        "ma.getmaskarray": ("xp.ma.getmaskarray({x|{masked}})",),
        "ma.is_masked": ("xp.asarray(xp.ma.is_masked({x|{masked}}))",),
        "ma.nonzero": ("xp.ma.nonzero({x|{masked}})",),
        "ma.set_fill_value": ("filled_by(xp, {masked}, {0|1})",),
        "ma.where": ("xp.ma.where({x > 0|xp.ma.masked_equal(x, 1)}, {x|{masked}}, {y|1})",),
        "ma.concatenate": ("xp.ma.concatenate([{masked}, {x|{masked}}], axis={0|{place}})",),
        "ma.stack": ("xp.ma.stack([{MASKED}, {MASKED}], axis={place})",),
    }


def _methods() -> dict[str, tuple[Phrase | str, ...]]:
    calls = {
        "all": "(axis={axis})", "any": "(axis={axis})", "argsort": "(axis={within}, kind='stable')",
        "max": "(axis={axis})", "min": "(axis={axis})", "ptp": "(axis={axis})",
        "argmax": "(axis={axis})", "argmin": "(axis={axis})",
        "astype": "({real})", "clip": "(0, 1)", "compressed": "()", "copy": "()",
        "count": "(axis={axis}, keepdims=True)", "filled": "({0|1})", "flatten": "()",
        "nonzero": "()", "ravel": "()", "repeat": "({n}, axis={axis})",
        "reshape": "({-1|(-1, 1)|(1, -1)})", "round": "({0|1})", "squeeze": "()",
        "swapaxes": "({place}, {place})", "take": "({places}, axis={axis})",
        "transpose": "({perm})", "T": "",
        "cumprod": "(axis={axis})", "cumsum": "(axis={axis})",
        "prod": "(axis={axis})", "sum": "(axis={axis}, keepdims={bool})",
        "mean": "(axis={axis})", "std": "(axis={axis})", "var": "(axis={axis}, ddof={0|1})",
        "anom": "(axis={axis})", "rechunk": "(-1)",
    }  # fmt: skip
    folds, rounded = "cumprod cumsum prod sum".split(), "mean std var anom".split()
    trust = dict.fromkeys(folds, "fold") | dict.fromkeys(rounded, "rounded")
    made = {
        f"ma.MaskedArray.{name}": (Phrase(f"{{masked}}.{name}{text}", trust.get(name, "jump")),)
        for name, text in calls.items()
        if name != "rechunk"
    }
    return {
        **made,
        "ma.MaskedArray.data": (Phrase("xp.ma.masked_equal(x, 1).data", "same"),),
        "ma.MaskedArray.mask": (Phrase("{MASKED}.mask", theirs=f"{MASK_OF}({{MASKED}})"),),
        "ma.MaskedArray.rechunk": (Phrase("{MASKED}.rechunk(-1)", theirs="{MASKED}"),),
        "ma.MaskedArray.dot": (
            Phrase("xp.ma.masked_equal(x, {1|2}).dot({y.T|x.T})", "fold", "pair"),
        ),
        "ma.MaskedArray.map_blocks": (
            Phrase("{MASKED}.map_blocks(doubled)", theirs="doubled({MASKED})"),
        ),
        "ma.MaskedArray.sort": ("sorted_copy({masked}, {-1|{within}})",),
        "ma.MaskedArray.operators": (
            Phrase("({masked} {+|-|*|==|!=|<|>=} {x|2|{masked}})", "jump"),
            Phrase("{-|abs}({masked})", "jump"),
            Phrase("({masked} {/|//|%} {x|2|{masked}})", "jump"),
            Phrase("({masked} ** 2)", "fold"),
        ),
        "ma.MaskedArray.indexing": (
            "{masked}[{key}]", "changed({masked}, {slices}, {0|xp.ma.masked_equal(1, 1)})",
        ),
        "ma.MaskedArray.ufuncs": (
            Phrase("np.{add|maximum|less|logical_and}({masked}, {x|{masked}})", "jump"),
            Phrase("np.{sqrt|log|exp|arcsin|tanh}({masked})", "rounded"),
            Phrase("np.{sum|prod}({masked}, axis={axis})", "fold"),
            Phrase(
                "np.{MOVED}([{MASKED}, {MASKED}])",
                theirs="np.ma.{MOVED}([{MASKED}, {MASKED}])",
            ),
        ),
    }  # fmt: skip


PHRASES: dict[str, tuple[Phrase | str, ...]] = {**_making(), **_functions(), **_methods()}

"""Phrases of structured cells and of strings."""

from __future__ import annotations

from tests.fuzz.phrases import Phrase


def _of(inputs: str, *texts: str) -> tuple[Phrase, ...]:
    return tuple(Phrase(text, "jump", inputs) for text in texts)


MOVES = (
    "{RECORDS}[{slices}]", "{RECORDS}[{key}]", "xp.concatenate([x, {x|y}], axis={place})",
    "xp.stack([x, y])", "xp.transpose(x, {perm})", "xp.reshape(x, -1)", "xp.flip(x, {axes})",
    "xp.roll(x, {k}, {axis})", "xp.take(x, {places}, {axis})", "xp.repeat(x, {n}, {axis})",
    "xp.broadcast_to(x, (2, *x.shape))", "xp.tile(x, {n})", "xp.where({x == y|True}, x, y)",
    "xp.delete(x, {k}, {axis})", "xp.zeros_like(x)", "xp.ravel(x, order={order})",
    "xp.expand_dims(x, {place})", "xp.diagonal(x)", "xp.copy(x)", "x == y", "x != {x|y}",
    "xp.pad(x, 1, {'edge'|'wrap'|'reflect'})", "xp.full_like(x, x[:1]) if x.ndim else x",
    "changed(x, {slices}, {y[{slices}]|x})",
)  # fmt: skip
# fmt: off
PHRASES: dict[str, tuple[Phrase | str, ...]] = {
    "records": (
        *_of("records", *[text.replace("{RECORDS}", "x") for text in MOVES]),
        *_of(
            "records",
            "x['{a|b|c}']", "x[['a', '{b|c}']]['a']", "x[{key}]['{a|b|c}']", "x['b'][{key}]",
            "changed(x, 'v', {1|y['v']|x['v'][..., :1]|x['v'][..., ::-1]})['v']",
            "x['v'][..., {0|::-1}]", "x[['v', 'a']]['v']", "xp.trim_zeros(xp.ravel(x))",
            "x[['c', 'a']]", "changed(x, 'a', {1|y['a']})['a']", "changed(x, 'a', {2|x['c']})",
            "x[x['a'] > {0|1}]", "xp.sum(x['a'], axis={axis})", "x[xp.lexsort((x['a'],))]['b']",
            "xp.concatenate([x['a'], y['c']])", "xp.where(x['a'] > y['a'], x, y)['{b|c}']",
            "xp.unique(x['a'])", "(x == y)[{slices}]", "x[::-1][['a', 'b']]",
        ),
    ),
    "records of numbers": (
        Phrase("records_of(xp, x)['a']", "same"),
        Phrase("records_of(xp, x)[{key}]", "same"),
    ),
    "strings": (
        *_of("strings", *[t.replace("{RECORDS}", "x") for t in MOVES]),
        *_of(
            "strings",
            "xp.sort(x, axis={axis})", "xp.argsort(x, axis={axis}, kind='stable')",
            "x[tuple(xp.asarray(n // 2) for n in x.shape)]",
            "xp.full_like(x, {'q'|''|'a longer text'})", "xp.zeros_like(x)[{slices}]",
            "changed(x, {slices}, {'q'|''})", "xp.where(x == y, x, {'q'|''})",
            "xp.unique(x)", "xp.trim_zeros(xp.ravel(x))", "xp.isin(x, y)", "x {<|>=|==} y",
            "xp.searchsorted(xp.sort(xp.ravel(x)), y)", "xp.{union1d|intersect1d}(x, y)",
            "xp.lexsort((x, y))", "xp.count_nonzero(x)", "x.astype('{U5|S2|U1}')", "x == 'a'",
            "xp.add(x, y)", "xp.select([x == 'a'], [{x|y|'f4'}], {'-'|'a longer text'|'i8'})",
        ),
    ),
}
# fmt: on

"""Phrases that make, move, choose and join cells."""

from __future__ import annotations

from tests.fuzz.phrases import Phrase


def _same(*texts: str, inputs: str = "") -> tuple[Phrase, ...]:
    return tuple(Phrase(text, "same", inputs) for text in texts)


CREATION = {
    "arange": _same("xp.arange({n}, {9|9.5}, {1|2|0.5}, dtype={None|{real}})", inputs="none"),
    "linspace": (
        Phrase("xp.linspace({0|-2|1j|x}, {3|y}, {n}, endpoint={bool})", "rounded"),
        Phrase("xp.linspace(0, {3|-1}, {1|3|7}, retstep=True, dtype={real})[0]", "rounded", "none"),
    ),
    "geomspace": (Phrase("xp.geomspace({1|2|0.5}, 9, {1|3|7})", "rounded", "none"),),
    "logspace": (Phrase("xp.logspace({0|1}, 2, {n}, base={10|2})", "rounded", "none"),),
    "array": _same("xp.array(x, ndmin={0|2|4})", "xp.array([[1, 2], [3, {4|4.5|True}]])"),
    "asarray": _same("xp.asarray(x)", "xp.asarray([x, x])"),
    "asanyarray": _same("xp.asanyarray(x)"),
    "ascontiguousarray": _same("xp.ascontiguousarray(x)"),
    "asfortranarray": _same("xp.asfortranarray(x)"),
    "copy": _same("xp.copy(x)"),
    "fromfunction": _same(
        "xp.fromfunction(lambda i, j: i {+|*|-} j, ({n}, {n}), dtype={dtype})", inputs="none"
    ),
    "indices": _same("xp.indices({small})[{0|-1}]", "xp.indices({small}, sparse=True)"),
    "meshgrid": _same("xp.meshgrid(x, y, indexing={'ij'|'xy'}, sparse={bool})"),
    "empty": _same("xp.empty({shape}, {kind}) [..., None][..., :0]", inputs="none"),
    "full": _same("xp.full({shape}, {scalar}, {dtype})", "xp.full((2, *x.shape), x)"),
    "ones": _same("xp.ones({shape}, {dtype})", inputs="none"),
    "zeros": _same("xp.zeros({shape}, {kind})", inputs="none"),
    "empty_like": _same("xp.empty_like(x, shape=(0, 2))", "xp.empty_like(x)[..., None][..., :0]"),
    "full_like": _same("xp.full_like(x, {1|2|True}, shape={None|{shape}})"),
    "ones_like": _same("xp.ones_like(x, {None|{dtype}})"),
    "zeros_like": _same("xp.zeros_like(x, {None|{kind}}, shape={None|(3,)})"),
    "eye": _same("xp.eye({n}, {None|{n}}, {k}, {dtype})", inputs="none"),
    "identity": _same("xp.identity({n}, {dtype})", inputs="none"),
    "tri": _same("xp.tri({n}, {None|{n}}, {k}, {dtype})", inputs="none"),
    "packbits": (Phrase("xp.packbits(x, {None|{place}}, '{big|little}')"),),
    "unpackbits": (
        Phrase("xp.unpackbits(xp.astype(x, np.uint8), {None|{place}}, {None|5|-3})", "cast"),
    ),
    **{
        name: (Phrase(f"xp.{name}({{0|1|7|12}})", "rounded", "none"),)
        for name in ("bartlett", "blackman", "hamming", "hanning")
    },
    "kaiser": (Phrase("xp.kaiser({0|1|7|12}, {0|2.5})", "rounded", "none"),),
    "vander": (Phrase("xp.vander(xp.ravel(x)[:4], {None|{n}}, increasing={bool})", "fold"),),
}
SHAPES = {
    "atleast_1d": _same("xp.atleast_1d(x)", "xp.atleast_1d(x, y)"),
    "atleast_2d": _same("xp.atleast_2d(x)"),
    "atleast_3d": _same("xp.atleast_3d(x, y)"),
    "broadcast_arrays": _same("xp.broadcast_arrays(x, {y|x[:1]|x})"),
    "broadcast_to": _same("xp.broadcast_to(x, ({n}, *x.shape))"),
    "expand_dims": _same("xp.expand_dims(x, {{place}|(0, -1)|(1, 0)})"),
    "ravel": _same("xp.ravel(x, order={order})"),
    "reshape": _same(
        "xp.reshape(x, {-1|(-1, 2)|(2, -1)|(1, -1, 1)|x.shape[::-1]}, order={order})",
        "xp.reshape(x[{slices}], -1)",
    ),
    "squeeze": _same("xp.squeeze(x, {{axis}|None})", "xp.squeeze(x[None, ..., None], (0, -1))"),
    "matrix_transpose": _same("xp.matrix_transpose(x)"),
    "moveaxis": _same("xp.moveaxis(x, {place}, {place})", "xp.moveaxis(x, (0, 1), (-1, 0))"),
    "permute_dims": _same("xp.permute_dims(x, {perm})"),
    "transpose": _same("xp.transpose(x, {perm})", "xp.transpose(x)"),
    "rollaxis": _same("xp.rollaxis(x, {place}, {k})"),
    "swapaxes": _same("xp.swapaxes(x, {place}, {place})"),
}
INDEXING = {
    "argwhere": ("xp.argwhere(x)", "xp.argwhere(x > {0|1})"),
    "compress": ("xp.compress(xp.ravel(y) > {0|1}, x, axis={axis})",),
    "extract": ("xp.extract({x|y|x > 1}, x)",),
    "flatnonzero": ("xp.flatnonzero({x|x > 1})",),
    "nonzero": ("xp.nonzero({x|x == 1})",),
    "choose": ("xp.choose(xp.astype(x > 0, np.int64), [{x|0}, {y|1}], mode={'raise'|'clip'})",),
    "select": ("xp.select([x > 1, {x < 0|y == 1}], [x, {y|2}], {0|1})",),
    "piecewise": ("xp.piecewise(x, [x > {0|1}, x < 0], [{1|lambda v: v + v}, 2, {3|0}])",),
    "put_along_axis": (
        "put(xp, x, xp.argsort(x, axis={A}, kind='stable'), {1|x}, {A})".replace("A", "WITHIN"),
    ),
    "take": _same(
        "xp.take(x, {places}, {axis}, mode={'raise'|'wrap'|'clip'})", "xp.take(x, {k}, {axis})"
    ),
    "take_along_axis": (
        "xp.take_along_axis(x, xp.argsort({x|y}, axis={WITHIN}, kind='stable'), {WITHIN})",
    ),
    "ravel_multi_index": (
        Phrase(
            "xp.ravel_multi_index((x % 7, x % 5), (7, 5), mode={'raise'|'wrap'|'clip'},"
            " order={order})",
            "jump",
            "counts",
        ),
    ),
    "unravel_index": (
        Phrase(
            "xp.unravel_index(x % {30|20}, {(5, 6)|(3, 2, 5)}, order={order})", "jump", "counts"
        ),
    ),
    "c_": _same("xp.c_[x, {y|x}, xp.ravel(x)[:1]]", "xp.c_[xp.ravel(x), {0|xp.ravel(y)}]"),
    "ix_": _same("xp.ix_(xp.ravel(x), {xp.ravel(y)|[0, 2]})", "x[xp.ix_({places}, {places})]"),
    "mgrid": _same("xp.{mgrid|ogrid}[0:{n}, {1|-2}:{n}:{0.5|3j|2}]", inputs="none"),
    "r_": _same("xp.r_[{0|2.5|1:4|0:1:3j}, xp.ravel(x), y]", "xp.r_['{0|-1|0,3,1|1,3}', x, y]"),
    "tril_indices": _same("xp.tril_indices({n}, {k}, {None|{n}})", inputs="none"),
    "triu_indices": _same("xp.triu_indices({n}, {k}, {None|{n}})", inputs="none"),
    "tril_indices_from": _same("xp.tril_indices_from(x, {k})"),
    "triu_indices_from": _same("xp.triu_indices_from(x, {k})"),
}
JOINING = {
    "append": _same("xp.append(x, {x|y|1}, {axis})"),
    "block": _same("xp.block([[x, x], [x, x]])", "xp.block([x, {y|x}])"),
    "concat": _same("xp.concat([x, {x|y}, x[:1]], axis={axis})"),
    "concatenate": _same(
        "xp.concatenate([x, {x|y}], axis={axis})",
        "xp.concatenate([x, x], dtype={dtype}, casting={'same_kind'|'unsafe'})",
    ),
    "stack": _same("xp.stack([x, {x|y}, x], axis={place})"),
    "column_stack": _same("xp.column_stack([x, {x|y}])"),
    "dstack": _same("xp.dstack([x, {x|y}])"),
    "hstack": _same("xp.hstack([x, {x|y}])"),
    "vstack": _same("xp.vstack([x, {x|y}])"),
    "array_split": _same("xp.array_split(x, {{n}|[1, 3]|[0, -1]}, {place})"),
    "split": _same("xp.split(x, {1|2|3|[1, 2]}, {place})"),
    "dsplit": _same("xp.dsplit(x, {1|[1]})"),
    "hsplit": _same("xp.hsplit(x, {1|2|[1]})"),
    "vsplit": _same("xp.vsplit(x, {1|2|[1]})"),
    "unstack": _same("xp.unstack(x, axis={place})"),
}
MOVING = {
    "delete": _same("xp.delete(x, {{k}|[0, 1]|slice(None, None, 2)|{places}}, {axis})"),
    "insert": _same(  # NumPy looks at no bounds of several places
        "xp.insert(x, {{k}|[0, 1]}, {1|0}, {axis})", "xp.insert(x, {places}, {1|0}, {0|None})"
    ),
    "diag": _same("xp.diag(x, {k})"),
    "diagflat": _same("xp.diagflat(xp.ravel(x)[:4], {k})"),
    "diagonal": _same("xp.diagonal(x, {k}, {place}, {place})"),
    "tril": _same("xp.tril(x, {k})"),
    "triu": _same("xp.triu(x, {k})"),
    "flip": _same("xp.flip(x, {axes})"),
    "fliplr": _same("xp.fliplr(x)"),
    "flipud": _same("xp.flipud(x)"),
    "roll": _same("xp.roll(x, {k}, {axis})", "xp.roll(x, ({k}, {k}), ({place}, {place}))"),
    "rot90": _same("xp.rot90(x, {k})", "xp.rot90(x, {k}, ({place}, {place}))"),
    "pad": (
        *_same(
            "xp.pad(x, {WIDTHS}, {'edge'|'wrap'|'symmetric'|'reflect'})",
            "xp.pad(x, {{n}|({n}, {n})}, {'edge'|'wrap'|'symmetric'|'reflect'})",
            "xp.pad(x, {widths}, 'constant', constant_values={0|1|(1, 2)})",
            "xp.pad(x, {widths}, {'reflect'|'symmetric'}, reflect_type={'even'|'odd'})",
        ),
        Phrase("xp.pad(x, {widths}, {'maximum'|'minimum'}, stat_length={None|1|2})"),
        Phrase("xp.pad(x, {widths}, {'mean'|'median'}, stat_length={None|1|2})", "rounded"),
        Phrase("xp.pad(x, {widths}, 'linear_ramp', end_values={0|3|(1, 2)})", "rounded"),
    ),
    "repeat": _same("xp.repeat(x, {n}, {axis})", "xp.repeat(x, xp.arange(x.shape[0]), 0)"),
    "resize": _same("xp.resize(x, {shape})"),
    "tile": _same("xp.tile(x, {{n}|({n}, 2)|(1, {n}, 1)})"),
}
SORTING = {
    "sort": ("xp.sort(x, axis={axis}, {kind=None|stable=True})",),
    "argsort": ("xp.argsort(x, axis={axis}, kind='stable')",),
    "partition": ("xp.sort(xp.partition(x, {0|-1|1}, axis={WITHIN}), axis={WITHIN})",),
    "argpartition": (
        "xp.take(xp.take_along_axis(x, xp.argpartition(x, 0, {WITHIN}), {WITHIN}), 0, {WITHIN})",
    ),
    "lexsort": ("xp.lexsort((x, {x|y|-x}), axis={-1|{place}})", "xp.lexsort(x, axis={place})"),
    "digitize": ("xp.digitize(x, {[-1, 0.5, 2]|[2, 1, 0]}, right={bool})",),
    "interp": (
        Phrase("xp.interp(x, [-1, 0, 2], [3.0, 4.0, 8.0], left={None|0}, right={None|1})", "jump"),
        Phrase("xp.interp(x, [0, 1, 2], [3.0, 1, 2j], period=2.5)", "rounded", "lanes"),
    ),
    "isin": ("xp.isin(x, {y|[0, 1]}, invert={bool}, assume_unique=False)",),
    "searchsorted": (
        "xp.searchsorted(xp.sort(xp.ravel(x)), y, side={side})",
        "xp.searchsorted(xp.ravel(x), {1|x}, side={side}, sorter=xp.argsort(xp.ravel(x),"
        " kind='stable'))",
    ),
    "intersect1d": ("xp.intersect1d(x, y, return_indices={bool})",),
    "setdiff1d": ("xp.setdiff1d(x, {y|[0, 1]})",),
    "setxor1d": ("xp.setxor1d(x, y)",),
    "union1d": ("xp.union1d(x, y)",),
    "unique": (
        "xp.unique(x, return_index={bool}, return_inverse={bool}, return_counts={bool})",
        "xp.unique(x, axis={axis}, return_inverse={bool}, return_counts={bool})",
        "xp.unique(x, equal_nan=False)",
    ),
    "unique_all": ("xp.unique_all(x)",),
    "unique_counts": ("xp.unique_counts(x)",),
    "unique_inverse": ("xp.unique_inverse(x)",),
    "unique_values": ("xp.sort(xp.unique_values(x))",),
}
PHRASES: dict[str, tuple[Phrase | str, ...]] = {
    **CREATION, **SHAPES, **INDEXING, **JOINING, **MOVING, **SORTING,
}  # fmt: skip

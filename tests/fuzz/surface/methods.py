"""Phrases of an array's methods, attributes and operators."""

from __future__ import annotations

from tests.fuzz.phrases import Phrase

SAME = {
    "T": "", "copy": "()", "diagonal": "({k})", "flatten": "({order})", "imag": "", "mT": "",
    "ravel": "()", "real": "", "repeat": "({n}, {axis})", "reshape": "({-1|(-1, 1)|(2, -1)})",
    "squeeze": "()", "swapaxes": "({place}, {place})", "take": "({places}, {axis})",
    "transpose": "({perm})",
}  # fmt: skip
JUMP = {
    "all": "({axes})", "any": "({axes})", "argmax": "({axis})", "argmin": "({axis})",
    "argsort": "({within}, kind='stable')", "clip": "(0, {1|x})", "conj": "()", "conjugate": "()",
    "max": "({axes}, keepdims={bool})", "min": "({axes})", "nonzero": "()", "round": "({0|1})",
    "searchsorted": "({1|x}, side={side}, sorter=xp.argsort(x, kind='stable'))",
    "choose": "([x, x], mode={'wrap'|'clip'})",
}  # fmt: skip
FOLD = {
    "sum": "({axes}, keepdims={bool})", "prod": "({axes})", "mean": "({axes})",
    "cumsum": "({axis})", "cumprod": "({axis})", "trace": "({k})", "dot": "(y)",
}  # fmt: skip
ROUNDED = {"std": "({axes}, ddof={0|1})", "var": "({axes}, keepdims={bool})"}
OURS = {
    "topk": ("x.topk({K}, {WITHIN})", "topk(x, {K}, {WITHIN})"),
    "argtopk": ("dt.take_along_axis(x, x.argtopk({K}, -1), -1)", "topk(x, {K}, -1)"),
    "rechunk": ("x.rechunk({1|2|-1})", "x"),
    "map_blocks": ("x.map_blocks(doubled)", "doubled(x)"),
    "map_overlap": ("x.map_overlap(doubled, depth=1, boundary='none')", "doubled(x)"),
    "shuffle": ("x.shuffle([[0], [1, 0]], 0)", "shuffled(x, [[0], [1, 0]], 0)"),
    "vindex": ("x.vindex[[0, 1, 0]]", "x[[0, 1, 0]]"),
    "blocks": ("x.rechunk(1).blocks[1]", "x[1:2]"),
    "partitions": ("x.rechunk(1).partitions[:1]", "x[:1]"),
    "persist": ("x.persist()", "x"),
    "to_backend": ("x.to_backend('numpy')", "x"),
    "to_device": ("x.to_device('cpu')", "x"),
    "partition": ("partitioned(x)[..., -1]", "x.max(-1)"),
    "compute_chunk_sizes": ("x[x == 1].compute_chunk_sizes()", "x[x == 1]"),
    "to_dask_array": ("dt.from_dask_array(x.to_dask_array())", "x"),
    "rename": ("x.rename(*'uvw'[:x.ndim])[::-1]", "x[::-1]"),
    "argpartition": (
        "dt.take_along_axis(x, x.argpartition(0, -1), -1)[..., 0]",
        "np.sort(x)[..., 0]",
    ),
}
OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "matmul": "@",
}  # fmt: skip
COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _operators() -> dict[str, tuple[Phrase | str, ...]]:
    made: dict[str, tuple[Phrase | str, ...]] = {}
    for name, sign in OPERATORS.items():
        trust = {"pow": "rounded", "matmul": "fold"}.get(name, "jump")
        other = "{y|x}" if name == "matmul" else "{y|x|2|-1|0.5|True}"
        made[f".__{name}__"] = (Phrase(f"x {_sign(sign)} {other}", trust),)
        made[f".__r{name}__"] = (Phrase(f"{{1|2|np.ones(1)}} {_sign(sign)} x", trust),)
        if name != "matmul":
            made[f".__i{name}__"] = (Phrase(f"update(x, '__i{name}__', {{1|2|x}})", trust),)
    for name, sign in COMPARED.items():
        made[f".__{name}__"] = (Phrase(f"x {sign} {{y|x|1|0.5}}"),)
    return made


def _sign(sign: str) -> str:
    """Text of an operator: a bar would be a choice."""
    return "{BAR}" if sign == "|" else sign


PHRASES: dict[str, tuple[Phrase | str, ...]] = {
    **{f".{n}": (Phrase(f"x.{n}{text}", "same"),) for n, text in SAME.items()},
    **{f".{n}": (Phrase(f"x.{n}{text}"),) for n, text in JUMP.items()},
    **{f".{n}": (Phrase(f"x.{n}{text}", "fold"),) for n, text in FOLD.items()},
    **{f".{n}": (Phrase(f"x.{n}{text}", "rounded"),) for n, text in ROUNDED.items()},
    **{f".{n}": (Phrase(ours, "jump", "lanes2", theirs),) for n, (ours, theirs) in OURS.items()},
    **_operators(),
    ".astype": (Phrase("x.astype({dtype}{, copy=False|, casting='unsafe'})", "cast"),),
    ".view": (Phrase("x.copy().view('{i8|u1|f4|u2|?}')", "same"),),  # NumPy's needs whole rows
    ".moment": (Phrase("x.moment({N})", "rounded", "samples", "moment(x, {N}, None)"),),
    ".sort": ("sorted_copy(x, {-1|{place}})",),
    ".__divmod__": ("divmod(x, {y|2})",),
    ".__rdivmod__": ("divmod({7|-2}, x)",),
    ".__neg__": ("-x",),
    ".__pos__": ("+x",),
    ".__abs__": ("abs(x)",),
    ".__invert__": ("~x",),
    ".__round__": ("np.round(x, {0|1})",),
    ".__getitem__": (
        Phrase("x[{key}]", "same"), Phrase("x[{slices}]", "same"), Phrase("x[{key}][{0|...}]"),
        Phrase("x[y > {0|1}]"), Phrase("x[x == {0|1}]"),
        Phrase("x[np.ix_([0, 1], [1, 0])]", "same"), Phrase("x[..., None, ::-2]", "same"),
    ),
    ".__setitem__": (
        Phrase("changed(x, {key}, {0|1|2.0|True})", "same"),
        Phrase("changed(x, x > {0|1}, {0|1})"), Phrase("changed(x, x == 1, xp.ravel(y)[:1])"),
        Phrase("changed(x, ..., {y|x[::-1]})", "assign"),
    ),
    ".__array_function__": ("np.{max|argmin|flip|sort}(x, axis={within})",),
    ".__array_ufunc__": ("np.{add|maximum|less}(x, {y|2})", "np.maximum.accumulate(x, axis=0)"),
}  # fmt: skip

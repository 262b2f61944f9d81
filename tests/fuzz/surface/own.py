"""Phrases of what NumPy lacks: blocks, overlaps, neighbours, patterns, functions of the user's."""

from __future__ import annotations

from tests.fuzz.phrases import Phrase


def _padded(mode: str) -> str:
    return f"xp.pad(x, ((1, 1), *[(0, 0)] * (x.ndim - 1)), {mode!r})"


def _both(ours: str, theirs: str, trust: str = "jump", inputs: str = "") -> tuple[Phrase, ...]:
    return (Phrase(ours, trust, inputs, theirs),)


WINDOW = "sliding(x, {N})"
CHUNKED = "x.rechunk({chunks})"
ROWS = "x.rechunk({1|2|3})"
BLOCKS: dict[str, tuple[Phrase | str, ...]] = {
    "rechunk": _both("dt.rechunk(x, {chunks})", "x", "same"),
    "unify_chunks": _both(
        "dt.unify_chunks(x.rechunk({chunks}), 'abcdef'[:x.ndim], x, 'abcdef'[:x.ndim])[1]",
        "(x, x)", "same",
    ),
    "reshape_blockwise": _both("dt.reshape_blockwise(x.rechunk(-1), (x.size,))",
                               "x.reshape(x.size)", "same", "lanes2"),
    "rename": _both("dt.rename(x, *'abcdef'[:x.ndim])[{SLICES}]", "x[{SLICES}]", "same"),
    "shuffle": _both("dt.shuffle(x, [[2, 0], [1, 1]], axis=0)",
                     "shuffled(x, [[2, 0], [1, 1]], 0)", "same", "lanes2"),
    "interleave": _both("dt.interleave([x, x + x], {WITHIN})", "interleaved([x, x + x], {WITHIN})"),
    "push": _both("dt.push(x, {N}, {WITHIN})", "push(x, {N}, {WITHIN})", "same", "gaps"),
    "topk": _both("dt.topk(x, {K}, {WITHIN})", "topk(x, {K}, {WITHIN})", "jump", "lanes"),
    "argtopk": _both(
        "dt.take_along_axis(x, dt.argtopk(x, {K}, {WITHIN}), {WITHIN})",
        "topk(x, {K}, {WITHIN})", "jump", "lanes",
    ),
    "coarsen": _both("dt.coarsen(dt.{NAME}, x, {AXES_OF_TWO}, trim_excess=True)",
                     "coarsen('{NAME}', x, 2)", "fold", "lanes"),
    "groupby_reduce": _both(
        "dt.groupby_reduce(x, np.arange(x.shape[-1]) % 3, func='{NAME}')[0]",
        "by_group(x, '{NAME}')", "fold", "lanes",
    ),
    "bounding_box": _both("dt.bounding_box(x == 1)", "boxed(x == 1)"),
    "index_tensor": _both("dt.index_tensor(x)[0]", "np.indices(x.shape)[0]"),
    "from_array": _both("dt.from_array(np.arange(12).reshape(3, 4), chunks={1|2|(2, 3)})",
                        "np.arange(12).reshape(3, 4)", "same", "none"),
    "from_dask_array": _both("dt.from_dask_array(dt.to_dask_array(x))", "x", "same"),
    "to_dask_array": _both("dt.from_dask_array(x.to_dask_array() + 0)", "x + 0"),
    "pin": _both("dt.pin(x)[{SLICES}]", "x[{SLICES}]", "same"),
    "persist": _both("dt.persist(x)[0]", "x", "same"),
}  # fmt: skip
LAPS = {
    "lib.stride_tricks.sliding_window_view": (
        Phrase("xp.lib.stride_tricks.sliding_window_view(x, {1|2|3}, {within})", "same"),
        Phrase("xp.max(xp.lib.stride_tricks.sliding_window_view(x, 2, -1), axis=-1)"),
    ),
    "overlap.sliding_window_view": _both("dt.overlap.sliding_window_view(x, {N}, -1)", WINDOW,
                                         "same"),
    "map_overlap": (
        *_both(f"dt.map_overlap(joined, {ROWS}, depth=dict(((0, 1),)), boundary={{BOUNDARY}})",
               "neighbours(x, {BOUNDARY})", "jump", "lanes"),
        *_both(f"dt.map_overlap(joined, {ROWS}, depth=dict(((0, 2),)), boundary={{BOUNDARY}})",
               "neighbours(x, {BOUNDARY}, 2)", "jump", "lanes2"),
    ),
    "overlap.map_overlap": _both("dt.overlap.map_overlap(doubled, x, depth={0|1}, boundary='none')",
                                 "x + x", "jump", "lanes"),
    "overlap.overlap": _both(
        f"dt.overlap.trim_internal(dt.overlap.overlap({ROWS}, 1, {{BOUNDARY}}), 1, {{BOUNDARY}})",
        "x", "same", "lanes",
    ),
    **{
        f"overlap.{name}": _both(f"dt.overlap.{name}(x, 0, 1{value})", _padded(mode), "same",
                                 "lanes")
        for name, mode, value in (
            ("periodic", "wrap", ""), ("reflect", "symmetric", ""), ("nearest", "edge", ""),
            ("constant", "constant", ", 0"),
        )
    },
    "overlap.boundaries": _both(
        "dt.overlap.boundaries(x, dict(((0, 1),)), dict(((0, 'periodic'),)))",
        _padded("wrap"), "same", "lanes",
    ),
    "overlap.overlap_internal": _both(
        "dt.overlap.overlap_internal(x.rechunk(-1), dict(((0, 1),)))", "x", "same", "lanes"
    ),
    "overlap.trim_internal": _both("dt.overlap.trim_internal(x.rechunk(-1), {DEPTH}, 'reflect')",
                                   "x[1:-1]", "same", "lanes2"),
    "overlap.trim_overlap": _both(
        f"dt.overlap.trim_overlap(dt.overlap.overlap({ROWS}, 1, 'none'), 1, 'none')",
        "x", "same", "lanes",
    ),
}  # fmt: skip
PATTERNS = {
    "extract_slice": _both("dt.extract_slice(x, [n // 2 for n in x.shape], [1] * x.ndim)",
                           "x[tuple(slice(n // 2, n // 2 + 1) for n in x.shape)]", "same", "lanes"),
    "patterns.gather": _both("dt.patterns.gather(x, [[1], [0]], [0], [1])",
                             "np.stack([x[1:2], x[0:1]])", "same", "lanes2"),
    "patterns.scatter": _both("dt.patterns.scatter(x, x[:2][:, None], [[1], [0]], [0])",
                              "scattered(x)", "same", "lanes2"),
    "patterns.reduce": _both("dt.patterns.reduce(x, '{OPERATION}', {AXIS})",
                             "np.{OPERATION}(x, {AXIS})"),
    "patterns.zipmapreduce": _both("dt.patterns.zipmapreduce(lambda _, a, b: a - b, [x, y], 'max')",
                                   "(x - y).max()", "jump", "lanes"),
    "iterate": _both("dt.iterate(lambda x: xp.flip(x), x, 3)", "np.flip(x)", "same"),
    "stencil.iterate": _both(
        "dt.stencil.iterate(lambda x: x[:-1], x, {N}, depth=dict(((0, (1, 0)),)),"
        " boundary='periodic')",
        "np.roll(x, {N}, 0)", "same", "lanes2",
    ),
    "nn.linear": _both("dt.nn.linear(x[None], y[..., None])", "np.matmul(x[None], y[..., None])",
                       "fold", "single"),
    "nn.relu": _both("dt.nn.relu(x)", "np.maximum(x, 0)", "jump", "lanes"),
    "stablehlo.gather": _both(
        "dt.stablehlo.gather(x, [[1], [0]], offset_dims=range(1, x.ndim), collapsed_slice_dims=[0],"
        " start_index_map=[0], index_vector_dim=1, slice_sizes=[1, *x.shape[1:]])",
        "x[[1, 0]]", "same", "lanes2",
    ),
}  # fmt: skip
FUNCTIONS = {
    "map_blocks": _both(f"dt.map_blocks(doubled, {CHUNKED})", "doubled(x)"),
    "blockwise": _both("dt.blockwise(np.maximum, 'i', x, 'i', y, 'i')", "np.maximum(x, y)", "jump",
                       "single"),
    "apply_gufunc": _both(
        "dt.apply_gufunc(largest, '(i)->()', x, axis={WITHIN})", "np.max(x, axis={WITHIN})",
        "jump", "lanes"),
    "as_gufunc": _both("dt.as_gufunc('(i)->(i)')(ordered)(x)", "np.sort(x)", "jump", "lanes"),
    "gufunc": _both("dt.gufunc(largest, signature='(i)->()')(x)", "np.max(x, axis=-1)", "jump",
                    "lanes"),
    "apply_along_axis": (Phrase("xp.apply_along_axis(np.{sort|flip}, {within}, x)"),),
    "apply_over_axes": (Phrase("xp.apply_over_axes(np.{max|min}, x, {{within}|(0, -1)})"),),
    "reduction": _both("dt.reduction(x, np.max, np.max, axis={WITHIN}, split_every={2|3|None})",
                       "np.max(x, axis={WITHIN})", "jump", "lanes"),
}  # fmt: skip
PHRASES: dict[str, tuple[Phrase | str, ...]] = {**BLOCKS, **LAPS, **PATTERNS, **FUNCTIONS}

"""Signatures as users write them, by names of index dimensions or projections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from dask_tapestry.amounts import integer as as_int
from dask_tapestry.errors import SignatureError
from dask_tapestry.first import first_of
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.user.user_monoid import (
    UFUNC_OF,
    Combination,
    Monoid,
    ReduceOver,
    ScanOver,
)
from dask_tapestry.teg import IndexDim, Kind
from dask_tapestry.zspace import IndexProjection, ZRange

Form = tuple[str, ...] | IndexProjection
WHOLE = (Kind.ATOMIC, Kind.SEQUENTIAL)  # kinds that a block has whole


@dataclass(frozen=True)
class SignatureSpec:
    """A signature before shapes are known.

    Attributes
    ----------
    owner
        Name of the operator, for errors.
    index
        Name, kind and given extent of each index dimension.
    inputs, outputs
        Name and form of each tensor: names of the dimensions its axes follow, or a projection.
    monoid
        What combines along the reduction dimensions, or along the one that is scanned.
    scans
        Whether a dimension is scanned.
    """

    owner: str
    index: tuple[tuple[str, Kind, int | None], ...]
    inputs: tuple[tuple[str, Form], ...]
    outputs: tuple[tuple[str, Form], ...]
    monoid: Combination | None = None
    scans: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the index dimensions."""
        return tuple(name for name, _, _ in self.index)

    def kind(self, name: str) -> Kind:
        """Kind of an index dimension."""
        return first_of(
            (kind for other, kind, _ in self.index if other == name), f"index dimension {name!r}"
        )

    def of_kind(self, *kinds: Kind) -> tuple[str, ...]:
        """Names of the dimensions of some kinds."""
        return tuple(name for name, kind, _ in self.index if kind in kinds)

    def partials(self) -> SignatureSpec:
        """The signature of what a monoid combines: an output for each value of its tuples."""
        count = self.monoid.count if isinstance(self.monoid, Monoid) else None
        if count is None or count == len(self.outputs):
            return self
        form = self.outputs[0][1]
        return replace(self, outputs=tuple((f"value{n}", form) for n in range(count)))

    def error(self, text: str) -> SignatureError:
        """An error that names the operator."""
        return SignatureError(f"{self.owner}: {text}")


def write(
    owner: str,
    index: Mapping[str, Any],
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    extents: Mapping[str, int],
) -> SignatureSpec:
    """Read what a user declares.

    Raises
    ------
    SignatureError
        For unknown names, kinds or forms, or an output that is not written exactly once.
    """
    dims = tuple((name, *_kind(owner, name, kind, extents)) for name, kind in index.items())
    unknown = set(extents) - set(index)
    if unknown:
        raise SignatureError(f"{owner}: extents of {sorted(unknown)}, which are not dimensions")
    scans = [kind for kind in index.values() if isinstance(kind, ScanOver)]
    folds = [kind for kind in index.values() if isinstance(kind, ReduceOver)]
    given = [*(kind.monoid for kind in folds), *(kind.monoid for kind in scans)]
    monoids = [_monoid(owner, monoid) for monoid in given]
    last = monoids[-1] if monoids else None
    dims = tuple(
        (name, Kind.ATOMIC if _is_nested_fold(index[name], last) else kind, extent)
        for name, kind, extent in dims
    )
    names = tuple(index)
    written = SignatureSpec(
        owner,
        dims,
        tuple((name, form_of(owner, name, form, names)) for name, form in inputs.items()),
        tuple((name, form_of(owner, name, form, names)) for name, form in outputs.items()),
        last,
        bool(scans),
    )
    if scans:
        _check_scan(written, scans[0], len(scans) + len(folds))
    _check_outputs(written)
    _check_values(written)
    return written


def _kind(owner: str, name: str, kind: Any, extents: Mapping[str, int]) -> tuple[Kind, int | None]:
    extent = as_int(extents[name]) if name in extents else None
    if isinstance(kind, ReduceOver):
        return Kind.REDUCTION, extent
    if isinstance(kind, ScanOver):
        return Kind.SEQUENTIAL, extent
    if isinstance(kind, int) and not isinstance(kind, bool):
        return Kind.PARALLEL, kind
    kinds = {k.value: k for k in (Kind.PARALLEL, Kind.ATOMIC, Kind.SEQUENTIAL)}
    if not isinstance(kind, str) or kind not in kinds:
        raise SignatureError(
            f"{owner}: dimension {name} is {kind!r}; it can be 'parallel', 'atomic', 'sequential', "
            "reduce_over(...) or a number of parallel steps"
        )
    return kinds[kind], extent


def _monoid(owner: str, monoid: Combination) -> Combination:
    names = (monoid,) if isinstance(monoid, str) else monoid
    for name in () if isinstance(names, Monoid) else names:
        if name not in UFUNC_OF:
            raise SignatureError(
                f"{owner}: partial results cannot be folded by {name!r}: there are "
                f"{', '.join(UFUNC_OF)}, or a Monoid"
            )
    return monoid


def _check_scan(written: SignatureSpec, kind: ScanOver, folds: int) -> None:
    """Refuse what cannot be scanned in parts."""
    dims = written.of_kind(Kind.SEQUENTIAL)
    if folds > 1 or len(dims) > 1:
        raise written.error("one dimension is scanned, and then none is folded")
    if isinstance(kind.monoid, Monoid) and (kind.monoid.map or kind.monoid.finalize):
        raise written.error("a scan's monoid has neither map nor finalize: apply them outside")
    forms = {form for _, form in written.outputs}
    if len(forms) != 1 or not all(isinstance(f, tuple) and dims[0] in f for f in forms):
        raise written.error(f"outputs of a scan follow {dims[0]}, all the same dimensions by name")
    count = kind.monoid.count or 1 if isinstance(kind.monoid, Monoid) else 1
    if count != len(written.outputs):
        raise written.error(
            f"its monoid combines {count} values, it has {len(written.outputs)} outputs"
        )


def _is_nested_fold(kind: Any, last: Combination | None) -> bool:
    """Whether a dimension is folded by another monoid than the last: so before that, and whole."""
    return isinstance(kind, ReduceOver) and kind.monoid is not last and kind.monoid != last


def form_of(owner: str, tensor: str, form: Any, names: Sequence[str]) -> Form:
    """How a tensor follows the dimensions `names`, as a user writes it.

    Raises
    ------
    SignatureError
        If it follows a dimension that is not in `names`, or one twice.
    """
    if isinstance(form, IndexProjection):
        if form.in_ndim != len(names):
            raise SignatureError(
                f"{owner}: the projection of {tensor} takes {form.in_ndim} index dimensions, "
                f"there are {len(names)}: {', '.join(names)}"
            )
        return form
    axes = tuple(form.split()) if isinstance(form, str) else tuple(form)
    if len(axes) == 1 and axes[0] not in names and set(axes[0]) <= set(names):
        axes = tuple(axes[0])
    for axis in axes:
        if axis not in names:
            raise SignatureError(f"{owner}: {tensor} follows {axis!r}, which is not a dimension")
    if len(set(axes)) != len(axes):
        raise SignatureError(f"{owner}: {tensor} follows a dimension twice: {' '.join(axes)}")
    return axes


def _check_outputs(written: SignatureSpec) -> None:
    if not written.outputs and written.monoid is not None:
        raise written.error("it reduces dimensions but has no output for the result")
    for name, form in written.outputs:
        if isinstance(form, IndexProjection):
            if len(written.outputs) > 1 and written.monoid is not None:
                raise written.error("several folded outputs are given by names, not projections")
            continue
        for dim in written.of_kind(Kind.PARALLEL):
            if dim not in form:
                raise written.error(
                    f"output {name} does not follow the parallel dimension {dim}: its cells would "
                    "be written more than once"
                )
        for dim in written.of_kind(Kind.REDUCTION):
            if dim in form:
                raise written.error(f"output {name} follows {dim}, which is folded")


def unread_dims(written: SignatureSpec) -> tuple[str, ...]:
    """Names of the dimensions that may be cut and that no input follows."""
    dims = []
    for number, (dim, kind, _) in enumerate(written.index):
        moved = any(
            any(row[number] for row in form.matrix)
            if isinstance(form, IndexProjection)
            else dim in form
            for _, form in written.inputs
        )
        if kind not in WHOLE and not moved:
            dims.append(dim)
    return tuple(dims)


def _check_values(written: SignatureSpec) -> None:
    """Raise unless a monoid combines as many values as there are outputs."""
    monoid, outputs = written.monoid, written.outputs
    count = monoid.count if isinstance(monoid, Monoid) else None
    if isinstance(monoid, tuple) and len(monoid) != len(outputs):
        raise written.error(f"{len(monoid)} monoids are given for {len(outputs)} outputs")
    if count is None or not isinstance(monoid, Monoid) or count == len(outputs):
        return
    if monoid.finalize is None:
        raise written.error(
            f"its monoid combines {count} values, it has {len(outputs)} outputs: give the monoid a "
            "finalize that makes these of them"
        )
    if len({form for _, form in outputs}) > 1 or isinstance(outputs[0][1], IndexProjection):
        raise written.error("outputs of a monoid must follow the same dimensions by name")


def solve(
    written: SignatureSpec, shapes: Sequence[tuple[int, ...]]
) -> tuple[tuple[IndexDim, ...], tuple[IndexProjection, ...]]:
    """Extents of the index dimensions and projections of the inputs, for inputs of these shapes.

    Raises
    ------
    SignatureError
        If the shapes do not fit; it names operator, shapes and dimension.
    """
    if len(shapes) != len(written.inputs):
        names = ", ".join(name for name, _ in written.inputs)
        raise written.error(f"it takes {len(written.inputs)} arrays ({names}), got {len(shapes)}")
    extents = {name: extent for name, _, extent in written.index if extent is not None}
    for (tensor, form), shape in zip(written.inputs, shapes, strict=True):
        rank = form.out_ndim if isinstance(form, IndexProjection) else len(form)
        if rank != len(shape):
            raise written.error(f"{tensor} has {rank} dimensions, not shape {shape}")
        if not isinstance(form, IndexProjection):
            _check_extents(written, extents, zip(form, shape, strict=True), shapes)
    for name in written.names:
        if name not in extents:
            extents[name] = _largest(written, name, extents, shapes)
    index = tuple(IndexDim(name, extents[name], kind) for name, kind, _ in written.index)
    reads = tuple(_with_whole_dims(projection(form, index), index) for _, form in written.inputs)
    _check_reads(written, index, reads, shapes)
    return index, reads


def _check_extents(
    written: SignatureSpec,
    extents: dict[str, int],
    sides: Iterable[tuple[str, int]],
    shapes: Sequence[tuple[int, ...]],
) -> None:
    for dim, extent in sides:
        if extents.setdefault(dim, extent) != extent:
            raise written.error(
                f"dimension {dim} is {extents[dim]} and {extent}: {_shown(written, shapes)}"
            )


def _shown(written: SignatureSpec, shapes: Sequence[tuple[int, ...]]) -> str:
    return ", ".join(
        f"{name} {shape}" for (name, _), shape in zip(written.inputs, shapes, strict=True)
    )


def _largest(
    written: SignatureSpec, name: str, extents: Mapping[str, int], shapes: Sequence[tuple[int, ...]]
) -> int:
    """The largest extent of a dimension for which all windows lie inside their tensors."""
    number = written.names.index(name)
    limits: list[int] = []
    for (_, form), shape in zip(written.inputs, shapes, strict=True):
        if not isinstance(form, IndexProjection):
            continue
        for axis, row in enumerate(form.matrix):
            others = [d for d, c in enumerate(row) if c and d != number]
            if row[number] <= 0 or any(written.names[d] not in extents for d in others):
                continue
            reach = sum(max(0, row[d]) * (extents[written.names[d]] - 1) for d in others)
            room = shape[axis] - form.offset[axis] - form.extent[axis] - reach
            limits.append(max(0, room // row[number] + 1))
    if not limits:
        raise written.error(
            f"the extent of {name} follows from no shape: give extents={{{name!r}: ...}}"
        )
    return min(limits)


def projection(form: Form, index: Sequence[IndexDim]) -> IndexProjection:
    """A form as a projection of the index space."""
    if isinstance(form, IndexProjection):
        return form
    names = [dim.name for dim in index]
    rows = [[int(name == axis) for name in names] for axis in form]
    return IndexProjection(rows, (0,) * len(form), (1,) * len(form), in_ndim=len(index))


def _with_whole_dims(projection: IndexProjection, index: Sequence[IndexDim]) -> IndexProjection:
    """A projection that dimensions in `WHOLE` do not move: its shape covers them instead."""
    rows, offsets, sides, strides = (
        [],
        list(projection.offset),
        list(projection.shape),
        list(projection.stride),
    )
    for axis, row in enumerate(projection.matrix):
        whole = [d for d, c in enumerate(row) if c and index[d].kind in WHOLE]
        rows.append([0 if d in whole else c for d, c in enumerate(row)])
        if whole:
            spans = [row[d] * (index[d].extent - 1) for d in whole]
            empty = any(not index[d].extent for d in whole)
            offsets[axis] += 0 if empty else sum(min(0, span) for span in spans)
            sides[axis] = 0 if empty else projection.extent[axis] + sum(abs(span) for span in spans)
            strides[axis] = 1
    return IndexProjection(rows, offsets, sides, strides, projection.in_ndim)


def absorbed_output(form: Form, index: Sequence[IndexDim]) -> IndexProjection:
    """Projection of an output."""
    return _with_whole_dims(projection(form, index), index)


def _check_reads(
    written: SignatureSpec,
    index: Sequence[IndexDim],
    reads: Sequence[IndexProjection],
    shapes: Sequence[tuple[int, ...]],
) -> None:
    space = ZRange((0,) * len(index), tuple(dim.extent for dim in index))
    if not prod(space.shape):
        return
    for (name, _), read, shape in zip(written.inputs, reads, shapes, strict=True):
        box = read.of_range(space)
        if any(lo < 0 for lo in box.lo) or any(h > n for h, n in zip(box.hi, shape, strict=True)):
            sizes = ", ".join(f"{dim.name}={dim.extent}" for dim in index)
            raise written.error(f"with {sizes} it reads {box} of {name}, which has shape {shape}")

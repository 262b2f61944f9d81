"""The public names that give arrays, and those that phrases leave out, each with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import dask_tapestry as dt

NO_ARRAYS = "it gives no array of cells"
DASK = "it is of Dask's graphs, files or displays; tests of its own compare it"
ENTRY = "programs end with it"
OTHER_NAME = "another name of a function that phrases call"
USERS = "operations of the fuzzer's own operators call it"
STORES = "operations of the fuzzer's effects or sources call it"
OLD = "of the older way of random numbers: a state that is shared by all programs"
ORACLE = "it is no operator of its own, or computes now; tests of its own compare it with NumPy's"
PATTERN = "it is called within functions of cells or of threads; comparisons try it"
LEFT_OUT: dict[str, str] = {
    **dict.fromkeys(
        "config einsum_path ndim shape size broadcast_shapes result_type can_cast finfo iinfo "
        "isdtype issubdtype promote_types __array_namespace_info__ register_chunk_type placeholder "
        "resolve_shapes verify load_plan plan calibrate check_cluster datasets iscomplexobj "
        "isrealobj from_dlpack progress "
        "random.get_state random.set_state random.seed "
        "patterns.get_float_type patterns.get_int_or_float_bit_width patterns.get_int_type "
        "patterns.get_uint_type patterns.signal patterns.wait mutator rule "
        ".bound .chunks .chunksize .deferred .device .dims .dtype .expr .itemsize .name .nbytes "
        ".ndim .node .nominal_cuts .npartitions .numblocks .runs_anywhere .shape .size .teg .item "
        ".lowered_for .tobytes .tolist .plan .said .is_own .selected "
        "ma.MaskedArray.answers ma.MaskedArray.chunks ma.MaskedArray.expr "
        "ndimage.generate_binary_structure ndimage.iterate_structure "
        "overlap.ensure_minimum_chunksize "
        "ma.MaskedArray.dims ma.MaskedArray.dtype ma.MaskedArray.fill_value "
        "ma.MaskedArray.itemsize ma.MaskedArray.nbytes ma.MaskedArray.ndim "
        "ma.MaskedArray.numblocks ma.MaskedArray.shape ma.MaskedArray.size "
        "ma.MaskedArray.tolist ma.MaskedArray.harden_mask random.Generator.bit_generator "
        "random.RandomState.bytes random.RandomState.get_state random.RandomState.set_state "
        "random.RandomState.seed".split(),
        NO_ARRAYS,
    ),
    **dict.fromkeys(
        "from_delayed image.imread from_npy from_npy_stack to_hdf5 to_icechunk to_npy_stack save "
        ".dask .to_hdf5 .to_svg .to_dask_dataframe .to_delayed .visualize "
        "ma.MaskedArray.visualize".split(),
        DASK,
    ),
    **dict.fromkeys(
        "compute .compute .A ma.MaskedArray.compute ma.MaskedArray.persist".split(), ENTRY
    ),
    **dict.fromkeys(
        "from_zarr to_zarr store sequence_point .store .to_zarr".split(), STORES
    ),
    **dict.fromkeys(
        "base_repr binary_repr datetime_data format_float_positional format_float_scientific "
        "get_printoptions geterr isscalar iterable mintypecode set_printoptions seterr typename "
        "savetxt savez savez_compressed "
        "load loadtxt genfromtxt frombuffer fromfile fromiter fromstring printoptions".split(),
        NO_ARRAYS,
    ),
    **dict.fromkeys(
        "poly polyadd polyder polydiv polyfit polyint polymul polysub roots sort_complex "
        "trim_zeros busday_count busday_offset datetime_as_string is_busday copyto fill_diagonal "
        "place put putmask diag_indices diag_indices_from mask_indices .compress .fill .flat "
        ".put".split(),
        ORACLE,
    ),
    **{f"strings.{name}": ORACLE for name in dt.strings.__all__},
    **dict.fromkeys("apply block_operator check_operator scan_over reduce_over".split(), USERS),
    **dict.fromkeys(
        "patterns.imm patterns.iteridx patterns.select patterns.sn_imm patterns.sn_iteridx "
        "patterns.sn_select parallel_insert_slice perform_concurrently subview "
        "patterns.foreach_thread stablehlo.scatter".split(),
        PATTERN,
    ),
    **dict.fromkeys(
        "patterns.sn_gather patterns.sn_reduce patterns.sn_scatter patterns.sn_zipmapreduce "
        "patterns.extract_slice patterns.parallel_insert_slice patterns.perform_concurrently "
        "patterns.subview".split(),
        OTHER_NAME,
    ),
}  # fmt: skip


def _values(space: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Names of a module and of its namespaces, and what they are."""
    for name in space.__all__:
        value = getattr(space, name)
        if hasattr(value, "__all__"):
            yield from _values(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _methods(kind: Any) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def expected() -> set[str]:
    """Functions of `dt`, and methods of its arrays, generators and ufuncs."""
    kept = {"gufunc"}  # a class that is called as a function
    names = {n for n, v in _values(dt) if n in kept or (callable(v) and not isinstance(v, type))}
    moved = {n for n in names if n.startswith("random.") and n[7:] in _methods(dt.random.Generator)}
    moved |= {n for n in names if n.startswith("random.") and n[7:] in OLDER}
    kinds = {
        "": dt.Array, "ma.MaskedArray": dt.ma.MaskedArray,
        "random.Generator": dt.random.Generator, "random.RandomState": dt.random.RandomState,
    }  # fmt: skip
    methods = {f"{kind}.{name}" for kind, of in kinds.items() for name in _methods(of)}
    ufuncs = {f"ufunc.{name}" for name in ("reduce", "accumulate", "reduceat", "outer", "at")}
    return names - moved | methods | ufuncs


OLDER = {"rand", "randint", "randn", "random_integers", "random_sample", "ranf", "sample"}

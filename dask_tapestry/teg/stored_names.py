"""Stored names: under which name a class is written where later versions read it.

Digests of graphs are made of class names. They stand in plan files and in journals of writes, which
must not go stale because a class, or its module, is called otherwise now.
"""

from __future__ import annotations

from typing import Final

CHAPTERS: Final = ("io", "operators")  # no two modules of theirs have one name
STORED: Final[dict[str, str]] = {  # by today's name without its chapter, those that were renamed
    "dask_tapestry.arrays.calibration.kernel_rates.RateProbe": (
        "dask_tapestry.arrays.calibration.kernel_rates.Probe"
    ),
    "dask_tapestry.arrays.linalg.einsum.EinsumCall": "dask_tapestry.arrays.linalg.einsum.Call",
    "dask_tapestry.arrays.loops.loop_runs.Ends": "dask_tapestry.arrays.loops.running.Ends",
    "dask_tapestry.arrays.loops.traced_functions.StateField": (
        "dask_tapestry.arrays.loops.traced.Field"
    ),
    "dask_tapestry.arrays.loops.traced_functions.Traced": (
        "dask_tapestry.arrays.loops.traced.Traced"
    ),
    "dask_tapestry.arrays.ma.blocks.PackedMaskedFunction": "dask_tapestry.arrays.ma.blocks.Packed",
    "dask_tapestry.arrays.ndimage.binary_windows.MorphologyStep": (
        "dask_tapestry.arrays.ndimage.binary_windows.Step"
    ),
    "dask_tapestry.arrays.patterns.thread_trace.ThreadTrace": (
        "dask_tapestry.arrays.patterns.thread_trace.Trace"
    ),
    "dask_tapestry.arrays.statistics.quantiles._QuantileRequest": (
        "dask_tapestry.arrays.statistics.quantiles._Asked"
    ),
    "dask_tapestry.arrays.user_functions.along_axis.AlongAxis": (
        "dask_tapestry.arrays.user_functions.along_axis.Along"
    ),
    "dask_tapestry.arrays.user_functions.along_axis.OverAxes": (
        "dask_tapestry.arrays.user_functions.along_axis.Over"
    ),
    "dask_tapestry.arrays.user_functions.operator_shardings.ShardingTrials": (
        "dask_tapestry.arrays.user_functions.operator_shardings.Tried"
    ),
    "dask_tapestry.io.chunk_costs.ReadBuffers": "dask_tapestry.io.chunk_costs.InHand",
    "dask_tapestry.io.resumption.Resume": "dask_tapestry.io.resuming.Resume",
    "dask_tapestry.io.resumption.WriteProgress": "dask_tapestry.io.resuming.Progress",
    "dask_tapestry.io.source_parameter.SourceParameter": "dask_tapestry.io.slot.Slot",
    "dask_tapestry.io.write_order.OrderedWrite": "dask_tapestry.io.write_order.Write",
    "dask_tapestry.io.write_record.RecordedWrite": "dask_tapestry.io.write_record.Write",
    "dask_tapestry.io.writer_id.WriterId": "dask_tapestry.io.maker.Maker",
    "dask_tapestry.io.zarr_overwrite.Replacement": "dask_tapestry.io.zarr_overwrite.Replacing",
    "dask_tapestry.operators.assert_condition.AssertCondition": (
        "dask_tapestry.operators.required.Required"
    ),
    "dask_tapestry.operators.block_function.NamedResults": (
        "dask_tapestry.operators.block_function.Named"
    ),
    "dask_tapestry.operators.block_function.Reordered": (
        "dask_tapestry.operators.block_function.Ordered"
    ),
    "dask_tapestry.operators.block_function.TupleFinalize": (
        "dask_tapestry.operators.block_function.Tupled"
    ),
    "dask_tapestry.operators.bucket_shuffle.FoldedRows": (
        "dask_tapestry.operators.bucket_shuffle.Folded"
    ),
    "dask_tapestry.operators.bucket_shuffle.ShuffleLayout": (
        "dask_tapestry.operators.bucket_shuffle.Division"
    ),
    "dask_tapestry.operators.cell_bytes.BytesEqual": "dask_tapestry.operators.cell_bytes.Equal",
    "dask_tapestry.operators.cell_bytes.BytesView": "dask_tapestry.operators.cell_bytes.Viewed",
    "dask_tapestry.operators.cell_bytes.FieldAssignment": (
        "dask_tapestry.operators.cell_bytes.Assigned"
    ),
    "dask_tapestry.operators.cell_bytes.FieldSelection": (
        "dask_tapestry.operators.cell_bytes.Chosen"
    ),
    "dask_tapestry.operators.cell_function.PackedTuple": (
        "dask_tapestry.operators.cell_function.Packed"
    ),
    "dask_tapestry.operators.dimension_numbers.BlockCoordinateSource": (
        "dask_tapestry.operators.dimension_numbers.Step"
    ),
    "dask_tapestry.operators.dimension_numbers.CoordinateSource": (
        "dask_tapestry.operators.dimension_numbers.Way"
    ),
    "dask_tapestry.operators.exchange_sort.SplitProbe": (
        "dask_tapestry.operators.exchange_sort.Probe"
    ),
    "dask_tapestry.operators.index_ranges.IndexRanges": (
        "dask_tapestry.operators.index_bounds.IndexBounds"
    ),
    "dask_tapestry.operators.joint_reductions.JointPass": (
        "dask_tapestry.operators.joint_reductions.Pass"
    ),
    "dask_tapestry.operators.block_slices.SliceAwareFunction": (
        "dask_tapestry.operators.placed_function.Placed"
    ),
    "dask_tapestry.operators.reshape.DimGroup": "dask_tapestry.operators.reshape.Group",
    "dask_tapestry.operators.scan_operator.ScanOn": "dask_tapestry.operators.scanning.ScanOn",
    "dask_tapestry.operators.scan_operator.ScanOperator": (
        "dask_tapestry.operators.scanning.Scanning"
    ),
    "dask_tapestry.operators.spans.SpanRun": "dask_tapestry.operators.spans.Run",
    "dask_tapestry.operators.thread_inserts.InsertPart": (
        "dask_tapestry.operators.thread_inserts.Part"
    ),
    "dask_tapestry.operators.thread_slice.SlicePart": "dask_tapestry.operators.thread_slice.Part",
    "dask_tapestry.operators.thread_tiles.DigitRun": "dask_tapestry.operators.thread_tiles.Run",
    "dask_tapestry.operators.thread_wavefronts.ThreadBox": (
        "dask_tapestry.operators.thread_turns.Piece"
    ),
    "dask_tapestry.operators.threads.ThreadValue": "dask_tapestry.operators.threads.Wanted",
    "dask_tapestry.operators.user_operator.ScratchBytes": (
        "dask_tapestry.operators.user_operator.Scratch"
    ),
    "dask_tapestry.operators.user_scan.PartwiseFunction": (
        "dask_tapestry.operators.user_scan.InParts"
    ),
    "dask_tapestry.operators.user_signature.SignatureSpec": (
        "dask_tapestry.operators.user_signature.Written"
    ),
    "dask_tapestry.operators.user_windows.WindowCallPart": (
        "dask_tapestry.operators.user_windows.Call"
    ),
    "dask_tapestry.rules.broadcasts.BroadcastReduction": "dask_tapestry.rules.broadcasts.Spread",
    "dask_tapestry.rules.extensions.AxisExtension": "dask_tapestry.rules.extensions.Beyond",
    "dask_tapestry.rules.mosaics.MosaicPiece": "dask_tapestry.rules.mosaics.Piece",
    "dask_tapestry.operators.thread_wavefronts.Event": (
        "dask_tapestry.operators.thread_turns.Event"
    ),
    "dask_tapestry.rules.stencil_formulas.StencilFormula": (
        "dask_tapestry.rules.neighbours.Neighbours"
    ),
    "dask_tapestry.rules.stencil_formulas.Fields": ("dask_tapestry.rules.neighbours.Fields"),
    "dask_tapestry.rules.masked_inserts.Choice": ("dask_tapestry.rules.inserted_cells.Choice"),
    "dask_tapestry.arrays.ndimage.interpolation_arguments.Interpolation": (
        "dask_tapestry.arrays.ndimage.interpolated.Interpolation"
    ),
}


def stored_name(kind: type) -> str:
    """Module and name of a class, as they were when it was first written.

    Examples
    --------
    >>> stored_name(dict)
    'builtins.dict'
    """
    name = f"{_without_chapter(kind.__module__)}.{kind.__qualname__}"
    return STORED.get(name, name)


def _without_chapter(module: str) -> str:
    """`module` as it was called when a package of `CHAPTERS` was one folder."""
    parts = module.split(".")
    is_in_chapter = len(parts) == 4 and parts[0] == "dask_tapestry" and parts[1] in CHAPTERS
    return ".".join((*parts[:2], parts[3])) if is_in_chapter else module

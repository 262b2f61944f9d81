"""The kernels of one CPU thread, by the name operators give them.

A kernel is called as ``kernel(out, *blocks, **arguments)``. It returns the block; `out`, when it is
not None, is a buffer of the block's shape and dtype that the kernel may fill and return instead.
What it returns may be a view of an input.

Each module names its own kernels in a table `KERNELS`; here is which module has which.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry_kernels.kernel_table import KernelTable

KERNELS: Final = KernelTable(
    __name__,
    {
        "blocks.band_panels": "bandcolumns bandstrip reflectedproduct twosided",
        "blocks.band_singular_values": "bandsingularvalues",
        "blocks.bands": "bandvalues",
        "blocks.compress": "count compress",
        "blocks.convolution": "convolution directconvolution",
        "blocks.exchange": "sortedruns weighedsort probe firstwindows narrow splitruns "
        "mergebuckets",
        "blocks.fourier": "fourier",
        "blocks.gather": "gather",
        "blocks.generate": "full arange index",
        "blocks.grouped_lines": "groupedlines",
        "blocks.joined_keys": "joinedkeys",
        "blocks.joint_runs": "lookup putback among",
        "blocks.order_keys": "orderkey cellofkey",
        "blocks.matmul": "matmul linear add_product",
        "blocks.matrices": "cholesky completecolumns det eig eigh eigvals eigvalsh inv invornan "
        "lstsq packedlu packedqr packedslogdet qr qrcolumns slogdet solve solvetriangle svd "
        "svdvals triangle",
        "blocks.nearest_sites": "nearestsites",
        "blocks.order_statistics": "ranks weightedranks",
        "blocks.outputs": "calloutputs jointwindows output threadoutputs",
        "blocks.panels": "choleskybelow choleskycorner composedorder copied inlastorder "
        "lessproducts lesssolved lupanel lustrip qrpanel qrstrip reflectedcolumns "
        "rowtriangles signoforders turnedcolumns",
        "blocks.partition": "partition",
        "blocks.picked_spans": "pickspans joinspans",
        "blocks.points": "points affinepoints",
        "blocks.random": "randombits randomfraction permutation",
        "blocks.resample": "resample",
        "blocks.region_boxes": "regionboxes boxtable",
        "blocks.regions": "regionparts regionjoints regionmerge renumber regioncount",
        "blocks.scatter": "scatter",
        "blocks.search": "search digitize isin searchparts interp interpparts",
        "blocks.select": "identity view windows concat mosaic reshape steps",
        "blocks.set_cells": "setcells setofruns bucketsizes",
        "blocks.shuffle": "route send serve answer giveback foldsent",
        "blocks.sort": "sort argsort top withplaces",
        "blocks.sparse_matmul": "sparsematmul",
        "blocks.spline_filter": "splinefilter",
        "blocks.stencil_steps": "stencilsteps",
        "blocks.take": "take takealong insert",
        "blocks.upper_band_panels": "rowproduct rowstrip uppercolumns",
        "blocks.user_functions": "call threads member fold blockwise",
        "blocks.vector_functions": "vectors",
        "blocks.window_call": "windowcall",
        "blocks.window_extreme": "windowextreme",
        "blocks.window_fold": "windowfold",
        "blocks.window_rank": "windowrank",
        "blocks.window_sum": "windowsum",
        "cells.compiled_tiles": "tiledmap",
        "cells.interpreter": "map",
        "cells.turned_copy": "copycells",
        "reduction.group_fold": "add_group_folds add_groups groupfold groupmerge groupfolds "
        "groupmerges",
        "reduction.reduce": "reduce reductions",
        "reduction.bin_numbers": "bin",
        "reduction.bincount": "tabulate tabulates",
        "reduction.cells_at_extreme": "cellsatextreme",
        "reduction.few_values": "fewvalues",
        "reduction.selected_folds": "selectedfolds",
        "reduction.tiled": "tiledreductions",
        "scan.scan": "scan scan_on leaf_totals leaf_scan leaf_ends after_leaf",
        "variates.variates": "variates variaterows",
    },
)

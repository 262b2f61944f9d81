"""The kernels of one NVIDIA GPU, by the names that the CPU's have.

They are called as the CPU's are, ``kernel(out, *blocks, **arguments)``, with CuPy arrays as blocks,
and give the bits that the CPU's give. Neither this module nor its table imports CuPy or a compiler.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry_kernels.kernel_table import KernelTable

KERNELS: Final = KernelTable(
    __name__,
    {
        "blocks.binned_counts": "tabulate",
        "blocks.cells_at_extreme": "cellsatextreme",
        "blocks.convolution": "convolution directconvolution",
        "blocks.fourier": "fourier",
        "blocks.compress": "count compress",
        "blocks.gather": "gather",
        "blocks.generate": "full arange index",
        "blocks.interp": "interp",
        "blocks.matmul": "matmul linear add_product",
        "blocks.fields": "member output",
        "blocks.matrices": "cholesky completecolumns det eigh eigvalsh inv invornan lstsq "
        "packedqr packedslogdet qr qrcolumns slogdet solve svd svdvals triangle",
        "blocks.partition": "partition",
        "blocks.permutation": "permutation",
        "blocks.random": "randombits randomfraction",
        "blocks.scatter": "scatter",
        "blocks.search": "search digitize isin searchparts bin",
        "blocks.select": "identity view windows concat mosaic reshape",
        "blocks.shuffle": "route send serve answer giveback foldsent",
        "blocks.sort": "sort argsort ranks top",
        "blocks.stencil_steps": "stencilsteps",
        "blocks.take": "take takealong insert",
        "blocks.threads": "threads threadoutputs",
        "blocks.variates": "variates variaterows",
        "blocks.windows": "windowextreme windowfold windowsum",
        "cells.formulas": "map",
        "reduction.folds": "reduce",
        "reduction.group_fold": "groupfold groupmerge",
        "reduction.joint_folds": "reductions",
        "scan.scans": "scan scan_on leaf_totals leaf_scan leaf_ends after_leaf",
    },
)
SEVERAL: Final = frozenset(
    "answer cellsatextreme eigh foldsent giveback groupfold groupmerge lstsq member output qr "
    "reduce reductions route scatter send serve slogdet stencilsteps svd threadoutputs".split()
)  # kernels that take or make blocks of several arrays: fields, outputs, buckets

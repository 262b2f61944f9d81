"""The operators of the graph language, one module each, in chapters.

A chapter imports only those above it, with `axes`, `forms` and `lanes`, which they share.

================  ==================================================================================
`views`           cells in another order or form, without computing
`generators`      values that follow from the coordinate alone, and symbols to trace with
`functions`       functions of blocks and cells, held by an operator
`cells`           cell expressions: ufuncs, `where`, casts, fields
`reductions`      monoids folded over axes, contractions, groups
`joins`           concat, stack, repeat, roll, pad, insert, diagonals
`user`            block operators of a user, with a signature
`matrices`        factors and solutions of whole matrices, also in panels
`products`        matmul, tensordot, einsum, sparse weights
`scans`           running totals
`sorting`         sort, ranks, partitions, the exchange between blocks
`indexing`        gather, scatter, take
`images`          regions, distances, splines
`windows`         filters, convolutions, stencils
`transforms`      Fourier transforms
`random`          random bits and what is made of them
`threads`         `foreach_thread`
`layouts`         rechunk, placement, formats, nominal chunks
================  ==================================================================================
"""

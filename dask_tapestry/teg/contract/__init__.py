"""The contract of operators in groups, each with those who ask for it.

===================  ==============================================================================
`naming`             what printers, errors and keys of tasks call an operator
`access`             its type, and which cells of its inputs a box of its output is made of
`kernel_call`        which kernel computes a block, and what that takes and gives
`cost`               what a block takes of computing, memory and stores
`streaming`          how a block is computed piece by piece
`layout`             where blocks have to end and to lie, and which chunks a user sees
===================  ==============================================================================

`dask_tapestry.teg.operator` joins them.
"""

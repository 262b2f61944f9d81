"""Memory of this process: how much it may use, and arrays that take the same memory by turns.

Nothing here knows arrays' meaning, graphs or stores: stores are read into such memory, and tasks
compute into it.
"""

"""Programs compiled for every architecture, and what may be in their PTX."""

import re
from functools import cache
from zlib import crc32

from dask_tapestry_kernels.cuda.jit.child import compiler

ARCHITECTURES = (80, 90, 100)
# A sum or product whose rounding is not written out is one that the assembler may contract.
CONTRACTIBLE = re.compile(r"\t((?:add|sub|mul|fma|mad)(?:\.ftz)?\.f(?:16|32|64))\b")
ROUGH = re.compile(r"\t(\w+\.(?:approx|full|ftz)\S*)")
FUSED = re.compile(r"\t(fma\.\S+|mad\.\S*\.f\d\d)")


@cache
def assembled(source, sm):
    """A source compiled for an architecture."""
    return compiler.assemble(compiler.ptx_of(source, sm), sm)


def architectures(source, every):
    """Those that a source is compiled for: one, by a checksum, or every one.

    LLVM's text, in which all but registers is decided, is the same for all.
    """
    return ARCHITECTURES if every else [ARCHITECTURES[crc32(source.encode()) % len(ARCHITECTURES)]]


def check_assembly(program, registers, fused=False, shared=0, every=False):
    """Compile for architectures; no rough or contractible arithmetic, no spills.

    Parameters
    ----------
    program
        A `Program`.
    registers
        The most that a thread may take.
    fused
        Whether its elementary functions ask for `fma`.
    shared
        The most bytes of shared memory.
    every
        Whether for all architectures, not just for one.
    """
    for sm in architectures(program.source, every):
        made = assembled(program.source, sm)
        assert not CONTRACTIBLE.findall(made.ptx), program.what
        assert not ROUGH.findall(made.ptx), program.what
        assert bool(FUSED.findall(made.ptx)) == fused, program.what
        used = made.resources
        assert used.registers <= registers, (program.what, sm, used)
        assert used.spill_stores == used.spill_loads == 0, (program.what, sm, used)
        assert used.shared <= shared, (program.what, sm, used)
        assert used.registers * (program.threads or 256) <= 65_536
        assert made.cubin.startswith(b"\x7fELF")

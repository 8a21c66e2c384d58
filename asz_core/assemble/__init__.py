"""Assembling: landed Session Data to the next rounds of its chain, byte for byte as the original writes them.

    from asz_core.assemble import Assembler, Assemblers, assemble_root, assemble_session

    assemble_root(root)                      # every session that has something new
    outcome = assemble_session(root, "5eed0002-…")
    assembler = Assembler(root, "5eed0002-…")
    assembler.assemble()                     # again and again; reads only what landed since
    Assemblers(root).assemble("5eed0002-…")  # the same for many; keeps the last few

The modules are the sections of the assembling specification; each names its own.
"""

from .assembler import Assembler, Outcome
from .sessions import Assemblers, assemble_root, assemble_session, sessions_behind

__all__ = ["Assembler", "Assemblers", "Outcome", "assemble_root", "assemble_session", "sessions_behind"]

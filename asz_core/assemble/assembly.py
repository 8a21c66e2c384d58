"""The stages of an assembly in their order (the assembling specification, §3)."""

from __future__ import annotations

from .bodies import join_bodies
from .calls import call_nodes, group_calls
from .epochs import cut_epochs, epoch_steps
from .landing import Landing
from .outputs import output_nodes
from .picture import Picture
from .segments import cut_segments
from .spawns import relate_starts, weigh_evidence
from .steps import delegation_steps, record_steps
from .streams import find_streams, session_node
from .talks import find_talks
from .tools import join_tools, tool_nodes

_STAGES = (
    find_streams,
    group_calls,
    join_tools,
    weigh_evidence,
    cut_epochs,
    find_talks,
    cut_segments,
    join_bodies,
    session_node,
    call_nodes,
    tool_nodes,
    epoch_steps,
    delegation_steps,
    output_nodes,
    record_steps,
    relate_starts,
)


def assemble(landing: Landing, session: str, through: int, idle: int) -> Picture:
    """Assemble a session from sequence 1 through a bound.

    Args:
        landing: its entries.
        session: its id.
        through: the bound.
        idle: the idle gap in nanoseconds.
    """
    landing.begin()
    picture = Picture(landing, session, through, idle)
    for stage in _STAGES:
        stage(picture)
    return picture

"""The bundled sample: a storage root with three small conversations, and a publisher that lands one of them round by round.

The sessions were made up for this project; their files are as the original program lands and assembles them.
"""

from __future__ import annotations

from pathlib import Path

LIVE_CONVERSATION = "5eed0005-0000-4000-8000-000000000005"
"""The conversation of the sample that has five rounds, for `live.LivePublisher`."""


def sample_root() -> Path:
    """The bundled storage root. It belongs to the installed package: read it, never write into it."""
    return Path(__file__).parent / "data" / "root"


__all__ = ["LIVE_CONVERSATION", "sample_root"]

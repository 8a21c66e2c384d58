"""Where things are: the copy of the project that is measured is the one that this bench belongs to."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]
"""The project's folder; children are started in it."""

LINUX = sys.platform.startswith("linux") and Path("/proc/self/io").exists()
"""Whether the rows that need `/proc` can be measured."""

"""What every test may use: the repository on the import path, so that test helpers are found however pytest is started."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

_HERE = Path(__file__).resolve().parent
if str(_HERE.parent) not in sys.path:
    sys.path.insert(0, str(_HERE.parent))

# The same examples in every run; a deadline for each would measure the machine's other work.
settings.register_profile("asz", derandomize=True, deadline=None)
settings.load_profile("asz")

"""`python -m asz_core.live SOURCE ROOT`: keeps a live root for the process that started it; see `channel`."""

import os
import sys
from pathlib import Path

from .channel import serve

if __name__ == "__main__":
    os.nice(5)
    serve(sys.argv[1], Path(sys.argv[2]), sys.stdout.buffer, sys.stdin.buffer)

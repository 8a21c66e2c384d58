"""`python -m asz_tui` is `asz-tui`."""

import sys

from asz_tui.cli.main import main

if __name__ == "__main__":
    sys.exit(main())

"""``python -m pybackend.studio.live``: see `process`."""

import sys

from pybackend.studio.live.process import main

if __name__ == "__main__":
    sys.exit(main())

"""``python -m dask_tapestry``: the command ``dask-tapestry``."""

import sys

from dask_tapestry.command.main import main

if __name__ == "__main__":
    sys.exit(main())

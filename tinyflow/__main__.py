"""`python -m tinyflow`, and the command `tinyflow`."""
import sys

from tinyflow.api.cli import main

if __name__ == '__main__':
    sys.exit(main())

"""`python -m tinyflow`."""
import sys

from tinyflow.cli import main

sys.exit(main())

"""`python -m tinyflow`."""
import sys

from tinyflow.api.cli import main

sys.exit(main())

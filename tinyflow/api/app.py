"""tf.app: starts a program whose settings are tf.flags."""
import sys as _sys

from tinyflow.api import flags
from tinyflow.graph.support.errors import worded as _worded
from tinyflow.graph.support.missing import absent as _absent


def run(main=None, argv=None):
    """Reads the flags, calls main(argv) with what is left of argv, and exits with its result.

    `main` is by default the function of that name in the program. Flags that are not defined stay
    in argv.
    """
    rest = flags.FLAGS(_sys.argv if argv is None else argv, known_only=True)
    main = main or getattr(_sys.modules['__main__'], 'main', None)
    if main is None:
        raise _worded(AttributeError('tf.app.run(): the program has no function main(argv).\n'
                                     '  Mend: tf.app.run(main=...) names another one.'))
    _sys.exit(main(rest))


__all__ = ['flags', 'run']

__getattr__ = _absent(__name__, __all__)


def __dir__():
    return __all__

"""tf.app: starts a program whose settings are tf.flags. It is absl.app, as in TF 1.15."""
import sys as _sys

from absl import app as _app

from tinyflow.api import flags
from tinyflow.graph.support.errors import misuse as _misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing


def run(main=None, argv=None):
    """Parses the flags, calls main(argv) with the rest of argv, and exits with its result.

    `main` is by default the function of that name in the program. Flags that are not defined stay
    in argv.
    """
    main = main or getattr(_sys.modules['__main__'], 'main', None)
    if main is None:
        raise _misuse(AttributeError('tf.app.run(): the program has no function main(argv).\n'
                                     '  Hint: tf.app.run(main=...) names another one.'))
    _app.run(main, argv, flags_parser=_known_flags)


def _known_flags(argv):
    return flags.FLAGS(argv, known_only=True)


__all__ = ['flags', 'run']

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__

"""What can go wrong with flags."""
from __future__ import annotations


class Error(Exception):
    """Base of all errors about flags."""


class CantOpenFlagFileError(Error):
    """A --flagfile cannot be read."""


class DuplicateFlagError(Error):
    """A flag of that name exists already."""


class FlagNameConflictsWithMethodError(Error):
    """FLAGS has a method of that name."""


class IllegalFlagValueError(Error):
    """A value that a flag does not take."""


class UnparsedFlagAccessError(Error):
    """A flag was read before the command line was."""


class UnrecognizedFlagError(Error):
    """No flag of that name."""

    def __init__(self, flagname, flagvalue='', suggestions=None):
        self.flagname, self.flagvalue = flagname, flagvalue
        tip = f'. Did you mean: {", ".join(suggestions)} ?' if suggestions else ''
        super().__init__(f"Unknown command line flag '{flagname}'{tip}{_of_notebooks(flagname)}")


def _of_notebooks(flagname):
    """The mend for the flag that a notebook's kernel is started with."""
    if flagname != 'f':
        return ''
    return ('\n  Mend: a notebook is started with -f; tf.flags.FLAGS(["notebook"]) before the '
            "first use of a flag reads an empty command line instead.")


class ValidationError(Error):
    """A validator refuses the value of a flag."""

"""The command that starts workers on several machines: mpiexec, of MPICH, through ssh."""
from __future__ import annotations

import os
import shutil
import sys

from tinyflow.cluster.launch.tasks import one_thread

__all__ = ['mpiexec_command']


def mpiexec_command(hosts, workers, program, outer) -> list[str]:
    """The command line for `workers` processes, dealt to the hosts in turn.

    The workers find each other by MPI, without TF_CONFIG. mpiexec labels their lines with the
    number of the worker, and ends all others when one has died. Raises FileNotFoundError without
    mpiexec.
    """
    settings = {'PYTHONUNBUFFERED': '1', **one_thread(outer)}
    return [_mpiexec(), '-hosts', ','.join(hosts), '-n', str(workers), '-prepend-rank',
            *(word for name, value in settings.items() for word in ('-genv', name, value)),
            *program]


def _mpiexec():
    """The mpiexec that was installed with this Python, else the one of PATH."""
    own = os.path.join(os.path.dirname(sys.executable), 'mpiexec')
    found = own if os.access(own, os.X_OK) else shutil.which('mpiexec')
    if found is None:
        raise FileNotFoundError(
            "--hosts needs mpiexec, which is not installed.\n  Hint: pip install "
            "'tinyflow-graph[cluster]' on each of the machines.")
    return found

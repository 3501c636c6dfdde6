"""The debugger in the terminal: stops inside of a run, shows values, steps from node to node.

    debugger.py     Debugger, the observer that decides when to stop
    breakpoints.py  where to stop, and filters on values
    run.py          the values of the run in progress
    terminal.py     asks for commands; those that go on, and breakpoints
    looking.py      the commands that show something
    arguments.py    the arguments of commands
    listings.py     what the commands print of nodes and tensors
    wrappers.py     Sessions that are debugged, and hooks, under TensorFlow's names
    dump_writer.py  the values of runs in files, in TensorFlow's layout
    dump_dir.py     DebugDumpDir, which reads such files
    tf_debug.py     what `from tensorflow.python import debug as tf_debug` gives
"""
from tinyflow.inspect.debugger.debugger import Debugger, start

__all__ = ['Debugger', 'start']

"""Starts one program with the stand-ins: start.py {here,tensorflow} PROGRAM, in its folder.

It runs on TensorFlow's older Pythons as well.
"""
import os
import re
import runpy
import sys
import warnings


def main(where, program):
    """Runs the program in TensorFlow, or here as `python -m tinyflow run` does."""
    sys.path[0] = os.path.dirname(os.path.abspath(__file__))
    import stand_ins
    with open(program, 'rb') as file:
        with_keras = re.search(br'^\s*(import|from) keras\b', file.read(), re.MULTILINE) is not None
    warnings.simplefilter('ignore')
    stand_ins.before_import()
    if where == 'here':
        from tinyflow.api import cli
        from tinyflow.api.aliases import install_as_tensorflow
        install_as_tensorflow()
        import tensorflow as tf
        stand_ins.put_in(tf, True, with_keras)
        return cli.main(['run', program])
    import tensorflow as tf
    stand_ins.put_in(tf, False, with_keras)
    tf.compat.v1.logging.set_verbosity('ERROR')
    sys.argv, sys.path[0] = [program], os.path.dirname(os.path.abspath(program))
    runpy.run_path(program, run_name='__main__')
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))

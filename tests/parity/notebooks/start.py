"""Runs the cells of a notebook: start.py {here,tensorflow} {1,2} {graph,eager} NOTEBOOK OUTCOMES.

One JSON line for each cell goes to the file OUTCOMES: 'ok', or the last line of its error. Lines
for the shell (`!ls`) and for IPython (`%matplotlib`) are left out. It runs on TensorFlow's older
Pythons as well.
"""
import ast
import json
import linecache
import os
import re
import sys
import traceback
import types
import warnings

FOLDER = os.path.dirname(os.path.abspath(__file__))


def cells(path):
    """The sources of a notebook's cells of code."""
    with open(path, 'rb') as file:
        notebook = json.loads(file.read().decode('utf-8'))
    return [''.join(cell['source']) for cell in notebook['cells'] if cell['cell_type'] == 'code']


def without_commands(source):
    """A cell without lines for the shell and for IPython; they become `pass`."""
    return re.sub(r'^([ \t]*)[!%?].*$', r'\1pass', source, flags=re.MULTILINE)


def run_cell(number, source, names):
    """Runs a cell; the value of an expression at its end is printed, as a notebook shows it."""
    file = '<cell %d>' % number
    # inspect.getsource finds the functions of the cell, as in a notebook.
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    tree = ast.parse(source, file)
    last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    if last is not None:
        tree.body.pop()
    exec(compile(tree, file, 'exec'), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), file, 'eval'), names)
        if value is not None:
            print(repr(value))


def main(where, version, mode, notebook, outcomes):
    """Runs all cells, whatever becomes of each."""
    sys.path[0] = os.path.dirname(FOLDER)
    from programs import stand_ins

    from notebooks import files_in_place_of_downloads as files
    warnings.simplefilter('ignore')
    stand_ins.before_import()
    if where == 'here':
        from tinyflow.api.aliases import install_as_tensorflow
        install_as_tensorflow(2) if version == '2' else install_as_tensorflow()
    files.before_import()
    import tensorflow as tf
    stand_ins.put_in_data_sets(tf.keras)
    files.put_in(tf)
    tf.get_logger().setLevel('ERROR')
    if mode == 'eager':
        tf.compat.v1.enable_eager_execution()
    main_module = types.ModuleType('__main__')
    sys.modules['__main__'] = main_module
    sys.argv = ['notebook']
    for number, source in enumerate(cells(notebook)):
        print('=== cell %d' % number, flush=True)
        try:
            run_cell(number, without_commands(source), main_module.__dict__)
            outcome = 'ok'
        except BaseException as error:      # SystemExit ends a cell, not a notebook
            traceback.print_exc(file=sys.stdout)
            outcome = '%s: %s' % (type(error).__name__, (str(error).splitlines() or [''])[0])
        sys.stdout.flush()
        with open(outcomes, 'a') as file:
            file.write(json.dumps(outcome) + '\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)                             # threads of the notebook may go on

"""The modules below tensorflow.python and tensorflow_estimator.python in TensorFlow 1.15:

    python tests/golden/tf_modules.py

Writes tinyflow/api/private/modules.txt: a line for each folder, with the modules in it.
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, '..', '..', 'tinyflow', 'api', 'private', 'modules.txt')
NOT_FOLLOWED = ('python.keras.api', 'python.autograph.', 'python.debug.cli',
                'python.estimator.api')


def folders(root):
    """{'python.ops': ['array_ops', ...]}."""
    found = {}
    for path, inner, files in os.walk(os.path.join(root, 'python')):
        name = os.path.relpath(path, root).replace(os.sep, '.')
        if '__init__.py' not in files or name.startswith(NOT_FOLLOWED):
            continue
        modules = [file[:-3] for file in files if file.endswith('.py')
                   and not file.endswith('_test.py') and file != '__init__.py']
        modules += [folder for folder in inner
                    if os.path.exists(os.path.join(path, folder, '__init__.py'))]
        if modules:
            found[name] = sorted(modules)
    return found


def main():
    import tensorflow_core
    import tensorflow_estimator

    found = folders(os.path.dirname(tensorflow_core.__file__))
    found.update(('tensorflow_estimator.' + name, modules) for name, modules in
                 folders(os.path.dirname(tensorflow_estimator.__file__)).items())
    with open(FILE, 'w') as file:
        for name in sorted(found):
            file.write('%s: %s\n' % (name, ' '.join(found[name])))


if __name__ == '__main__':
    main()

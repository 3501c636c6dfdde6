"""Records which hooks of a callback TF 1.15 calls, with which indices and names of logs.

    python tests/golden/keras/record_callbacks.py        (under TF 1.15)
"""
import os
import sys

import numpy as np

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def hook_calls(keras):
    """[hook, index or None, names of the logs] of a fit with validation, evaluate and predict."""
    seen = []

    def writes_down(name):
        def hook(self, *given, **_):
            index = given[0] if given and isinstance(given[0], int) else None
            logs = given[-1] if given and isinstance(given[-1], dict) else {}
            seen.append([name, index, sorted(logs)])
        return hook

    kinds = [n for n in dir(keras.callbacks.Callback) if n.startswith('on_')]
    recorder = type('Recorder', (keras.callbacks.Callback,), {
        n: writes_down(n) for n in kinds if n not in ('on_batch_begin', 'on_batch_end')})()
    x, y = np.ones((6, 3), 'f'), np.ones((6, 1), 'f')
    model = keras.models.Sequential([keras.layers.Dense(1, input_shape=(3,))])
    model.compile('sgd', 'mse', metrics=['mae'])
    model.fit(x, y, batch_size=4, epochs=2, verbose=0, callbacks=[recorder],
              validation_data=(x, y))
    params = recorder.params
    model.evaluate(x, y, batch_size=4, verbose=0, callbacks=[recorder])
    model.predict(x, batch_size=4, callbacks=[recorder])
    return {'calls': seen, 'params': params}


if __name__ == '__main__':
    sys.path.insert(0, TESTS)
    import tensorflow
    from golden.store import write_recorded
    write_recorded('keras.callbacks', hook_calls(tensorflow.keras), sort_keys=True)

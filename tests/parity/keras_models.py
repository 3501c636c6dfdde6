"""Loads in TensorFlow what tinyflow's Keras saved, and compares predictions; run by its test."""
import sys

import numpy as np
import tensorflow as tf

folder = sys.argv[1]
if tf.__version__.startswith('2'):
    tf.compat.v1.disable_eager_execution()
keras, data = tf.keras, np.load(folder + '/data.npz')
x, wanted = [data['xa'], data['xb']], data['p']


def same(found, what):
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=what)
    print(what)


same(keras.models.load_model(folder + '/whole.h5').predict(x), 'whole')
same(keras.models.load_model(folder + '/saved').predict(x), 'saved as a model')
for name in ('weights.h5', 'ckpt'):
    with open(folder + '/model.json') as file:
        model = keras.models.model_from_json(file.read())
    model.load_weights(folder + '/' + name)
    same(model.predict(x), name)
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    meta = tf.compat.v1.saved_model.loader.load(session, ['serve'], folder + '/saved')
    signature = meta.signature_def['serving_default']
    feeds = {signature.inputs[name].name: value for name, value in zip(sorted(signature.inputs), x)}
    output, = signature.outputs.values()
    same(session.run(output.name, feeds), 'saved')

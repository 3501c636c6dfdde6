"""What TensorFlow 2's guide "Estimators" does, with local data; RECORDED is what 2.15.1 prints.

python tests/api/estimator_guide.py prints it there; here the program is run by `run --v2`.
"""
import os
import tempfile

RECORDED = """\
linear accuracy 0.6687 auc 0.6951 average_loss 0.6254 global_step 100
first prediction [0] [0.7985 0.2015]
variables ['age', 'bias_weights', 'class', 'embark_town']
from Keras ['accuracy', 'global_step', 'loss']
checkpoint 10 (1, 5) ['l1/kernel', 'l1/bias']
served [[0.3906 0.6094]] [b'1']
replicas average_loss 0.0 global_step 10""".splitlines()


def write_passengers(np, path):
    rng = np.random.RandomState(0)
    with open(path, 'w') as file:
        file.write('survived,sex,age,class,embark_town\n')
        for _ in range(300):
            rank = rng.randint(3)
            age = round(float(rng.rand() * 60), 1)
            survived = int(rng.rand() < .3 + .2 * rank)
            sex = 'male' if rng.rand() < .5 else 'female'
            town = ['Southampton', 'Cherbourg', 'unknown'][rng.randint(3)]
            file.write(f"{survived},{sex},{age},{['First', 'Second', 'Third'][rank]},{town}\n")


def ready_made(tf, np):
    path = os.path.join(tempfile.mkdtemp(), 'passengers.csv')
    write_passengers(np, path)

    def input_fn():
        rows = tf.data.experimental.make_csv_dataset(path, batch_size=32, label_name='survived',
                                                     shuffle=False)
        return rows.cache().repeat().prefetch(tf.data.AUTOTUNE)
    column = tf.feature_column
    estimator = tf.estimator.LinearClassifier(
        [column.categorical_column_with_hash_bucket('embark_town', 32),
         column.categorical_column_with_vocabulary_list('class', ['First', 'Second', 'Third']),
         column.numeric_column('age')], model_dir=tempfile.mkdtemp(), n_classes=2)
    estimator = estimator.train(input_fn, steps=100)
    result = estimator.evaluate(input_fn, steps=10)
    print('linear', *[f'{key} {result[key]:.4f}' for key in ('accuracy', 'auc', 'average_loss')],
          'global_step', result['global_step'])
    first = next(estimator.predict(input_fn))
    print('first prediction', first['class_ids'], np.round(first['probabilities'], 4))
    print('variables', sorted(name.split('/')[2] for name in estimator.get_variable_names()
                              if name.startswith('linear/') and name.count('/') < 4
                              or name == 'linear/linear_model/bias_weights'))


def from_keras(tf, np):
    base = tf.keras.applications.MobileNetV2(input_shape=(32, 32, 3), include_top=False,
                                             weights=None, alpha=.35)
    base.trainable = False
    model = tf.keras.Sequential([base, tf.keras.layers.GlobalAveragePooling2D(),
                                 tf.keras.layers.Dense(1)])
    model.compile('adam', tf.keras.losses.BinaryCrossentropy(from_logits=True), ['accuracy'])
    estimator = tf.keras.estimator.model_to_estimator(keras_model=model)
    rng = np.random.RandomState(0)
    pictures = rng.randint(0, 255, (8, 20, 24, 3)).astype(np.uint8)
    labels = rng.randint(0, 2, (8, 1))

    def preprocess(picture, label):
        return tf.image.resize(tf.cast(picture, tf.float32) / 127.5 - 1, (32, 32)), label

    def input_fn():
        return tf.data.Dataset.from_tensor_slices((pictures, labels)).map(preprocess).batch(4)
    estimator.train(input_fn=input_fn, steps=1)
    print('from Keras', sorted(estimator.evaluate(input_fn=input_fn, steps=1)))


def object_based_checkpoint(tf):
    v1 = tf.compat.v1
    folder = tempfile.mkdtemp()
    # Keras 2.15 keeps the optimizers that work in an Estimator's graph here.
    adam = tf.keras.optimizers.legacy.Adam

    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.l1 = tf.keras.layers.Dense(5, name='l1')

        def call(self, x):
            return self.l1(x)

    def input_fn():
        x = tf.range(10.)[:, None]
        y = x * 5. + tf.range(5.)[None, :]
        return tf.data.Dataset.from_tensor_slices({'x': x, 'y': y}).repeat().batch(2)

    def model_fn(features, labels, mode):
        net, optimizer = Net(), adam(.1)
        checkpoint = tf.train.Checkpoint(step=v1.train.get_global_step(), optimizer=optimizer,
                                         net=net)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.abs(net(features['x']) - features['y']))
        variables = net.trainable_variables
        pairs = zip(tape.gradient(loss, variables), variables)
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, train_op=tf.group(optimizer.apply_gradients(pairs),
                                               checkpoint.step.assign_add(1)),
            scaffold=v1.train.Scaffold(saver=checkpoint))
    tf.keras.backend.clear_session()
    tf.estimator.Estimator(model_fn, folder).train(input_fn, steps=10)
    net = Net()
    checkpoint = tf.train.Checkpoint(step=tf.Variable(1, dtype=tf.int64), optimizer=adam(.1),
                                     net=net)
    checkpoint.restore(tf.train.latest_checkpoint(folder)).expect_partial()
    shape = net(tf.ones([1, 1])).shape
    names = ['/'.join(v.name.split(':')[0].split('/')[-2:]) for v in net.variables]
    print('checkpoint', checkpoint.step.numpy(), tuple(shape), names)


def served(tf, np):
    column = tf.feature_column.numeric_column('x')

    def input_fn():
        return tf.data.Dataset.from_tensor_slices(
            ({'x': [1., 2., 3., 4.]}, [1, 1, 0, 0])).repeat(200).batch(16)
    estimator = tf.estimator.LinearClassifier(feature_columns=[column])
    estimator.train(input_fn)
    receiver_fn = tf.estimator.export.build_parsing_serving_input_receiver_fn(
        tf.feature_column.make_parse_example_spec([column]))
    path = estimator.export_saved_model(os.path.join(tempfile.mkdtemp(), 'served'), receiver_fn)
    example = tf.train.Example()
    example.features.feature['x'].float_list.value.extend([1.5])
    found = tf.saved_model.load(path).signatures['predict'](
        examples=tf.constant([example.SerializeToString()]))
    print('served', np.round(found['probabilities'].numpy(), 4), found['classes'].numpy()[0])


def replicas(tf):
    strategy = tf.distribute.MirroredStrategy()
    config = tf.estimator.RunConfig(train_distribute=strategy, eval_distribute=strategy)
    regressor = tf.estimator.LinearRegressor([tf.feature_column.numeric_column('feats')],
                                             optimizer='SGD', config=config)

    def input_fn():
        return tf.data.Dataset.from_tensors(({'feats': [1.]}, [1.])).repeat(1000).batch(10)
    regressor.train(input_fn=input_fn, steps=10)
    result = regressor.evaluate(input_fn=input_fn, steps=10)
    print(f"replicas average_loss {result['average_loss']:.1f} global_step "
          f"{result['global_step']}")


def main():
    import numpy as np
    import tensorflow as tf

    tf.random.set_seed(7)
    ready_made(tf, np)
    from_keras(tf, np)
    object_based_checkpoint(tf)
    served(tf, np)
    replicas(tf)


if __name__ == '__main__':
    main()
